/**
 * Creates a key on a new account, given the settings of a service. It does the same as `platen keys create`, without a process
 * for each key.
 */
import { Accounts } from '../../src/accounts/accounts.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/storage/database.ts';

export interface IssuedKey {
  key: string;
  key_id: string;
  account_id: string;
  plan: string;
}

export async function issueKey(settings: Record<string, string>, plan: string): Promise<IssuedKey> {
  const { services } = loadConfig(settings);
  const database = await openDatabase(services.storage);
  try {
    const accounts = new Accounts(database, loadPlans(services.plans));
    const { id } = await accounts.createAccount(plan);
    const { secret, key } = await accounts.createKey(id, '');
    return { key: secret, key_id: key.id, account_id: id, plan };
  } finally {
    await database.close();
  }
}
