/**
 * Results on their way to addresses that callers named: written down in the transaction that stores the result, as rows beside those
 * of webhooks, and lent to attempts in the same way. The address is a secret: the row has its origin, and the rest encrypted.
 */
import type { Readable } from 'node:stream';
import type { Accounts } from '../accounts/accounts.ts';
import type { Clock } from '../accounts/leases.ts';
import { randomBase62 } from '../accounts/secret.ts';
import { hasCode } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Database, Query } from '../storage/database.ts';
import type { PayloadCipher } from '../storage/payload-cipher.ts';
import { type AttemptResult, ContentUnavailable, mayArrive, type StreamedBody } from './attempt.ts';
import { deliveryRow } from './delivery-row.ts';
import type { UploadTarget } from './upload-target.ts';
import type { DeliveryStatus } from './webhooks.ts';

interface UploadOrder extends UploadTarget {
  documentId: string;
  /** Whether the document is kept for the upload alone. */
  isHeld: boolean;
}

export interface NewUpload extends UploadOrder {
  accountId: string;
  keyId: string;
  /** The item of a batch, or of the batch that is one render. */
  item: { batchId: string; position: number };
  /** Of the document. */
  bytes: number;
}

/** What became of an upload, for its owner. */
export interface UploadReport {
  host: string;
  status: DeliveryStatus;
  attempts: number;
  /** Of the last attempt. */
  responseStatus: number | null;
  error: string | null;
}

/** A row that is lent to an attempt. */
interface LentUpload {
  id: string;
  keyId: string;
  batchId: string | null;
  payload: string;
}

export interface OpenedUpload extends Pick<UploadOrder, 'url' | 'headers' | 'documentId' | 'isHeld'> {
  body: StreamedBody;
  /** When there is nothing to upload any more. */
  expiresAt: number;
}

interface Stored {
  id: string;
  /** Undefined for a PDF. */
  image?: { type: string } | undefined;
  bytes: number;
  expiresAt: number;
}

export interface UploadServices<D extends Stored = Stored> {
  database: Database;
  cipher: PayloadCipher;
  clock: Clock;
  jobs: Pick<Jobs, 'add'>;
  accounts: Pick<Accounts, 'isRevoked'>;
  documents: {
    findLinked(id: string): Promise<D>;
    read(document: D): Promise<Readable>;
    /** Within the transaction, and afterwards. */
    markDeleted(id: string, query: Query): Promise<void>;
    removeContent(id: string): Promise<void>;
  };
  /** An upload of the batch has ended; within the transaction. Returns whether the batch has, with all its uploads. */
  onUploadEnded(batchId: string, query: Query): Promise<boolean>;
  /** Afterwards, where it has. */
  onBatchUploaded(batchId: string): void;
}

const TYPE = 'upload';
const PDF = 'application/pdf';
/** As slow as a receiver may take a document, besides the time it has to answer. */
const MIN_BYTES_PER_MS = 256;
const MAX_SENDING_MS = 600_000;

/** How long an attempt may take that sends so much. */
export function uploadTimeoutMs(payload: string, answerMs: number): number {
  const bytes = Number(payload.slice(0, payload.indexOf(' ')));
  return answerMs + Math.min(MAX_SENDING_MS, Math.ceil(bytes / MIN_BYTES_PER_MS));
}

/** Whether a batch has a result that is still to be uploaded. */
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

/** Of the items of a batch, by their positions. */
export async function uploadReports(query: Query, batchId: string): Promise<Map<number, UploadReport>> {
  const rows = await query
    .selectFrom('webhook_deliveries')
    .select(['batch_position', 'host', 'status', 'attempts', 'response_status', 'error'])
    .where('batch_id', '=', batchId)
    .execute();
  return new Map(
    rows.map(({ batch_position, response_status, ...row }) => [batch_position ?? 0, { ...row, responseStatus: response_status }]),
  );
}

/** What records and events tell of an upload. */
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

export class Uploads<D extends Stored = Stored> {
  readonly #services: UploadServices<D>;

  constructor(services: UploadServices<D>) {
    this.#services = services;
  }

  /** Within the caller's transaction, so that a result and its upload are one. */
  async enqueue({ accountId, keyId, item, bytes, ...order }: NewUpload, query: Query): Promise<void> {
    const now = this.#services.clock();
    const id = `upl_${randomBase62(22)}`;
    const kept: UploadOrder = order;
    const payload = `${bytes} ${this.#services.cipher.encrypt(kept, id).toString('base64')}`;
    const row = deliveryRow({ id, accountId, keyId, type: TYPE, url: new URL(order.url).origin, payload, now });
    await query
      .insertInto('webhook_deliveries')
      .values({ ...row, next_upload_at: now, batch_id: item.batchId, batch_position: item.position })
      .execute();
    await this.#services.jobs.add('upload', accountId, query);
  }

  /** Of the items of a batch, by their positions. */
  reportsOf(batchId: string): Promise<Map<number, UploadReport>> {
    return uploadReports(this.#services.database.query, batchId);
  }

  /** What an attempt sends. Undefined where the document has gone, or the key was revoked. */
  async open({ id, keyId, payload }: LentUpload): Promise<OpenedUpload | undefined> {
    const { accounts, cipher, documents } = this.#services;
    if (await accounts.isRevoked(keyId)) return undefined;
    const sealed = Buffer.from(payload.slice(payload.indexOf(' ') + 1), 'base64');
    const order = cipher.decrypt(sealed, id) as UploadOrder;
    const document = await documents.findLinked(order.documentId).catch((error: unknown) => {
      if (hasCode(error, 'not_found', 'document_expired', 'document_deleted')) return undefined;
      throw error;
    });
    if (!document) return undefined;
    const headers = { 'content-type': document.image?.type ?? PDF, ...order.headers, 'user-agent': 'Platen' };
    const open = () =>
      documents.read(document).catch((cause: unknown) => {
        throw new ContentUnavailable('the document could not be read', { cause });
      });
    return { ...order, headers, body: { bytes: document.bytes, open }, expiresAt: document.expiresAt };
  }

  /** An upload has ended; within the transaction that says so. Returns what is to be done once it is committed. */
  async settle(
    { batchId }: LentUpload,
    opened: OpenedUpload | undefined,
    isDelivered: boolean,
    query: Query,
  ): Promise<() => Promise<void>> {
    const { documents, onUploadEnded, onBatchUploaded } = this.#services;
    const released = isDelivered && opened?.isHeld ? opened.documentId : undefined;
    if (released !== undefined) await documents.markDeleted(released, query);
    const isLast = batchId !== null && (await onUploadEnded(batchId, query));
    return async () => {
      if (isLast) onBatchUploaded(batchId);
      if (released !== undefined) await documents.removeContent(released); // if this fails, a sweep does it
    };
  }
}

const REQUEST_TIMEOUT = 408;
const TOO_EARLY = 425;

/** Stores answer more that may pass than receivers of webhooks do. A refused signature stays refused. */
export function mayUpload(result: AttemptResult): boolean {
  return result.status === REQUEST_TIMEOUT || result.status === TOO_EARLY || mayArrive(result);
}
