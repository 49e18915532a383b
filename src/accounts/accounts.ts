/** Manages accounts and authenticates callers: the secret of an API key in, the key and its account out. */

import { type Actor, COMMAND_LINE, compareFields, describeCreated, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import { type Database, type Query, readPlans } from '../storage/database.ts';
import { type ListPage, type Position, readListPage, searchWords } from '../storage/listing.ts';
import { prepareQuery } from '../storage/prepared.ts';
import type { Selected } from '../storage/tables.ts';
import { KeyUse } from './key-use.ts';
import { type IssuedKey, type KeyDraft, Keys, opensWith, readScopes } from './keys.ts';
import type { Plan, Plans } from './plans.ts';
import type { Scopes } from './scopes.ts';
import { hashSecret, isWellFormed } from './secret.ts';
import { Sessions } from './sessions.ts';

/** The authenticated caller. Pages are never shared between different values of `keyId`. */
export interface Principal {
  keyId: string;
  accountId: string;
  plan: Plan;
  /** Whether renders are stored if the request does not say so. */
  autoStore: boolean;
  /** Whether a picture of the page is kept when a render fails. */
  failurePictures?: boolean;
  /** Options of renders that requests leave out. */
  options?: Readonly<Record<string, unknown>>;
  /** The size of the files of the account, which its documents can use. Absent if there are none. */
  assetBytes?: number;
  scopes: Scopes;
  /** Whether the key is a test key: its renders have a watermark, are not charged, and are kept for a day at most. */
  isTest: boolean;
  /** Whether it is the operator's own key. */
  isOperator?: boolean;
  /** Whether it may use `/v1/admin`. */
  isAdministrator?: boolean;
  /** When the batch was accepted whose items are rendered. Its templates are rendered as they were then. */
  asOf?: number;
}

/** How long documents of test keys are kept, unless the plan keeps documents for less. */
const TEST_RETENTION_MS = 86_400_000;
const NO_DEFAULTS = { default_options: null, asset_bytes: 0 };
const ACCOUNT_COLUMNS = [
  'id',
  'name',
  'plan',
  'auto_store',
  'document_expired_webhook_url as documentExpiredUrl',
  'default_options',
  'failure_pictures',
  'asset_bytes as assetBytes',
  'created_at as createdAt',
  'suspended_at as suspendedAt',
  'deleted_at as deletedAt',
] as const;
type AccountRow = Selected<'accounts', (typeof ACCOUNT_COLUMNS)[number]>;

export type Account = Omit<AccountRow, 'auto_store' | 'default_options' | 'failure_pictures'> & {
  autoStore: boolean;
  failurePictures: boolean;
  options: Readonly<Record<string, unknown>> | null;
};

export const ACCOUNT_STATES = ['active', 'suspended', 'deleted'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export interface AccountFilter {
  state?: AccountState | undefined;
  /** Words of the name, in any case. */
  name?: string | undefined;
}

/** What can be changed about an account. Members that are left out stay as they are. */
interface AccountChange {
  name?: string;
  plan?: string;
  /** Whether later renders are stored if the request does not say so. */
  autoStore?: boolean | undefined;
  /** Whether a picture of the page is kept when a later render fails. */
  failurePictures?: boolean | undefined;
  /** The URL that receives `document.expired` events from now on, or null for none. */
  documentExpiredUrl?: string | null | undefined;
  /** Options of renders that requests leave out, or null for none. */
  options?: Readonly<Record<string, unknown>> | null | undefined;
  /** While it is true, keys and links of the account are refused with `account_suspended`, and its batches wait. */
  isSuspended?: boolean;
}

export class Accounts {
  readonly #database: Database;
  readonly #plans: Plans;
  readonly #clock: Clock;
  readonly keys: Keys;
  readonly keyUse: KeyUse;
  readonly sessions: Sessions;

  constructor(database: Database, plans: Plans, clock: Clock = Date.now) {
    this.#database = database;
    this.#plans = plans;
    this.#clock = clock;
    this.keys = new Keys(database, clock);
    this.keyUse = new KeyUse(database, clock);
    this.sessions = new Sessions(database, clock);
  }

  /** The principal of this secret, or undefined if the secret is not valid for any reason. Throws `account_suspended`. */
  async authenticate(secret: string): Promise<Principal | undefined> {
    if (!isWellFormed(secret)) return undefined;
    const { rows } = await selectHolder(this.#database.query, { hash: hashSecret(secret), now: this.#clock() });
    return this.#use(rows[0]);
  }

  /**
   * The principal of the key of a session, or undefined if the session has ended: by itself, or because the secret that began it no
   * longer works. Its end moves. Throws `account_suspended`.
   */
  async authenticateSession(id: string): Promise<Principal | undefined> {
    const idHash = hashSecret(id);
    const { rows } = await selectSessionHolder(this.#database.query, { idHash, now: this.#clock() });
    const [row] = rows;
    const principal = this.#use(row);
    if (row) await this.sessions.keep(idHash, row.ends_at);
    return principal;
  }

  #use(row: Holder | undefined): Principal | undefined {
    const principal = this.#toPrincipal(row);
    if (principal) this.keyUse.note(principal.keyId, row?.last_used_at ?? null);
    return principal;
  }

  /**
   * The current principal of a key, for work that continues after its request and after the expiry of the key. Undefined if the key
   * was revoked. Throws `account_suspended`.
   */
  async findPrincipal(keyId: string): Promise<Principal | undefined> {
    const { rows } = await selectKey(this.#database.query, { keyId });
    return this.#toPrincipal(rows[0]);
  }

  async isRevoked(keyId: string): Promise<boolean> {
    const { rows } = await selectKey(this.#database.query, { keyId });
    return !rows.length;
  }

  /** Names of plans that accounts are on and that the plans file does not define. */
  async missingPlans(): Promise<string[]> {
    return (await readPlans(this.#database.query)).filter((plan) => !this.#plans.get(plan));
  }

  /** Throws `not_found`. */
  async account(accountId: string, query = this.#database.query): Promise<Account> {
    const account = await this.#accounts(query).where('id', '=', accountId).executeTakeFirst();
    if (!account) throw new ServiceError('not_found', `there is no account ${JSON.stringify(accountId)}`);
    return toAccount(account);
  }

  /** Throws `invalid_request` for an unknown plan. */
  async createAccount(plan: string, name = '', actor = COMMAND_LINE): Promise<Account> {
    this.#plans.require(plan);
    const now = this.#clock();
    const row = await this.#database.transaction(async (query) => {
      const inserted = await query
        .insertInto('accounts')
        .values({ id: createId('acc'), name, plan, auto_store: 0, created_at: now })
        .returning(ACCOUNT_COLUMNS)
        .executeTakeFirstOrThrow();
      const [accountId, changes] = [inserted.id, describeCreated({ name, plan })];
      await recordAudit(query, now, { actor, action: 'account.created', accountId, objectId: accountId, changes });
      return inserted;
    });
    await this.#database.flush();
    return toAccount(row);
  }

  /** Newest first, starting after the position `after`. */
  async list(limit: number, { state, name = '' }: AccountFilter, after?: Position): Promise<ListPage<Account>> {
    const { where, keep } = searchWords('name', name);
    const accounts = this.#accounts()
      .$if(state !== undefined, (rows) => rows.where('deleted_at', state === 'deleted' ? 'is not' : 'is', null))
      .$if(state === 'active', (rows) => rows.where('suspended_at', 'is', null))
      .$if(state === 'suspended', (rows) => rows.where('suspended_at', 'is not', null));
    return readListPage(accounts, {
      ...{ limit, after, toItem: toAccount },
      ...(name && { search: (rows) => rows.where(where) }),
      keep: keep && ((account) => keep(account.name)),
    });
  }

  async listAccounts(): Promise<Account[]> {
    return (await this.#accounts().orderBy('created_at').orderBy('id').execute()).map(toAccount);
  }

  /**
   * Takes effect with the next request. Throws `not_found`, `invalid_request` for an unknown plan, and what `check` throws for the account
   * before the change.
   */
  async update(
    accountId: string,
    { name, plan, autoStore, failurePictures, documentExpiredUrl, options, isSuspended }: AccountChange,
    actor = COMMAND_LINE,
    check?: (before: Account) => void,
  ): Promise<void> {
    if (plan !== undefined) this.#plans.require(plan);
    const now = this.#clock();
    await this.#database.transaction(async (query) => {
      const before = await this.#lock(accountId, query);
      check?.(toAccount(before));
      await query
        .updateTable('accounts')
        .set({
          ...{ id: accountId, name, plan },
          document_expired_webhook_url: documentExpiredUrl,
          default_options: options && JSON.stringify(options),
          auto_store: toFlag(autoStore),
          failure_pictures: toFlag(failurePictures),
          suspended_at: isSuspended === undefined ? undefined : isSuspended ? (before.suspendedAt ?? now) : null,
        })
        .where('id', '=', accountId)
        .execute();
      const { name: oldName, plan: oldPlan, suspendedAt } = before;
      const old = { name: oldName, plan: oldPlan, suspended: suspendedAt !== null };
      const changes = compareFields(old, { name, plan, suspended: isSuspended });
      if (Object.keys(changes).length)
        await recordAudit(query, now, { actor, action: 'account.changed', accountId, objectId: accountId, changes });
    });
    await this.#database.flush();
  }

  /**
   * Revokes all keys of an account. Ids, dates and usage remain; the next sweep removes everything else, as `eraseDeleted` does.
   * Throws `not_found`.
   */
  async delete(accountId: string, actor = COMMAND_LINE): Promise<void> {
    const deleted_at = this.#clock();
    await this.#database.transaction(async (query) => {
      await this.#lock(accountId, query);
      await query
        .updateTable('accounts')
        .set({ deleted_at, name: '', auto_store: 0, failure_pictures: 0, document_expired_webhook_url: null, ...NO_DEFAULTS })
        .where('id', '=', accountId)
        .execute();
      await query
        .updateTable('api_keys')
        .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(deleted_at)), name: '', hint: '' }))
        .set({ previous_secret_hash: null, previous_valid_until: null })
        .where('account_id', '=', accountId)
        .execute();
      await recordAudit(query, deleted_at, { actor, action: 'account.deleted', accountId, objectId: accountId });
    }, `keys ${accountId}`);
    await this.#database.flush();
  }

  /** Keeps an account from being changed until the end of the transaction. Throws `not_found`, also for a deleted account. */
  async #lock(accountId: string, query: Query): Promise<AccountRow> {
    const row = await query
      .updateTable('accounts')
      .set((eb) => ({ name: eb.ref('name') }))
      .where('id', '=', accountId)
      .where('deleted_at', 'is', null)
      .returning(ACCOUNT_COLUMNS)
      .executeTakeFirst();
    if (row) return row;
    await this.account(accountId, query);
    throw accountDeleted(accountId);
  }

  /** Creates a key for an account. Throws `not_found`. */
  async createKey(accountId: string, name = '', draft: KeyDraft = {}, actor?: Actor): Promise<IssuedKey> {
    const { deletedAt } = await this.account(accountId);
    if (deletedAt !== null) throw accountDeleted(accountId);
    return this.keys.create(accountId, { ...draft, name }, actor);
  }

  async hasKeys(): Promise<boolean> {
    return (await this.#database.query.selectFrom('api_keys').select('id').limit(1).executeTakeFirst()) !== undefined;
  }

  #toPrincipal(row: Holder | undefined): Principal | undefined {
    if (!row) return undefined;
    if (row.suspended_at !== null) throw accountSuspended();
    const isTest = row.is_test === 1;
    const plan = this.#plans.get(row.plan);
    if (!plan)
      throw new Error(
        `account ${row.accountId} is on plan ${row.plan}, which the plans file does not define: add the plan, or run platen accounts set-plan`,
      );
    return {
      keyId: row.keyId,
      accountId: row.accountId,
      plan: isTest ? { ...plan, retentionMs: Math.min(plan.retentionMs, TEST_RETENTION_MS) } : plan,
      isTest,
      isOperator: row.is_operator === 1,
      isAdministrator: row.is_administrator === 1,
      autoStore: row.auto_store === 1,
      failurePictures: row.failure_pictures === 1,
      ...(row.default_options !== null && { options: JSON.parse(row.default_options) }),
      ...(row.asset_bytes && { assetBytes: row.asset_bytes }),
      scopes: readScopes(row.scopes),
    };
  }

  #accounts(query = this.#database.query) {
    return query.selectFrom('accounts').select(ACCOUNT_COLUMNS);
  }
}

