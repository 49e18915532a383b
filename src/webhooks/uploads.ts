/**
 * Uploads of results to addresses that callers named. They are stored in the transaction that stores the result, in the table of
 * webhook deliveries, and leased to attempts in the same way. The URL is a secret: the row has its origin in plain text and the
 * rest encrypted.
 */
import type { Accounts } from '../accounts/accounts.ts';
import type { Clock } from '../clock.ts';
import { type Documents, documentType } from '../documents/documents.ts';
import { hasCode } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Database, Query } from '../storage/database.ts';
import type { PayloadCipher } from '../storage/payload-cipher.ts';
import type { Selected, Tables } from '../storage/tables.ts';
import { type AttemptResult, ContentUnavailableError, mayRetry, type StreamedBody } from './attempt.ts';
import { deliveryRow } from './delivery-row.ts';
import type { UploadTarget } from './upload-target.ts';

interface UploadOrder extends UploadTarget {
  documentId: string;
  /** Whether the document is kept only for the upload. */
  isHeld: boolean;
}

interface NewUpload extends UploadOrder {
  accountId: string;
  keyId: string;
  /** The batch item, or the only item of an asynchronous render. */
  item: { batchId: string; position: number };
  bytes: number;
}

const REPORT_COLUMNS = ['host', 'status', 'attempts', 'response_status as responseStatus', 'error'] as const;
/** The state of an upload, as its owner sees it. */
export type UploadReport = Selected<'webhook_deliveries', (typeof REPORT_COLUMNS)[number]>;

/** A row that is leased to an attempt. */
type ClaimedUpload = Pick<Tables['webhook_deliveries'], 'id' | 'key_id' | 'batch_id'> & { payload: string };

interface OpenedUpload extends UploadOrder {
  body: StreamedBody;
  /** When the document expires, after which it cannot be uploaded. */
  expiresAt: number;
}

export interface UploadServices {
  database: Database;
  cipher: PayloadCipher;
  clock: Clock;
  jobs: Pick<Jobs, 'add'>;
  accounts: Pick<Accounts, 'isRevoked'>;
  documents: Pick<Documents, 'findLinked' | 'read' | 'markDeleted' | 'removeContent'>;
  /**
   * Called in the transaction that ends an upload of the batch. Returns whether this was the last upload of a batch that has
   * ended.
   */
  onUploadEnded(batchId: string, query: Query): Promise<boolean>;
  /** Called after the commit if `onUploadEnded` returned true. */
  onBatchUploaded(batchId: string): void;
}

const TYPE = 'upload';
/** The transfer rate that the time-out allows for, in addition to the time that the receiver has to respond. */
const MIN_BYTES_PER_MS = 256;
const MAX_SENDING_MS = 600_000;

/** The time-out of an attempt, which depends on the size of the document that `payload` begins with. */
export function uploadTimeoutMs(payload: string, answerMs: number): number {
  const bytes = Number(payload.slice(0, payload.indexOf(' ')));
  return answerMs + Math.min(MAX_SENDING_MS, Math.ceil(bytes / MIN_BYTES_PER_MS));
}

export async function hasPendingUpload(query: Query, batchId: string): Promise<boolean> {
  const pending = await query
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('batch_id', '=', batchId)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst();
  return pending !== undefined;
}

/** The uploads of a batch by item position. */
export async function uploadReports(query: Query, batchId: string): Promise<Map<number, UploadReport>> {
  const rows = await query
    .selectFrom('webhook_deliveries')
    .select(['batch_position', ...REPORT_COLUMNS])
    .where('batch_id', '=', batchId)
    .execute();
  return new Map(rows.map(({ batch_position, ...report }) => [batch_position ?? 0, report]));
}

/** The upload in the form in which records and events show it. */
export function uploadRecord({ status, attempts, responseStatus, error }: UploadReport) {
  return {
    ...{ status, attempts },
    ...(responseStatus !== null && { http_status: responseStatus }),
    ...(error !== null && { error }),
  };
}

export async function removeUploads(query: Query, batchId: string): Promise<void> {
  await query.deleteFrom('webhook_deliveries').where('batch_id', '=', batchId).execute();
}

export class Uploads {
  readonly #services: UploadServices;

  constructor(services: UploadServices) {
    this.#services = services;
  }

  /** Runs in the transaction of the caller, so that the result and its upload are stored together or not at all. */
  async enqueue({ accountId, keyId, item, bytes, ...order }: NewUpload, query: Query): Promise<void> {
    const now = this.#services.clock();
    const id = createId('upl');
    const kept: UploadOrder = order;
    const payload = `${bytes} ${this.#services.cipher.encrypt(kept, id).toString('base64')}`;
    const row = deliveryRow({ id, accountId, keyId, type: TYPE, url: new URL(order.url).origin, payload, now });
    await query
      .insertInto('webhook_deliveries')
      .values({ ...row, next_upload_at: now, batch_id: item.batchId, batch_position: item.position })
      .execute();
    await this.#services.jobs.add('upload', accountId, query);
  }

  /** Prepares the request of an attempt. Returns undefined if the document was removed or the key was revoked. */
  async open({ id, key_id, payload }: ClaimedUpload): Promise<OpenedUpload | undefined> {
    const { accounts, cipher, documents } = this.#services;
    if (await accounts.isRevoked(key_id)) return undefined;
    const ciphertext = Buffer.from(payload.slice(payload.indexOf(' ') + 1), 'base64');
    const order = cipher.decrypt(ciphertext, id) as UploadOrder;
    const document = await documents.findLinked(order.documentId).catch((error: unknown) => {
      if (hasCode(error, 'not_found', 'document_expired', 'document_deleted')) return undefined;
      throw error;
    });
    if (!document) return undefined;
    const headers = { 'content-type': documentType(document), ...order.headers, 'user-agent': 'Platen' };
    const open = () =>
      documents.read(document).catch((cause: unknown) => {
        throw new ContentUnavailableError('the document could not be read', { cause });
      });
    return { ...order, headers, body: { bytes: document.bytes, open }, expiresAt: document.expiresAt };
  }

  /** Runs in the transaction that ends the upload. Returns a function to call after the commit. */
  async settle(
    { batch_id }: ClaimedUpload,
    opened: OpenedUpload | undefined,
    isDelivered: boolean,
    query: Query,
  ): Promise<() => Promise<void>> {
    const { documents, onUploadEnded, onBatchUploaded } = this.#services;
    const released = isDelivered && opened?.isHeld ? opened.documentId : undefined;
    if (released !== undefined) await documents.markDeleted(released, query);
    const isLast = batch_id !== null && (await onUploadEnded(batch_id, query));
    return async () => {
      if (isLast) onBatchUploaded(batch_id);
      if (released !== undefined) await documents.removeContent(released); // if this fails, the sweep removes it later
    };
  }
}

const REQUEST_TIMEOUT = 408;
const TOO_EARLY = 425;

/**
 * Whether a retry may succeed. Object stores have more temporary statuses than webhook receivers. A rejected signature stays
 * rejected.
 */
export function mayRetryUpload(result: AttemptResult): boolean {
  return result.status === REQUEST_TIMEOUT || result.status === TOO_EARLY || mayRetry(result);
}
