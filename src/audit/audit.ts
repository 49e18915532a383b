/**
 * The audit log: what administrators, the command line and keys changed about accounts and keys. An entry is written in the
 * transaction of its change. No entry is ever changed, except that the names of a deleted account and its keys are removed.
 */
import type { Clock } from '../clock.ts';
import { createId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, type Position, readListPage } from '../storage/listing.ts';
import type { Selected } from '../storage/tables.ts';

export const AUDIT_ACTIONS = [
  ...(['account.created', 'account.changed', 'account.deleted'] as const),
  ...(['key.created', 'key.rotated', 'key.revoked', 'webhook.resent'] as const),
];
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The id of the key that made a change, or `COMMAND_LINE`. */
export type Actor = string;
export const COMMAND_LINE: Actor = 'command line';

/** The values of a field before and after a change. One of them is left out if the object was created or deleted. */
interface AuditChange {
  before?: unknown;
  after?: unknown;
}
export type AuditChanges = Record<string, AuditChange>;

export interface NewAuditEntry {
  actor: Actor;
  action: AuditAction;
  /** The account that the object belongs to. */
  accountId: string;
  /** The id of the account, key or webhook that was changed. */
  objectId: string;
  /** Never secrets. The values of `name` are kept apart, because they are removed with their account. */
  changes?: AuditChanges;
}

export type AuditEntry = Required<NewAuditEntry> & Position;

export interface AuditFilter {
  actor?: string | undefined;
  action?: AuditAction | undefined;
  accountId?: string | undefined;
  objectId?: string | undefined;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
}

const COLUMNS = [
  ...(['id', 'created_at as createdAt', 'actor', 'action', 'account_id as accountId', 'object_id as objectId'] as const),
  ...(['names', 'changes'] as const),
] as const;
const REMOVED_AT_ONCE = 500;

/** Writes an entry. Call it with the query of the transaction that makes the change. */
export async function recordAudit(query: Query, now: number, entry: NewAuditEntry): Promise<void> {
  const { actor, action, accountId, objectId, changes: { name, ...changes } = {} } = entry;
  await query
    .insertInto('audit_entries')
    .values({
      ...{ id: createId('aud'), created_at: now, actor, action, account_id: accountId, object_id: objectId },
      names: name ? JSON.stringify(name) : null,
      changes: JSON.stringify(changes),
    })
    .execute();
}

/** The fields whose values differ. */
export function compareFields(before: Record<string, unknown>, after: Record<string, unknown>): AuditChanges {
  const changed = Object.entries(after).filter(([field, value]) => value !== undefined && value !== before[field]);
  return Object.fromEntries(changed.map(([field, value]) => [field, { before: before[field], after: value }]));
}

/** The fields of a new object. */
export function describeCreated(fields: Record<string, unknown>): AuditChanges {
  return Object.fromEntries(Object.entries(fields).map(([field, after]) => [field, { after }]));
}

export class AuditLog {
  readonly #database: Database;
  readonly #clock: Clock;
  /** How long entries are kept. */
  readonly #keptMs: number;

  constructor(database: Database, clock: Clock, { auditLogMs }: { auditLogMs: number }) {
    this.#database = database;
    this.#clock = clock;
    this.#keptMs = auditLogMs;
  }

  /** Newest first, starting after the position `after`. */
  async list(limit: number, filter: AuditFilter, after?: Position): Promise<ListPage<AuditEntry>> {
    const { actor, action, accountId, objectId, createdAfter, createdBefore } = filter;
    const entries = this.#database.query
      .selectFrom('audit_entries')
      .select(COLUMNS)
      .where('created_at', '>', Math.max(createdAfter ?? 0, this.#oldest()))
      .$if(createdBefore !== undefined, (rows) => rows.where('created_at', '<', createdBefore as number))
      .$if(accountId !== undefined, (rows) => rows.where('account_id', '=', accountId as string));
    const search = (rows: typeof entries) =>
      rows
        .$if(actor !== undefined, (some) => some.where('actor', '=', actor as string))
        .$if(action !== undefined, (some) => some.where('action', '=', action as string))
        .$if(objectId !== undefined, (some) => some.where('object_id', '=', objectId as string));
    const isSearch = [actor, action, objectId].some((value) => value !== undefined);
    return readListPage(entries, { limit, after, toItem: toEntry, search: isSearch ? search : undefined });
  }

  async removeOld(): Promise<void> {
    for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE; ) {
      const { numDeletedRows } = await this.#database.query
        .deleteFrom('audit_entries')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('audit_entries')
            .select('id')
            .where('created_at', '<=', this.#oldest())
            .orderBy('created_at')
            .limit(REMOVED_AT_ONCE),
        )
        .executeTakeFirstOrThrow();
      removed = Number(numDeletedRows);
    }
  }

  #oldest(): number {
    return this.#clock() - this.#keptMs;
  }
}

function toEntry({ names, changes, action, ...row }: Selected<'audit_entries', (typeof COLUMNS)[number]>): AuditEntry {
  const name = names === null ? {} : { name: JSON.parse(names) as AuditChange };
  return { ...row, action: action as AuditAction, changes: { ...name, ...(JSON.parse(changes) as AuditChanges) } };
}
