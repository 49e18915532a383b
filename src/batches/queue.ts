/**
 * The interface of the queue of batch items: claim the next item, then complete it together with its document, or put it back.
 */
import type { FieldError } from '../errors.ts';
import type { Query } from '../storage/database.ts';
import type { RenderKind } from './batch-request.ts';

/**
 * The right to render an item on behalf of itself and its duplicates. It ends with `complete`, `release` or the end of its lease.
 */
export interface ClaimedItem {
  claim: string;
  keyId: string;
  batchId: string;
  kind: RenderKind;
  position: number;
  /** How often the item was claimed, including this claim. */
  attempts: number;
  /** The trace context of the request that created the batch; null if none was recorded. */
  traceparent: string | null;
  /** The encrypted request of the item and defaults of the batch. */
  ciphertext: { item: Uint8Array; defaults: Uint8Array | undefined };
}

export type Outcome =
  | { status: 'succeeded'; document: { id: string; pages: number; bytes: number; expiresAt: number } }
  | { status: 'failed'; error: ItemError };

export interface ItemError {
  code: string;
  detail: string;
  errors?: FieldError[];
}

export interface Completed {
  /** How many items have this outcome: the item and its duplicates. */
  items: number;
  /** Whether this ended the batch. */
  batchEnded: boolean;
}

/** The number of items that were cancelled when they were put back, because their batch had been cancelled in the meantime. */
export interface CancelledAfterRequeue extends Completed {
  batchId: string;
}

/** Another process has claimed the item: the caller must roll back what it did. */
export class ClaimLostError extends Error {
  override name = 'ClaimLostError';
}

export interface BatchQueue {
  /** The ids of keys with items that can be claimed now. */
  keysWithWork(): Promise<string[]>;
  /** Claims the first due item of the oldest batch of the key that has one, of a kind that this version can render. */
  claim(keyId: string): Promise<ClaimedItem | undefined>;
  /** The time until the next item of a key can be claimed, and whether this version can render its kind; undefined if none is queued. */
  nextDue(keyId: string): Promise<{ afterMs: number; isOfKnownKind: boolean } | undefined>;
  /** Runs in the transaction that stores the document, if `query` is given. Throws `ClaimLostError`. */
  complete(item: ClaimedItem, outcome: Outcome, query?: Query): Promise<Completed>;
  /**
   * Puts the item back; it can be claimed again after `afterMs`. With `uncounted`, this claim does not count as an attempt.
   * Resolves to the items that were cancelled instead, if their batch had been cancelled.
   */
  release(item: ClaimedItem, afterMs: number, options?: { uncounted: boolean }): Promise<CancelledAfterRequeue[]>;
  /**
   * Puts back the items of processes that have died: those whose leases have expired, or, with `alone` (no other process can be
   * running), all. Resolves as `release` does.
   */
  recover(options?: { alone: boolean }): Promise<CancelledAfterRequeue[]>;
  /** The number of queued canonical items. */
  countWaiting(): Promise<number>;
}
