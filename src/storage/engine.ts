/** What differs between one kind of database and another; see `Database`, which is made of it. */
import type { Pool } from 'pg';
import type { Query } from './tables.ts';

export interface NodesOptions {
  /** Whether there may be no other node. */
  alone: boolean;
  onNotice(notice: string): void;
  /** The connection was lost, and meanwhile another node came beside which this one may not be. */
  onRefused?(error: unknown): void;
}

/** This node among those of one database. */
export interface Nodes {
  /** Tells all other nodes, as far as they listen; nothing waits for it. */
  notify(notice: string): void;
  /**
   * Throws `storage_failed` while this node is refused, or has to be alone and cannot know whether it is. Statements do, too,
   * so that it does nothing more until it has its lock again.
   */
  check(): void;
  close(): Promise<void>;
}

export interface Engine {
  query: Query;
  isShared: boolean;
  /** Calls `migrate` with what may take long. */
  migrate(migrate: (query: Query) => Promise<void>): Promise<void>;
  transaction<T>(work: (query: Query) => Promise<T>, oneByOne?: string): Promise<T>;
  exclusively(name: string, work: () => Promise<void>): Promise<void>;
  joinNodes(options: NodesOptions): Promise<Nodes>;
  connections?(name: string, max: number): Pool;
  checkNode?(): void;
  flush(): Promise<void>;
  scrub(): Promise<void>;
  /** After `query` has been closed. */
  release(): Promise<void>;
}

export interface DatabaseState {
  /** Number of API keys. */
  keys: number;
  /** Migrations that the next start applies. */
  pending: string[];
  /** Migrations of a newer version. */
  unknown: string[];
}

/** A commit was sent, and no answer came: it may be done, or be done later. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}
