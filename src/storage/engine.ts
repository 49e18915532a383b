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
  transaction<T>(work: (query: Query) => Promise<T>, lockName?: string): Promise<T>;
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  joinNodes(options: NodesOptions): Promise<Nodes>;
  connections?(name: string, max: number): Pool;
  checkNode?(): void;
  flush(): Promise<void>;
  scrub(): Promise<void>;
  /** Call this after `query` has been closed. */
  release(): Promise<void>;
}

/** A commit was sent and not confirmed: it may have been executed, or may still be. */
export class OutcomeUnknownError extends Error {
  override name = 'OutcomeUnknownError';
}
