/** What the queue of batch items hands out and takes back: claims and outcomes. */
import type { FieldError } from '../errors.ts';
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
  /** When the batch was created. */
  createdAt: number;
  /** The trace context of the request that created the batch; null if none was recorded. */
  traceparent: string | null;
  /** The encrypted request of the item and defaults of the batch. */
  ciphertext: { item: Uint8Array; defaults: Uint8Array | undefined };
}

export type Outcome =
  | { status: 'succeeded'; document: { id: string; pages: number; bytes: number; expiresAt: number } }
  | {
      status: 'failed';
      error: ItemError /** Whether its request is kept, so that the item can be run again. */;
      keepsRequest?: boolean;
    };

export interface ItemError {
  code: string;
  detail: string;
  errors?: FieldError[];
}

export interface Completed {
  /** How many items have this outcome: the item and its duplicates. */
  items: number;
  batchEnded: boolean;
}

/** An item with its outcome. */
export interface EndedItem {
  position: number;
  reference: string | null;
}

/** The number of items that were cancelled when they were put back, because their batch had been cancelled in the meantime. */
export type CancelledAfterRequeue = Completed & { batchId: string };

/** Another process has claimed the item: the caller must roll back what it did. */
export class ClaimLostError extends Error {
  override name = 'ClaimLostError';
}
