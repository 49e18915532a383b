/** Runs the service within the process of a test file, which can then set its clock and look into it. */
import { afterAll } from 'vitest';
import { type App, startApp } from '../../src/app.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { Client } from './client.ts';
import { makeFolder } from './close-after-all.ts';
import { PLANS } from './service.ts';
import { storageSettings } from './storage-settings.ts';

export interface OpenApp {
  app: App;
  env: Record<string, string>;
  /** Creates a key on a new account. */
  newClient(plan?: string): Promise<Client>;
}

/** Stops the service after all tests. `adapt` changes limits that have no setting. */
export async function openApp(
  settings: Record<string, string> = {},
  now?: () => number,
  adapt = (config: Config) => config,
): Promise<OpenApp> {
  const dataDir = await makeFolder();
  const env: Record<string, string> = {
    ...(await storageSettings(dataDir)),
    PLATEN_PORT: '0',
    PLATEN_DATA_DIR: dataDir,
    PLATEN_PLANS_FILE: PLANS,
    PLATEN_LOG_LEVEL: 'silent',
    ...settings,
  };
  const app = await startApp(adapt(loadConfig(env)), now);
  afterAll(() => app.stop());
  const { accounts } = app.services;
  return {
    app,
    env,
    async newClient(plan = 'growth') {
      const { id } = await accounts.createAccount(plan);
      return new Client(app.url, (await accounts.createKey(id)).secret);
    },
  };
}
