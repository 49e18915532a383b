/** Accounts and their API keys: a secret in, the account and key that it belongs to out. */
import { ServiceError } from '../errors.ts';
import type { Database, Query } from '../storage/database.ts';
import { prepared } from '../storage/prepared.ts';
import type { Tables } from '../storage/tables.ts';
import type { Plan, Plans } from './plans.ts';
import { hashOf, isWellFormed, newSecret, randomBase62 } from './secret.ts';

/** The authenticated caller. Pages are never shared between different values of `keyId`. */
export interface Principal {
  keyId: string;
  accountId: string;
  plan: Plan;
  /** Whether renders are stored if the request does not say so. */
  autoStore: boolean;
}

export interface Account {
  id: string;
  name: string;
  plan: string;
  autoStore: boolean;
  /** Address that receives `document.expired` events, or null for none. */
  documentExpiredUrl: string | null;
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

/** A key with its secret, which is shown once and not stored. */
export interface IssuedKey {
  secret: string;
  key: ApiKey;
}

const ID_CHARACTERS = 22;
const HINT_CHARACTERS = 8;
const ACCOUNT_COLUMNS = ['id', 'name', 'plan', 'auto_store', 'document_expired_webhook_url', 'created_at'] as const;

export class Accounts {
  readonly #database: Database;
  readonly #plans: Plans;

  constructor(database: Database, plans: Plans) {
    this.#database = database;
    this.#plans = plans;
  }

