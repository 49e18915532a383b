/**
 * Creates, lists, rotates and revokes API keys, for the operator or for another key. A key manages itself and the keys that were
 * made with it, directly or through other keys. All other keys do not exist for it.
 */

import { type Actor, type AuditAction, type AuditChanges, COMMAND_LINE, describeCreated, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { invalidRequest, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, type Position, readListPage } from '../storage/listing.ts';
import type { Condition, Operand, Selected } from '../storage/tables.ts';
import { readCount } from '../storage/totals.ts';
import type { Scope, Scopes } from './scopes.ts';
import { hashSecret, newSecret, secretHint } from './secret.ts';

/** A key with its secret, which is shown once and not stored. */
export interface IssuedKey {
  secret: string;
  key: ApiKey;
}

export interface KeyDraft {
  name?: string;
  /** Default: full access. */
  scopes?: Scopes;
  /** Default: false. */
  isTest?: boolean;
  /** Whether it is the operator's own key, which learns about the settings of the service. Default: false. */
  isOperator?: boolean;
  /** Whether it may use `/v1/admin`. Only the command line may say so. Default: false. */
  isAdministrator?: boolean;
  /** Default: the expiry of the key that makes it. */
  expiresInMs?: number | undefined;
  madeBy?: string;
}

/** Maximum number of keys of an account that are not revoked or were made in the last day. */
const MAX_KEYS = 100;
const DAY_MS = 86_400_000;

const COLUMNS = [
  'id',
  'account_id as accountId',
  'name',
  'hint',
  'scopes',
  'is_test',
  'is_administrator',
  'made_by as madeBy',
  'created_at as createdAt',
  'revoked_at as revokedAt',
  'previous_valid_until as previousValidUntil',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
] as const;
type KeyRow = Selected<'api_keys', (typeof COLUMNS)[number]>;

export type ApiKey = Omit<KeyRow, 'scopes' | 'is_test' | 'is_administrator'> & {
  scopes: Scopes;
  isTest: boolean;
  isAdministrator: boolean;
};

export class Keys {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Creates a key. If it is made with another key, throws `key_limit`, `invalid_request` if it would outlive that key, and
   * `unauthorized` if that key was revoked.
   */
  async create(
    accountId: string,
    { name = '', scopes = null, isTest = false, isOperator = false, isAdministrator = false, expiresInMs, madeBy }: KeyDraft,
    actor = madeBy ?? COMMAND_LINE,
  ): Promise<IssuedKey> {
    const secret = newSecret(isTest);
    const latest = madeBy === undefined ? null : (await this.find(madeBy, madeBy)).expiresAt;
    const row = {
      ...{ id: createId('key'), account_id: accountId, name, hint: secretHint(secret) },
      ...{ secret_hash: hashSecret(secret), scopes: scopes && JSON.stringify(scopes), made_by: madeBy ?? null },
      is_test: isTest ? 1 : 0,
      is_operator: isOperator ? 1 : 0,
      is_administrator: isAdministrator ? 1 : 0,
      ...{ created_at: this.#clock(), expires_at: computeExpiry(expiresInMs, this.#clock(), latest) },
    };
    const key = await this.#database.transaction(async (query) => {
      if (madeBy !== undefined) await lockKey(query, madeBy);
      const inserted = await query.insertInto('api_keys').values(row).returning(COLUMNS).executeTakeFirstOrThrow();
      if (madeBy !== undefined) await this.#checkLimit(accountId, query);
      const key = toKey(inserted);
      await this.#record(query, key, 'key.created', actor, describeKey(key));
      return key;
    }, `keys ${accountId}`);
    await this.#database.flush();
    return { secret, key };
  }

  /** The keys of an account, newest first. */
  async ofAccount(accountId: string, limit: number, after?: Position): Promise<ListPage<ApiKey>> {
    const keys = this.#selectManaged(undefined).where('account_id', '=', accountId);
    return readListPage(keys, { limit, after, toItem: toKey });
  }

  /** The keys of all accounts, oldest first. */
  async all(): Promise<ApiKey[]> {
    return (await this.#selectManaged(undefined).orderBy('created_at').orderBy('id').execute()).map(toKey);
  }

  /** The key itself and those it manages, newest first. */
  async list(by: string, limit: number, after?: Position): Promise<ListPage<ApiKey>> {
    return readListPage(this.#selectManaged(by), { limit, after, toItem: toKey });
  }

  /** The names of those of the keys that `by` manages, by id. */
  async names(by: string | undefined, ids: string[]): Promise<Map<string, string>> {
    const keys = ids.length ? await this.#selectManaged(by).where('id', 'in', ids).execute() : [];
    return new Map(keys.map(({ id, name }) => [id, name]));
  }

  /** `by` is a key, or undefined for the operator. Throws `not_found`. */
  async find(by: string | undefined, id: string): Promise<ApiKey> {
    const row = await this.#selectManaged(by).where('id', '=', id).executeTakeFirst();
    if (!row) throw noSuchKey(id);
    return toKey(row);
  }

  /** Gives a key a new secret; the old one stays valid for `graceMs`. Throws `not_found`, also for a revoked or expired key. */
  async rotate(by: string | undefined, id: string, graceMs: number): Promise<IssuedKey> {
    const { isTest } = await this.find(by, id);
    const secret = newSecret(isTest);
    const key = await this.#database.transaction(async (query) => {
      const row = await query
        .updateTable('api_keys')
        .set((eb) => ({
          ...{ secret_hash: hashSecret(secret), hint: secretHint(secret) },
          previous_secret_hash: graceMs ? eb.ref('secret_hash') : null,
          previous_valid_until: graceMs ? this.#clock() + graceMs : null,
        }))
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .where((eb) => isUnexpired(eb, this.#clock()))
        .returning(COLUMNS)
        .executeTakeFirst();
      if (!row) throw noSuchKey(id);
      await this.#record(query, toKey(row), 'key.rotated', by ?? COMMAND_LINE);
      return toKey(row);
    });
    await this.#database.flush();
    return { secret, key };
  }

  /**
   * Revokes a key and all keys that it manages, because a thief of the key may have made some of them, and removes their
   * certificates. Revoking it again changes nothing. Throws `not_found`.
   */
  async revoke(by: string | undefined, id: string, actor = by ?? COMMAND_LINE): Promise<void> {
    await this.find(by, id);
    await this.#database.transaction(async (query) => {
      // The update waits for a key of the family that is just making another one, but does not see the new key, so it is repeated.
      while (await this.#revokeFamily(query, id, actor));
      // Nobody could use or delete these certificates any more.
      const family = selectFamily(query, id).as('family');
      await query
        .deleteFrom('certificates')
        .where('key_id', 'in', ({ selectFrom }) => selectFrom(family).select('id'))
        .execute();
    });
    await this.#database.flush();
  }

  /** Returns whether there was a key to revoke. */
  async #revokeFamily(query: Query, id: string, actor: Actor): Promise<boolean> {
    const revoked = await query
      .updateTable('api_keys')
      .set({ revoked_at: this.#clock(), previous_secret_hash: null, previous_valid_until: null })
      .where('id', 'in', ({ selectFrom }) => selectFrom(selectFamily(query, id).as('family')).select('id'))
      .where('revoked_at', 'is', null)
      .returning(['id', 'account_id as accountId'])
      .execute();
    for (const key of revoked) await this.#record(query, key, 'key.revoked', actor);
    return revoked.length > 0;
  }

  #record(
    query: Query,
    { id, accountId }: Pick<ApiKey, 'id' | 'accountId'>,
    action: AuditAction,
    actor: Actor,
    changes: AuditChanges = {},
  ): Promise<void> {
    return recordAudit(query, this.#clock(), { actor, action, accountId, objectId: id, changes });
  }

  async #checkLimit(accountId: string, query: Query): Promise<void> {
    const counted = query
      .selectFrom('api_keys')
      .where('account_id', '=', accountId)
      .where((eb) =>
        eb.or([
          eb.and([eb('revoked_at', 'is', null), isUnexpired(eb, this.#clock())]),
          eb('created_at', '>', this.#clock() - DAY_MS),
        ]),
      );
    if ((await readCount(counted)) <= MAX_KEYS) return;
    throw new ServiceError('key_limit', `an account may have ${MAX_KEYS} keys and may create ${MAX_KEYS} a day`, {
      members: { limit: MAX_KEYS },
    });
  }

  #selectManaged(by: string | undefined) {
    const keys = this.#database.query.selectFrom('api_keys').select(COLUMNS);
    if (by === undefined) return keys;
    return keys.where('id', 'in', ({ selectFrom }) =>
      selectFrom(selectFamily(this.#database.query, by).as('family')).select('id'),
    );
  }
}

/** Keeps a key from being revoked until the end of the transaction. Throws `unauthorized` if it is revoked already. */
export async function lockKey(query: Query, id: string): Promise<void> {
  const { numUpdatedRows } = await query
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.ref('revoked_at') }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (!numUpdatedRows) throw new ServiceError('unauthorized', 'the API key was revoked');
}

/** The ids of a key and of all keys that it manages. */
function selectFamily(query: Query, id: string) {
  return query
    .withRecursive('family', (family) =>
      family
        .selectFrom('api_keys')
        .select('id')
        .where('id', '=', id)
        .unionAll(family.selectFrom('family').innerJoin('api_keys', 'made_by', 'family.id').select('api_keys.id')),
    )
    .selectFrom('family')
    .select('id');
}

function toKey({ scopes, is_test, is_administrator, ...row }: KeyRow): ApiKey {
  return { ...row, scopes: readScopes(scopes), isTest: is_test === 1, isAdministrator: is_administrator === 1 };
}

/** What the audit log tells about a new key. */
function describeKey({ name, scopes, isTest, isAdministrator, expiresAt }: ApiKey): AuditChanges {
  const expires_at = expiresAt === null ? null : new Date(expiresAt).toISOString();
  return describeCreated({ name, scopes, test: isTest, administrator: isAdministrator, expires_at });
}

/** A key must not make itself permanent through another key. */
function computeExpiry(expiresInMs: number | undefined, now: number, latest: number | null): number | null {
  if (expiresInMs === undefined) return latest;
  if (latest === null || now + expiresInMs <= latest) return now + expiresInMs;
  const seconds = Math.max(0, Math.floor((latest - now) / 1_000));
  const message = `must be at most ${seconds}, because the key that makes it expires then`;
  throw invalidRequest([{ path: 'expires_in', message }]);
}

/** Whether a key works with the secret of this hash: its own, or the one before a rotation for a time. */
export function opensWith(eb: Condition<'api_keys'>, hash: Operand<string>, now: number) {
  const isPrevious = eb.and([eb('previous_secret_hash', '=', hash), eb('previous_valid_until', '>', now)]);
  return eb.and([eb.or([eb('secret_hash', '=', hash), isPrevious]), isUnexpired(eb, now)]);
}

function isUnexpired(eb: Condition<'api_keys'>, now: number) {
  return eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]);
}

export function readScopes(column: string | null): Scopes {
  return column === null ? null : (JSON.parse(column) as Scope[]);
}

function noSuchKey(id: string): ServiceError {
  return new ServiceError('not_found', `there is no key ${JSON.stringify(id.slice(0, 64))}`);
}
