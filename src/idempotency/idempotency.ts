/**
 * Idempotency keys: the first request with a key gets the right to run, and later ones get its answer. The record of
 * an answer is written in the transaction that charges for it, so that either both happen or neither.
 */
import type { Readable } from 'node:stream';
import type { Leases } from '../accounts/leases.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { type Database, isOutcomeUnknown, type Query } from '../storage/database.ts';

/** The right to run a request, until `complete` or `abandon` is called. */
export interface Claim {
  keyId: string;
  name: string;
  id: string;
}

/** The report of a render, which is repeated unchanged. */
interface Report {
  warning_count: number;
}

/** The data from which a reply is repeated. */
export type Answer =
  | { kind: 'json'; status: number; location?: string; body: unknown }
  | { kind: 'document'; documentId: string; asked: boolean; remaining: number | null }
  | {
      kind: 'file';
      /** Media type. */
      type: string;
      bytes: number;
      /** Of a PDF. */
      pages?: number;
      /** Of an image, in pixels. */
      width?: number;
      height?: number;
      filename: string | null;
      remaining: number | null;
      report: Report;
    }
  | { kind: 'batch'; batchId: string }
  | { kind: 'not_kept' };

/** Objects that belong to a record and end with it. */
export interface Attached {
  resourceId?: string;
  /** A blob that the record owns, and how long the plan allows to keep it. */
  blob?: { name: string; keptMs: number };
}

const KEPT_MS = 24 * 3_600_000;
const NOT_KEPT: Answer = { kind: 'not_kept' };

export class Idempotency {
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  readonly #leases: Leases;

  constructor(database: Database, blobs: Blobs, clock: Clock, leases: Leases) {
    this.#database = database;
    this.#blobs = blobs;
    this.#clock = clock;
    this.#leases = leases;
  }

  /**
   * `fingerprint` identifies the request. Throws `idempotency_mismatch` if the key was used for another request, and
   * `idempotency_running` while the first request is running, or until its lease ends if its process has died.
   */
  async claim(keyId: string, name: string, fingerprint: string): Promise<Claim | Answer> {
    await this.#forgetExpired(keyId, name);
    const claim = { keyId, name, id: createId('clm') };
    if (await this.#take(claim, fingerprint)) {
      this.#leases.hold(this.#renew, claim.id);
      return claim;
    }
    return this.#answer(keyId, name, fingerprint);
  }

  /** Keeps the answer for 24 hours. Call it inside the transaction of the request. */
  async complete(claim: Claim, answer: Answer, query: Query, { resourceId, blob }: Attached = {}): Promise<void> {
    const now = this.#clock();
    const { numUpdatedRows } = await query
      .updateTable('idempotency_keys')
      .set({
        answer: JSON.stringify(answer),
        resource_id: resourceId ?? null,
        blob: blob?.name ?? null,
        blob_until: blob ? now + Math.min(KEPT_MS, blob.keptMs) : null,
        expires_at: now + KEPT_MS,
      })
      .where('key_id', '=', claim.keyId)
      .where('name', '=', claim.name)
      .where('claim', '=', claim.id)
      .executeTakeFirstOrThrow();
    this.#leases.drop(this.#renew, claim.id);
    // The lease expired while this process was suspended, and another request took over. This one is rolled back.
    if (!numUpdatedRows) throw this.#running(this.#leases.until());
  }