  /** The principal of this secret, or undefined if the secret is not valid for any reason. */
  async authenticate(secret: string): Promise<Principal | undefined> {
    if (!isWellFormed(secret)) return undefined;
    const { rows } = await selectHolder(this.#database.query, { hash: hashOf(secret) });
    return this.#toPrincipal(rows[0]);
  }

  /** The current principal of a key, for work that continues after its request. Undefined if the key was revoked. */
  async principalOf(keyId: string): Promise<Principal | undefined> {
    const { rows } = await selectKey(this.#database.query, { keyId });
    return this.#toPrincipal(rows[0]);
  }

  /** Names of plans that accounts are on and that the plans file does not define. */
  async missingPlans(): Promise<string[]> {
    const rows = await this.#database.query.selectFrom('accounts').select('plan').distinct().orderBy('plan').execute();
    return rows.map(({ plan }) => plan).filter((plan) => !this.#plans.get(plan));
  }

  /** Throws `not_found`. */
  async account(accountId: string): Promise<Account> {
    const account = await this.#accounts().where('id', '=', accountId).executeTakeFirst();
    if (!account) throw noSuch('account', accountId);
    return toAccount(account);
  }

  /** Sets whether later renders of this account are stored if the request does not say so. */
  async setAutoStore(accountId: string, autoStore: boolean): Promise<void> {
    await this.#database.query
      .updateTable('accounts')
      .set({ auto_store: autoStore ? 1 : 0 })
      .where('id', '=', accountId)
      .execute();
    await this.#database.flush();
  }

  /** Sets the address that receives `document.expired` events from now on, or null for none. */
  async setDocumentExpiredUrl(accountId: string, url: string | null): Promise<void> {
    await this.#database.query
      .updateTable('accounts')
      .set({ document_expired_webhook_url: url })
      .where('id', '=', accountId)
      .execute();
    await this.#database.flush();
  }

  /** Throws `invalid_request` for an unknown plan. */
  async createAccount(plan: string, name = ''): Promise<Account> {
    this.#plans.require(plan);
    const id = `acc_${randomBase62(ID_CHARACTERS)}`;
    const row = { id, name, plan, auto_store: 0, document_expired_webhook_url: null, created_at: Date.now() };
    await this.#database.query.insertInto('accounts').values(row).execute();
    await this.#database.flush();
    return toAccount(row);
  }

  async listAccounts(): Promise<Account[]> {
    return (await this.#accounts().orderBy('created_at').orderBy('id').execute()).map(toAccount);
  }

  /** Takes effect with the next request. Throws `not_found`, and `invalid_request` for an unknown plan. */
  async setPlan(accountId: string, plan: string): Promise<void> {
    this.#plans.require(plan);
    const { numUpdatedRows } = await this.#database.query
      .updateTable('accounts')
      .set({ plan })
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
    if (!numUpdatedRows) throw noSuch('account', accountId);
    await this.#database.flush();
  }

  /** A new key for an account. Throws `not_found`. */
  async createKey(accountId: string, name = ''): Promise<IssuedKey> {
    const account = await this.#database.query
      .selectFrom('accounts')
      .select('plan')
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (!account) throw noSuch('account', accountId);
    const secret = newSecret();
    const id = `key_${randomBase62(ID_CHARACTERS)}`;
    const createdAt = Date.now();
    const hint = hintOf(secret);
    await this.#database.query
      .insertInto('api_keys')
      .values({ id, account_id: accountId, name, secret_hash: hashOf(secret), hint, created_at: createdAt, revoked_at: null })
      .execute();
    await this.#database.flush();
    return { secret, key: { id, accountId, name, plan: account.plan, hint, createdAt, revokedAt: null } };
  }

  async listKeys(): Promise<ApiKey[]> {
    return this.#keys().execute();
  }

  /** A new secret for the same key; the old one stops working at once. Throws `not_found` (also for a revoked key). */
  async rotateKey(keyId: string): Promise<IssuedKey> {
    const secret = newSecret();
    const { numUpdatedRows } = await this.#database.query
      .updateTable('api_keys')
      .set({ secret_hash: hashOf(secret), hint: hintOf(secret) })
      .where('id', '=', keyId)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (!numUpdatedRows) throw noSuch('key', keyId);
    await this.#database.flush();
    return { secret, key: await this.#keys().where('api_keys.id', '=', keyId).executeTakeFirstOrThrow() };
  }

  /** The key stops working at once. Revoking it again changes nothing. Throws `not_found`. */
  async revokeKey(keyId: string): Promise<void> {
    const { numUpdatedRows } = await this.#database.query
      .updateTable('api_keys')
      .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(Date.now())) }))
      .where('id', '=', keyId)
      .executeTakeFirstOrThrow();
    if (!numUpdatedRows) throw noSuch('key', keyId);
    await this.#database.flush();
  }

  async hasKeys(): Promise<boolean> {
    return (await this.#database.query.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  #toPrincipal(row: Holder | undefined): Principal | undefined {
    if (!row) return undefined;
    return { keyId: row.keyId, accountId: row.accountId, plan: this.#planOf(row), autoStore: row.auto_store === 1 };
  }

  #planOf({ plan, accountId }: { plan: string; accountId: string }): Plan {
    const found = this.#plans.get(plan);
    if (found) return found;
    throw new Error(
      `account ${accountId} is on plan ${plan}, which the plans file does not define: add the plan, or run platen accounts set-plan`,
    );
  }

  #accounts() {
    return this.#database.query.selectFrom('accounts').select(ACCOUNT_COLUMNS);
  }

  #keys() {
    return this.#database.query
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

interface Holder {
  keyId: string;
  accountId: string;
  plan: string;
  auto_store: number;
}

const selectHolder = prepared((query, { hash }: { hash: string }) => holders(query).where('secret_hash', '=', hash));
const selectKey = prepared((query, { keyId }: { keyId: string }) => holders(query).where('api_keys.id', '=', keyId));

function holders(query: Query) {
  return query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id as keyId', 'accounts.id as accountId', 'plan', 'auto_store'])
    .where('revoked_at', 'is', null);
}

function toAccount(row: Pick<Tables['accounts'], (typeof ACCOUNT_COLUMNS)[number]>): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    autoStore: row.auto_store === 1,
    documentExpiredUrl: row.document_expired_webhook_url,
    createdAt: row.created_at,
  };
}

function noSuch(what: string, id: string): ServiceError {
  return new ServiceError('not_found', `there is no ${what} ${JSON.stringify(id)}`);
}

function hintOf(secret: string): string {
  return secret.slice(0, HINT_CHARACTERS);
}
