/** `platen serve`: starts the service, hands out a first key on an empty data folder, ends in order on SIGTERM. */

import { type App, startApp } from '../app.ts';
import { loadConfig, unknownSettings } from '../config.ts';

export async function serve(): Promise<void> {
  const config = loadConfig();
  for (const warning of unknownSettings()) process.stderr.write(`platen: ${warning}\n`);
  const app = await startApp(config);
  stopOnSignal(app);
  process.stdout.write(`Platen listens on ${app.url}\n`);
  await handOutFirstKey(app);
}

/** The first signal lets renders finish, the second ends at once. */
function stopOnSignal(app: App): void {
  let asked = false;
  const stop = () => {
    if (asked) process.exit(1);
    asked = true;
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

async function handOutFirstKey({ services: { accounts, plans }, url }: App): Promise<void> {
  if (await accounts.hasKeys()) return;
  const account = await accounts.createAccount(plans.operatorName, 'first account');
  const { secret } = await accounts.createKey(account.id, 'first key');
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
