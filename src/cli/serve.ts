/** `platen serve`: starts the service, creates a first API key if there is none, and stops gracefully on SIGTERM. */

import { type App, startApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { VERSION } from '../version.ts';

export async function serve(): Promise<void> {
  const app = await startApp(loadConfig());
  stopOnSignal(app);
  if (process.stdout.isTTY) process.stdout.write(`Platen listens on ${app.url}\n`);
  else app.notices.info({ version: VERSION, url: app.url }, `Platen listens on ${app.url} (version ${VERSION})`);
  await tellFirstKey(app);
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

/** Prints the key for a person at a terminal, and otherwise logs it as one JSON line, like everything on standard output. */
async function tellFirstKey({ services: { accounts, plans }, url, notices }: App): Promise<void> {
  if (await accounts.hasKeys()) return;
  const { id: account_id, plan } = await accounts.createAccount(plans.operatorName, 'first account');
  const { secret, key } = await accounts.createKey(account_id, 'first key', { isOperator: true });
  const created = { key_id: key.id, account_id, plan, curl: firstRequest(secret, url) };
  if (process.stdout.isTTY) process.stdout.write(invitation(secret, plan, url));
  else notices.info({ key: secret, ...created }, 'the first API key was created; it is shown only once');
}

/** A command that works when it is pasted. */
function firstRequest(secret: string, url: string): string {
  return `curl ${url}/v1/pdf -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '{"html": "<h1>Hello, paper</h1>"}' -o hello.pdf`;
}

function invitation(secret: string, plan: string, url: string): string {
  return `
The first API key was created (plan ${plan}). It is shown only once:

  ${secret}

Try it:

  ${firstRequest(secret, url)}

Playground  ${url}/
Dashboard   ${url}/dashboard
Docs        ${url}/docs

`;
}
