/** Accounts and their API keys: who may ask. */
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { isPlan, PLANS } from './plans.ts';
import { hashOf, isWellFormed, newSecret, randomBase62 } from './secret.ts';

/** Who is asking. `keyId` is the boundary no page is shared across. */
export interface Principal {
  keyId: string;
  accountId: string;
  plan: string;
}

export interface Account {
  id: string;
  name: string;
  plan: string;
  createdAt: number;
}

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  plan: string;
  /** The first characters of the secret. */
  hint: string;
  createdAt: number;
  revokedAt: number | null;
}

/** A key with its secret, which is shown once and kept nowhere. */
export interface IssuedKey {
  secret: string;
  key: ApiKey;
}

const ID_CHARACTERS = 22;
const HINT_CHARACTERS = 8;

export class Accounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Who holds this secret; undefined for every way to be wrong. */
  async authenticate(secret: string): Promise<Principal | undefined> {
    if (!isWellFormed(secret)) return undefined;
    const row = await this.#database
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select(['api_keys.id as keyId', 'accounts.id as accountId', 'accounts.plan as plan'])
      .where('secret_hash', '=', hashOf(secret))
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    return row;
  }

  /** Throws `invalid_request` for an unknown plan. */
  async createAccount(plan: string, name = ''): Promise<Account> {
    requirePlan(plan);
    const account = { id: `acc_${randomBase62(ID_CHARACTERS)}`, name, plan, createdAt: Date.now() };
    await this.#database.insertInto('accounts').values({ id: account.id, name, plan, created_at: account.createdAt }).execute();
    return account;
  }

  async listAccounts(): Promise<Account[]> {
    return this.#database
      .selectFrom('accounts')
      .select(['id', 'name', 'plan', 'created_at as createdAt'])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** Takes effect with the next request. Throws `not_found`, and `invalid_request` for an unknown plan. */
  async setPlan(accountId: string, plan: string): Promise<void> {
    requirePlan(plan);
    const { numUpdatedRows } = await this.#database
      .updateTable('accounts')
      .set({ plan })
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    if (!numUpdatedRows) throw noSuch('account', accountId);
  }

  /** A new key for an account. Throws `not_found`. */
  async createKey(accountId: string, name = ''): Promise<IssuedKey> {
    const account = await this.#database.selectFrom('accounts').select('plan').where('id', '=', accountId).executeTakeFirst();
    if (!account) throw noSuch('account', accountId);
    const secret = newSecret();
    const id = `key_${randomBase62(ID_CHARACTERS)}`;
    const createdAt = Date.now();
    const hint = hintOf(secret);
    await this.#database
      .insertInto('api_keys')
      .values({ id, account_id: accountId, name, secret_hash: hashOf(secret), hint, created_at: createdAt, revoked_at: null })
      .execute();
    return { secret, key: { id, accountId, name, plan: account.plan, hint, createdAt, revokedAt: null } };
  }

  async listKeys(): Promise<ApiKey[]> {
    return this.#keys().execute();
  }

  /** A new secret for the same key; the old one stops working at once. Throws `not_found` (also for a revoked key). */
  async rotateKey(keyId: string): Promise<IssuedKey> {
    const secret = newSecret();
    const { numUpdatedRows } = await this.#database
      .updateTable('api_keys')
      .set({ secret_hash: hashOf(secret), hint: hintOf(secret) })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (!numUpdatedRows) throw noSuch('key', keyId);
    return { secret, key: await this.#keys().where('api_keys.id', '=', keyId).executeTakeFirstOrThrow() };
  }

  /** The key stops working at once. Revoking it again changes nothing. Throws `not_found`. */
  async revokeKey(keyId: string): Promise<void> {
    const { numUpdatedRows } = await this.#database
      .updateTable('api_keys')
      .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(Date.now())) }))
      .where('id', '=', keyId)
      .executeTakeFirstOrThrow();
    if (!numUpdatedRows) throw noSuch('key', keyId);
  }

  async hasKeys(): Promise<boolean> {
    return (await this.#database.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  #keys() {
    return this.#database
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select([
        'api_keys.id as id',
        'api_keys.account_id as accountId',
        'api_keys.name as name',
        'accounts.plan as plan',
        'api_keys.hint as hint',
        'api_keys.created_at as createdAt',
        'api_keys.revoked_at as revokedAt',
      ])
      .orderBy('api_keys.created_at')
      .orderBy('api_keys.id');
  }
}

function requirePlan(plan: string): void {
  if (isPlan(plan)) return;
  throw new ServiceError('invalid_request', `there is no plan ${JSON.stringify(plan)}; plans are ${PLANS.join(', ')}`);
}

function noSuch(what: string, id: string): ServiceError {
  return new ServiceError('not_found', `there is no ${what} ${JSON.stringify(id)}`);
}

function hintOf(secret: string): string {
  return secret.slice(0, HINT_CHARACTERS);
}
