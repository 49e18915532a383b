/** The queue of items, as the runner sees it: claim the next, render it, complete it together with its document, or put it back. */
import type { FieldError } from '../errors.ts';
import type { Query } from '../storage/database.ts';
import type { RenderKind } from './batch-request.ts';

/** The right to render an item, and all that are the same. It ends with `complete` or `release`, or with its lease. */
export interface ClaimedItem {
  claim: string;
  keyId: string;
  batchId: string;
  kind: RenderKind;
  position: number;
  /** How often it was claimed, this time included. */
  attempts: number;
  /** The trace of the request that made the batch; null where none was recorded. */
  traceparent: string | null;
  /** What it asks for and the defaults of its batch, encrypted. */
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
  /** How many items have this outcome: those that are the same share it. */
  items: number;
  /** Whether the batch has no more to do. */
  batchEnded: boolean;
}

/** Items that came back to a batch that was cancelled meanwhile. */
export interface CancelledLate extends Completed {
  batchId: string;
}

/** An item was taken over by another process: whatever this one did is to be undone. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

export interface BatchQueue {
  /** Keys with items that can be claimed now. */
  keysWithWork(): Promise<string[]>;
  /** The first item of the oldest batch of a key. */
  claim(keyId: string): Promise<ClaimedItem | undefined>;
  /** When the next item of a key can be claimed. Undefined: none is waiting. */
  nextDueAt(keyId: string): Promise<number | undefined>;
  /** Within the transaction of the document, where there is one. Throws `ClaimLost`. */
  complete(item: ClaimedItem, outcome: Outcome, query?: Query): Promise<Completed>;
  /**
   * Puts it back; it can be claimed again after `afterMs`. With `uncounted`, this claim is none of its attempts. Resolves to what was
   * cancelled instead, where its batch was.
   */
  release(item: ClaimedItem, afterMs: number, options?: { uncounted: boolean }): Promise<CancelledLate[]>;
  /**
   * Puts back what was claimed by processes that have died: where their leases have ended, or, when nobody else can be there, all.
   * Resolves as `release` does.
   */
  recover(options?: { alone: boolean }): Promise<CancelledLate[]>;
  /** Items that are waiting. */
  waiting(): Promise<number>;
}
