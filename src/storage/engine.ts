/** The part of `Database` that differs between SQLite and PostgreSQL. */
import type { Pool } from 'pg';
import type { Query } from './tables.ts';

export interface NodesOptions {
  /** Whether this node must be the only one. */
  alone: boolean;
  onNotice(notice: string): void;
  /** Called when the connection was lost and another node joined in the meantime with which this one must not run. */
  onRefused?(error: unknown): void;
}

/** The membership of this node among the nodes of one database. */
export interface Nodes {
  /** Sends a notice to all other nodes that are listening. Does not wait for delivery. */
  notify(notice: string): void;
  /**
   * Throws `storage_failed` while this node is refused, or while it must be the only node and cannot know whether it is.
   * Statements throw it too, so that the node does nothing until it has its lock again.
   */
  check(): void;
  close(): Promise<void>;
}

export interface Engine {
  query: Query;
  isShared: boolean;
  /** Calls `migrate` with a connection that has no time limits, and the schema of the tables if the database has several. */
  migrate(migrate: (query: Query, schema?: string) => Promise<void>): Promise<void>;
  transaction<T>(work: (query: Query) => Promise<T>, oneByOne?: string): Promise<T>;
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  joinNodes(options: NodesOptions): Promise<Nodes>;
  connections?(name: string, max: number): Pool;
  checkNode?(): void;
  flush(): Promise<void>;
  scrub(): Promise<void>;
  /** Call this after `query` has been closed. */
  release(): Promise<void>;
}

export interface DatabaseState {
  /** Number of API keys. */
  keys: number;
  /** Migrations that the next start applies. */
  pending: string[];
  /** Migrations of a newer version. */
  unknown: string[];
  /** The number of certificates by the id of the secret key that encrypts them. */
  certificates: Record<string, number>;
  /** The plans of the accounts that are not deleted. */
  plans: string[];
}

/** The statement behind `plans`. Databases of earlier versions do not know deleted accounts. */
export function selectPlans(applied: string[]): string {
  const isKnown = applied.includes('0022-account-states');
  return `select distinct plan from accounts${isKnown ? ' where deleted_at is null' : ''} order by plan`;
}

/** The statement behind `certificates`. */
export const CERTIFICATES = 'select secret_key_id, count(*) as certificates from certificates group by secret_key_id';

export function countBySecretKey(rows: Array<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(rows.map(({ secret_key_id, certificates }) => [`${secret_key_id}`, Number(certificates)]));
}

/** A commit was sent and not confirmed: it may have been executed, or may still be. */
export class OutcomeUnknownError extends Error {
  override name = 'OutcomeUnknownError';
}
