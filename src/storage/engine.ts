/** What both SQLite and PostgreSQL offer: the part of `Database` that differs between them. */
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
  readonly query: Query;
  /** Whether other nodes may use the database too. */
  readonly isShared: boolean;
  /** Calls `migrate` with a connection that has no time limits, and the schema of the tables if the database has several. */
  migrate(migrate: (query: Query, schema?: string) => Promise<void>): Promise<void>;
  /**
   * Runs `work` in a transaction, and again from its beginning after a conflict with another one. `work` must use only the query
   * passed to it, and its first statement must write, because a transaction that reads first may find the database changed when it
   * writes.
   *
   * Other transactions may be committed between two statements, and a changed row stays locked until the end. If that is not
   * enough, for example to limit the number of rows, pass `lockName`: transactions with the same value wait for each other.
   */
  transaction<T>(work: (query: Query) => Promise<T>, lockName?: string): Promise<T>;
  /** Runs `work`, unless another node is running work under this name. */
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  /** Registers this process as a node. Throws `storage_failed` if it, or another node, must be alone. */
  joinNodes(options: NodesOptions): Promise<Nodes>;
  /** Opens a pool for a library that connects to the server itself; absent for SQLite. The caller closes the pool. */
  connections?(name: string, max: number): Pool;
  /** Throws while this node is refused; see `Nodes`. Users of `connections` must call it. */
  checkNode?(): void;
  /**
   * Resolves when everything committed so far survives a power failure. A commit alone survives only the end of the process, so
   * flush before you report a change to a caller.
   */
  flush(): Promise<void>;
  /** Truncates the log of the database, which still contains deleted rows. */
  scrub(): Promise<void>;
  /** Call this after `query` has been closed. */
  release(): Promise<void>;
}

/** A commit was sent and not confirmed: it may have been executed, or may still be. */
export class OutcomeUnknownError extends Error {
  override name = 'OutcomeUnknownError';
}