function toFlag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

const selectHolder = prepareQuery((query, { hash, now }: { hash: string; now: number }) =>
  holders(query).where((eb) => opensWith(eb, hash, now)),
);
type Holder = Awaited<ReturnType<typeof selectHolder>>['rows'][number];

const selectSessionHolder = prepareQuery((query, { idHash, now }: { idHash: string; now: number }) =>
  holders(query)
    .innerJoin('sessions', 'sessions.key_id', 'api_keys.id')
    .select('ends_at')
    .where('id_hash', '=', idHash)
    .where('ends_at', '>', now)
    .where((eb) => opensWith(eb, eb.ref('begun_with'), now)),
);

const selectKey = prepareQuery((query, { keyId }: { keyId: string }) => holders(query).where('api_keys.id', '=', keyId));

function holders(query: Query) {
  return query
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id as keyId', 'accounts.id as accountId', 'plan', 'auto_store', 'scopes', 'is_test'])
    .select([
      'suspended_at',
      'last_used_at',
      'is_operator',
      'is_administrator',
      'default_options',
      'asset_bytes',
      'failure_pictures',
    ])
    .where('revoked_at', 'is', null)
    .where('deleted_at', 'is', null);
}

function toAccount({ auto_store, failure_pictures, default_options: options, ...row }: AccountRow): Account {
  const switches = { autoStore: auto_store === 1, failurePictures: failure_pictures === 1 };
  return { ...row, ...switches, options: options === null ? null : JSON.parse(options) };
}

export function accountState({ suspendedAt, deletedAt }: Account): AccountState {
  if (deletedAt !== null) return 'deleted';
  return suspendedAt === null ? 'active' : 'suspended';
}

function accountDeleted(accountId: string): ServiceError {
  return new ServiceError('not_found', `the account ${JSON.stringify(accountId)} was deleted`);
}

export function accountSuspended(): ServiceError {
  return new ServiceError('account_suspended', 'the operator has suspended this account');
}
