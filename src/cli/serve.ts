/** `platen serve`: starts the service, creates a first API key if there is none, and stops gracefully on SIGTERM. */

import { type App, startApp } from '../app.ts';
import { loadConfig } from '../config.ts';

export async function serve(): Promise<void> {
  const config = loadConfig();
  const app = await startApp(config);
  stopOnSignal(app);
  process.stdout.write(`Platen listens on ${app.url}\n`);
  await printFirstKey(app);
}

/** The first signal lets renders finish, the second one ends the process at once. */
function stopOnSignal(app: App): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    app.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`platen: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

async function printFirstKey({ services: { accounts, plans }, url }: App): Promise<void> {
  if (await accounts.hasKeys()) return;
  const account = await accounts.createAccount(plans.operatorName, 'first account');
  const { secret } = await accounts.createKey(account.id, 'first key', { isOperator: true });
  process.stdout.write(`
The first API key was created (plan ${account.plan}). It is shown only once:

  ${secret}

Try it:

  curl ${url}/v1/pdf -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '{"html": "<h1>Hello, paper</h1>"}' -o hello.pdf

Playground  ${url}/
Dashboard   ${url}/dashboard
Reference   ${url}/docs

`);
}
