/** An account with keys in a database of the test, and the owner of a key as the service sees it. */
import type { Principal } from '../../src/accounts/accounts.ts';
import type { Database } from '../../src/storage/database.ts';

/** A plan without limits. */
export const PLAN = {
  name: 'x',
  documents: null,
  retentionMs: 86_400_000,
  requestsPerMinute: null,
  concurrency: null,
  openItems: null,
  storageBytes: null,
};

export function ownerOf(keyId: string, plan: Principal['plan'] = PLAN): Principal {
  return { keyId, accountId: 'acc_a', plan, autoStore: false, scopes: null, isTest: false };
}

export async function insertAccount({ query }: Database, ...keyIds: string[]): Promise<void> {
  await query.insertInto('accounts').values({ id: 'acc_a', name: '', plan: 'x', auto_store: 0, created_at: 1 }).execute();
  const key = { account_id: 'acc_a', name: '', hint: '', created_at: 1, revoked_at: null };
  for (const id of keyIds)
    await query
      .insertInto('api_keys')
      .values({ ...key, id, secret_hash: id })
      .execute();
}