  /** Completes a request that changes nothing but this record. */
  async completeAlone(claim: Claim, answer: Answer, attached?: Attached): Promise<void> {
    await this.complete(claim, answer, this.#database.query, attached);
    await this.#database.flush();
  }

  /** Releases the key after a failure, so that the next request runs. Does nothing if the claim is complete. */
  async abandon(claim: Claim): Promise<void> {
    this.#leases.drop(this.#renew, claim.id);
    await this.#database.query.deleteFrom('idempotency_keys').where('claim', '=', claim.id).where('answer', 'is', null).execute();
  }

  /** Stores the PDF or the image of an answer. Pass the returned name to `complete`. Throws `storage_failed`. */
  async keep(chunks: readonly Buffer[]): Promise<string> {
    const name = createId('idm');
    await this.#blobs.put(name, chunks);
    return name;
  }

  /** Removes what `keep` wrote, if the answer could not be completed. If it is unknown whether it was, the sweep decides later. */
  async discard(blob: string, reason?: unknown): Promise<void> {
    if (!isOutcomeUnknown(reason)) await this.#blobs.remove(blob);
  }

  /** Reads what `keep` stored. Throws `idempotency_result_gone`. */
  async read(claimed: { keyId: string; name: string }): Promise<Readable> {
    const row = await this.#database.query
      .selectFrom('idempotency_keys')
      .select('blob')
      .where('key_id', '=', claimed.keyId)
      .where('name', '=', claimed.name)
      .where('blob_until', '>', this.#clock())
      .executeTakeFirst();
    const content = row?.blob ? await this.#blobs.read(row.blob) : undefined;
    if (!content) throw resultGone();
    return content;
  }

  /** Returns up to `limit` blobs that are due for removal, the oldest first. */
  async dueContent(limit: number): Promise<string[]> {
    const rows = await this.#database.query
      .selectFrom('idempotency_keys')
      .select('blob')
      .where('blob_until', '<=', this.#clock())
      .orderBy('blob_until')
      .limit(limit)
      .execute();
    return rows.flatMap(({ blob }) => blob ?? []);
  }

  /**
   * Removes the content before its name in the row, so that an interrupted removal is repeated. The report is removed with it.
   */
  async removeContent(blob: string): Promise<void> {
    await this.#blobs.remove(blob);
    await this.#database.query
      .updateTable('idempotency_keys')
      .set({ answer: JSON.stringify(NOT_KEPT), blob: null, blob_until: null })
      .where('blob', '=', blob)
      .execute();
  }

  /** Removes expired records. Those with content stay until it has been removed. */
  async removeExpired(): Promise<void> {
    await this.#database.query
      .deleteFrom('idempotency_keys')
      .where('expires_at', '<=', this.#clock())
      .where('blob', 'is', null)
      .execute();
  }

  async #take(claim: Claim, fingerprint: string): Promise<boolean> {
    const now = this.#clock();
    const values = { claim: claim.id, fingerprint, lease_until: this.#leases.until(), expires_at: now + KEPT_MS };
    const row = await this.#database.query
      .insertInto('idempotency_keys')
      .values({ key_id: claim.keyId, name: claim.name, ...values, answer: null, resource_id: null, blob: null, blob_until: null })
      .onConflict((conflict) =>
        conflict
          .columns(['key_id', 'name'])
          .doUpdateSet(values) // the process that ran the first request died without an answer
          .where('idempotency_keys.answer', 'is', null)
          .where('idempotency_keys.lease_until', '<=', now),
      )
      .returning('claim')
      .executeTakeFirst();
    return row !== undefined;
  }

  async #answer(keyId: string, name: string, fingerprint: string): Promise<Answer> {
    const row = await this.#database.query
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'answer', 'lease_until'])
      .where('key_id', '=', keyId)
      .where('name', '=', name)
      .executeTakeFirst();
    if (row && row.fingerprint !== fingerprint)
      throw new ServiceError(
        'idempotency_mismatch',
        'this Idempotency-Key was used for a different request before; use a new one',
      );
    if (!row?.answer) throw this.#running(row?.lease_until ?? 0);
    return toAnswer(JSON.parse(row.answer) as Answer | EarlierFile);
  }

  #running(leaseUntil: number): ServiceError {
    const detail = 'the first request with this Idempotency-Key is still running';
    const retryAfterSeconds = Math.max(1, Math.ceil((leaseUntil - this.#clock()) / 1_000));
    return new ServiceError('idempotency_running', detail, { retryAfterSeconds });
  }

  /** Removes an expired record that no sweep has removed yet, so that it does not block a new request. */
  async #forgetExpired(keyId: string, name: string): Promise<void> {
    const row = await this.#database.query
      .selectFrom('idempotency_keys')
      .select('blob')
      .where('key_id', '=', keyId)
      .where('name', '=', name)
      .where('expires_at', '<=', this.#clock())
      .executeTakeFirst();
    if (!row) return;
    if (row.blob) await this.removeContent(row.blob);
    await this.#database.query
      .deleteFrom('idempotency_keys')
      .where('key_id', '=', keyId)
      .where('name', '=', name)
      .where('expires_at', '<=', this.#clock())
      .execute();
  }

  readonly #renew = async (claims: string[], until: number): Promise<void> => {
    await this.#database.query.updateTable('idempotency_keys').set({ lease_until: until }).where('claim', 'in', claims).execute();
  };
}

/** A file as it is stored in databases of versions that told PDFs and images apart. */
type EarlierFile = Omit<Extract<Answer, { kind: 'file' }>, 'kind' | 'type'> & ({ kind: 'pdf' } | { kind: 'image'; type: string });

function toAnswer(stored: Answer | EarlierFile): Answer {
  if (stored.kind === 'pdf') return { ...stored, kind: 'file', type: 'application/pdf' };
  return stored.kind === 'image' ? { ...stored, kind: 'file' } : stored;
}

/** The error for a reply that cannot be repeated any more. */
export function resultGone(
  detail = 'the request with this Idempotency-Key was answered and charged; its result is no longer stored',
): ServiceError {
  return new ServiceError('idempotency_result_gone', detail);
}
