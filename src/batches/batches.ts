/** The batches of an API key: creates, reads, lists and cancels them, and removes them with their documents. */
import type { Principal } from '../accounts/accounts.ts';
import type { Clock } from '../clock.ts';
import { invalidRequest, queueFull, ServiceError } from '../errors.ts';
import { createId, isId } from '../ids.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { RenderLimits } from '../render/request/render-request.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, type Position, readListPage } from '../storage/listing.ts';
import {
  havingMetadata,
  indexMetadata,
  type Metadata,
  readMetadata,
  removeFromIndex,
  writeMetadata,
} from '../storage/metadata.ts';
import { isBatch, isRender } from '../storage/open-batches.ts';
import type { PayloadCipher } from '../storage/payload-cipher.ts';
import type { NewRow, Selected, Tables } from '../storage/tables.ts';
import { currentTraceparent } from '../tracing.ts';
import { isMembers, type Members } from '../validate.ts';
import { removeUploads, type UploadReport, uploadReports } from '../webhooks/uploads.ts';
import { type BatchRequest, isUploadOnly, type RenderKind } from './batch-request.ts';
import {
  type Announce,
  additionalData,
  announceEnd,
  cancelQueued,
  DEFAULTS_POSITION,
  itemEndpoint,
  RENDER_PREFIX,
} from './outcomes.ts';
import { type PreparedItem, prepareItems } from './prepare-items.ts';
import type { Progress } from './progress.ts';
import type { ItemError } from './queue.ts';

type BatchStatus = 'queued' | 'running' | 'completed' | 'cancelled';
type ItemStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface BatchItem {
  position: number;
  reference: string | null;
  status: ItemStatus;
  document: { id: string; pages: number; bytes: number; expiresAt: number } | undefined;
  error: ItemError | undefined;
  /** The state of the upload, if the document is uploaded. Undefined in events. */
  delivery?: UploadReport | undefined;
}

const BATCH_COLUMNS = [
  'id',
  'total',
  'unfinished',
  'succeeded',
  'failed',
  'cancelled',
  'metadata',
  'created_at as createdAt',
  'started_at',
  'completed_at as completedAt',
] as const;
type BatchRow = Selected<'batches', (typeof BATCH_COLUMNS)[number]>;

export type Batch = Omit<BatchRow, 'metadata' | 'started_at'> & { status: BatchStatus; metadata: Metadata };
export type WholeBatch = Batch & { items: BatchItem[] };
/** A finished item; `number` is its place in the order in which the items of the batch finished, from 1. */
export type FinishedItem = BatchItem & { number: number };

const ITEM_COLUMNS = ['position', 'reference', 'status', 'document_id', 'pages', 'bytes', 'expires_at', 'error'] as const;

/** Rows per INSERT statement: SQLite accepts at most 32,766 values. */
const ROWS = 100;
const REMOVED_AT_ONCE = 50;
/** Limit per account, because every search for work reads all open batches. */
export const MAX_OPEN_RENDERS = 1_000;
const RETRY_AFTER_SECONDS = 10;
/** How much longer than its documents a batch with uploads is kept, so that the upload results can still be read. */
const UPLOADED_MS = 2 * 86_400_000;

/** A further write in the transaction that creates the batch. */
export type CreationHook = (id: string, query: Query) => Promise<void>;

interface BatchOptions {
  cipher: PayloadCipher;
  limits: RenderLimits;
  progress: Progress;
  jobs: Pick<Jobs, 'add'>;
  announce: Announce;
  requestLog: Pick<RequestLog, 'note' | 'oldest'>;
}

/** Whether this is the id of an asynchronous render, which is stored as a batch of one item. */
export function isRenderId(id: string): boolean {
  return id.startsWith(RENDER_PREFIX);
}

export class Batches {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #options: BatchOptions;
  readonly progress: Progress;

  constructor(database: Database, clock: Clock, options: BatchOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#options = options;
    this.progress = options.progress;
  }

  /**
   * Creates a batch. Every batch that is accepted is eventually completed or cancelled. Invalid items fail immediately. `hook`
   * runs in the same transaction. Throws `storage_unavailable`, `queue_full`, and `invalid_request` if they
   * never fit.
   */
  async create(owner: Principal, request: BatchRequest, hook: CreationHook): Promise<string> {
    return this.#create(createId('bat'), owner, request, hook);
  }

  /**
   * The failed items of a finished batch as a new one. Items that were never valid are left out. Throws `not_found` if no request of a
   * failed item is kept. `hold` is told the size of the requests, and may throw.
   */
  async readFailed(keyId: string, id: string, hold: (bytes: number) => void): Promise<BatchRequest> {
    const batch = await this.summary(keyId, id);
    const failed = await this.#database.query
      .selectFrom('batch_items as item')
      .innerJoin('batch_requests as request', (join) =>
        join.onRef('request.batch_id', '=', 'item.batch_id').onRef('request.position', '=', 'item.leader'),
      )
      .select(['item.reference', 'request.position', 'request.ciphertext'])
      .where('item.batch_id', '=', id)
      .where('item.status', '=', 'failed')
      .orderBy('item.position')
      .execute();
    if (!failed.length) throw new ServiceError('not_found', 'no failed item of this batch can be run again');
    hold(failed.reduce((bytes, { ciphertext }) => bytes + ciphertext.length, 0));
    const decrypt = (ciphertext: Uint8Array, position: number) =>
      this.#options.cipher.decrypt(ciphertext, additionalData(id, position)) as Members;
    const { defaults, webhook_url } = await this.#database.query
      .selectFrom('batches')
      .leftJoin('batch_requests as defaults', (join) =>
        join.onRef('defaults.batch_id', '=', 'batches.id').on('defaults.position', '=', DEFAULTS_POSITION),
      )
      .select(['webhook_url', 'defaults.ciphertext as defaults'])
      .where('batches.id', '=', id)
      .executeTakeFirstOrThrow();
    return {
      items: failed.map(({ reference, position, ciphertext }) => ({ ...decrypt(ciphertext, position), reference })),
      defaults: defaults ? decrypt(defaults, DEFAULTS_POSITION) : {},
      webhookUrl: webhook_url ?? undefined,
      metadata: batch.metadata,
    };
  }

  /** Creates an asynchronous render: a batch of one item, which `list` leaves out. */
  async createRender(owner: Principal, request: BatchRequest, hook: CreationHook): Promise<string> {
    if ((await this.#open(this.#database.query, owner.accountId, 'renders')).batches >= MAX_OPEN_RENDERS)
      throw queueFull(`${MAX_OPEN_RENDERS} asynchronous renders of this account are waiting`, RETRY_AFTER_SECONDS);
    return this.#create(createId('ren'), owner, request, hook);
  }

  /** Counts the batches of an account that have not ended, or only its asynchronous renders, and their unfinished items. */
  async #open(query: Query, accountId: string, which: 'all' | 'renders'): Promise<{ batches: number; items: number }> {
    const { batches, items } = await query
      .selectFrom('batches')
      .select(({ fn }) => [fn.countAll<number>().as('batches'), fn.sum<number | string | null>('unfinished').as('items')])
      .where('account_id', '=', accountId)
      .where('completed_at', 'is', null)
      .$if(which === 'renders', (open) => open.where(isRender))
      .executeTakeFirstOrThrow();
    return { batches, items: Number(items ?? 0) };
  }

  /** Call it in the transaction that has inserted `added` items. Throws `queue_full`, and `invalid_request` if they never fit. */
  async #requireFewItems(query: Query, { accountId, plan }: Principal, added: number): Promise<void> {
    const limit = plan.openItems;
    if (limit === null) return;
    const open = (await this.#open(query, accountId, 'all')).items - added;
    if (open + added > limit) throw tooManyItems(plan.name, { limit, open, added });
  }

  async #create(id: string, owner: Principal, request: BatchRequest, hook: CreationHook): Promise<string> {
    if (!owner.plan.retentionMs && !request.items.every((item) => isUploadOnly(item, request.defaults)))
      throw new ServiceError(
        'storage_unavailable',
        `the plan ${owner.plan.name} does not store documents, and results of batches and asynchronous renders are stored documents`,
      );
    const prepared = await prepareItems(request, this.#options.limits, owner.options);
    const requests = prepared.flatMap(({ position, member }) =>
      member ? this.#ciphertext(id, position, member, request.kind) : [],
    );
    if (requests.length) requests.push(this.#ciphertext(id, DEFAULTS_POSITION, request.defaults));
    const lockName = owner.plan.openItems === null ? undefined : `items ${owner.accountId}`;
    await this.#database.transaction(async (query) => {
      await this.#insert(query, id, owner, prepared, request);
      await this.#requireFewItems(query, owner, prepared.filter(({ error }) => !error).length);
      for (const rows of splitIntoChunks(requests)) await query.insertInto('batch_requests').values(rows).execute();
      await hook(id, query);
      if (requests.length) await this.#options.jobs.add('item', owner.keyId, query);
    }, lockName);
    await this.#database.flush();
    for (const { error, ...item } of prepared) if (error) this.#noteInvalid(id, owner.keyId, item, error);
    return id;
  }

  #noteInvalid(batchId: string, keyId: string, item: Pick<PreparedItem, 'position' | 'reference'>, error: ItemError): void {
    this.progress.outcome(batchId, error.code, { items: 1, batchEnded: false });
    const { position, reference = null } = item;
    const log = { origin: {}, result: { code: error.code }, details: {} };
    const work = { endpoint: itemEndpoint(batchId), milliseconds: 0, item: { batchId, position, reference } };
    this.#options.requestLog.note(keyId, log, work);
  }

  /** Throws `not_found`, also if the batch belongs to another key. */
  async find(keyId: string, id: string): Promise<WholeBatch> {
    const batch = await this.summary(keyId, id);
    const items = await this.#database.query
      .selectFrom('batch_items')
      .select([...ITEM_COLUMNS, 'leader'])
      .where('batch_id', '=', id)
      .orderBy('position')
      .execute();
    const reports = await uploadReports(this.#database.query, id);
    return { ...batch, items: items.map((row) => ({ ...toItem(row), delivery: reports.get(row.leader) })) };
  }

  /** The batch without its items. Throws as `find` does. */
  async summary(keyId: string, id: string): Promise<Batch> {
    const row = isId(id) ? await this.#rows().where('id', '=', id).where('key_id', '=', keyId).executeTakeFirst() : undefined;
    if (!row) throw notFound(id);
    return toBatch(row);
  }

  /**
   * The batch, and at most `limit` finished items with a number greater than `number`, in the order in which they finished.
   * Outcomes are flushed to disk before they are returned, so that no number is assigned twice after a power failure. Throws as
   * `find` does.
   */
  async outcomesAfter(
    keyId: string,
    id: string,
    number: number,
    limit: number,
  ): Promise<{ batch: Batch; outcomes: FinishedItem[] }> {
    const batch = await this.summary(keyId, id); // read first, so that no outcome of a finished batch is missed
    const rows = await this.#database.query
      .selectFrom('batch_items')
      .select([...ITEM_COLUMNS, 'finished_no'])
      .where('batch_id', '=', id)
      .where('finished_no', '>', number)
      .orderBy('finished_no')
      .limit(limit)
      .execute();
    if (rows.length) await this.#database.flush();
    return { batch, outcomes: rows.map(({ finished_no, ...row }) => ({ ...toItem(row), number: Number(finished_no) })) };
  }

  /** Newest first, starting after the position `after`. */
  async list(keyId: string, limit: number, filter: { metadata?: Metadata }, after?: Position): Promise<ListPage<Batch>> {
    const owned = this.#rows().where('key_id', '=', keyId).where(isBatch);
    const having = havingMetadata(this.#database.query, owned, { kind: 'batch', keyId, metadata: filter.metadata });
    return readListPage(having.rows, { ...having, limit, after, toItem: toBatch });
  }

  /** Cancels the items that have not started. Does nothing if the batch has finished. Throws `not_found`. */
  async cancel(keyId: string, id: string): Promise<void> {
    await this.find(keyId, id);
    const now = this.#clock();
    const cancelled = await this.#database.transaction(async (query) => {
      const open = await query
        .updateTable('batches')
        .set({ cancelled_at: now })
        .where('id', '=', id)
        .where('completed_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return open && cancelQueued(query, id, now, this.#options.announce);
    });
    await this.#database.flush();
    if (cancelled?.items) this.progress.outcome(id, 'cancelled', cancelled);
  }

  /** Removes batches whose documents have all expired. */
  async removeExpired(): Promise<void> {
    for (;;) {
      const due = await this.#database.query
        .selectFrom('batches')
        .select('id')
        .where('completed_at', 'is not', null)
        .where('kept_until', '<=', this.#clock())
        .orderBy('kept_until')
        .limit(REMOVED_AT_ONCE)
        .execute();
      if (!due.length) return;
      for (const { id } of due) await this.#remove(id);
    }
  }

  /** Removes the requests of failed items that the request log is about to forget. Others go with their batch. */
  async forgetFailed(): Promise<void> {
    await this.#database.query
      .deleteFrom('batch_requests')
      .where('batch_id', 'in', ({ selectFrom }) =>
        selectFrom('logged_requests as logged')
          .innerJoin('batches', 'batches.id', 'logged.batch_id')
          .select('batches.id')
          .where('logged.created_at', '<=', this.#options.requestLog.oldest())
          .where('logged.code', 'is not', null)
          .where('batches.completed_at', 'is not', null),
      )
      .execute();
  }

  async #remove(id: string): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query.deleteFrom('batch_requests').where('batch_id', '=', id).execute();
      await query.deleteFrom('batch_items').where('batch_id', '=', id).execute();
      await removeUploads(query, id);
      await removeFromIndex(query, id);
      await query.deleteFrom('batches').where('id', '=', id).execute();
    });
  }

  async #insert(
    query: Query,
    id: string,
    { keyId, accountId, plan }: Principal,
    prepared: PreparedItem[],
    { kind = 'pdf', items, webhookUrl, metadata }: BatchRequest,
  ): Promise<void> {
    const now = this.#clock();
    const failed = prepared.filter(({ error }) => error).length;
    const unfinished = prepared.length - failed;
    await query
      .insertInto('batches')
      .values({
        id,
        key_id: keyId,
        account_id: accountId,
        webhook_url: webhookUrl ?? null,
        metadata: writeMetadata(metadata),
        traceparent: currentTraceparent() ?? null,
        kind: kind === 'pdf' ? null : kind,
        total: prepared.length,
        unfinished,
        succeeded: 0,
        failed,
        cancelled: 0,
        created_at: now,
        completed_at: unfinished ? null : now,
        kept_until: now + plan.retentionMs + (items.some(isUploaded) ? UPLOADED_MS : 0),
      })
      .execute();
    await indexMetadata(query, 'batch', { id, keyId, createdAt: now }, metadata);
    let finished = 0;
    const numbered = prepared.map((item) => toRow(id, item, now, item.error ? ++finished : null));
    for (const rows of splitIntoChunks(numbered)) await query.insertInto('batch_items').values(rows).execute();
    if (!unfinished) await announceEnd(query, id, this.#options.announce);
  }

  #ciphertext(id: string, position: number, value: unknown, kind?: RenderKind): Tables['batch_requests'] {
    return { batch_id: id, position, ciphertext: this.#options.cipher.encrypt(value, additionalData(id, position, kind)) };
  }

  #rows() {
    return this.#database.query.selectFrom('batches').select(BATCH_COLUMNS);
  }
}

type ItemRow = Selected<'batch_items', (typeof ITEM_COLUMNS)[number]>;

function toBatch({ metadata, started_at, ...row }: BatchRow): Batch {
  const isStarted = started_at !== null;
  return { ...row, status: batchStatus(row, isStarted), metadata: readMetadata(metadata) };
}

function batchStatus({ completedAt, cancelled }: Pick<Batch, 'completedAt' | 'cancelled'>, isStarted: boolean): BatchStatus {
  if (completedAt === null) return isStarted ? 'running' : 'queued';
  return cancelled ? 'cancelled' : 'completed';
}

function toItem({ document_id: id, pages, bytes, expires_at: expiresAt, ...row }: ItemRow): BatchItem {
  const { position, reference, error } = row;
  return {
    position,
    reference,
    status: row.status as ItemStatus,
    document: id === null ? undefined : { id, pages: pages ?? 0, bytes: bytes ?? 0, expiresAt: expiresAt ?? 0 },
    error: error === null ? undefined : (JSON.parse(error) as ItemError),
  };
}

function toRow(
  id: string,
  { position, canonical, reference, error }: PreparedItem,
  now: number,
  finishedNo: number | null,
): NewRow<'batch_items'> {
  return {
    batch_id: id,
    position,
    leader: canonical,
    reference: reference ?? null,
    status: error ? 'failed' : 'queued',
    due_at: !error && canonical === position ? now : null,
    attempts: 0,
    error: error ? JSON.stringify(error) : null,
    finished_no: finishedNo,
  };
}

function* splitIntoChunks<T>(rows: T[]): Iterable<T[]> {
  for (let start = 0; start < rows.length; start += ROWS) yield rows.slice(start, start + ROWS);
}

function isUploaded(item: unknown): boolean {
  return isMembers(item) && (item.deliver_to ?? undefined) !== undefined;
}

function tooManyItems(plan: string, { limit, open, added }: { limit: number; open: number; added: number }): ServiceError {
  if (added > limit) {
    const message = `has ${added} valid items, and the plan ${plan} allows ${limit} unfinished items of batches and asynchronous renders (open_items); send several batches of at most ${limit} items, each when the one before has finished`;
    return invalidRequest([{ path: 'items', message }]);
  }
  const counts = `the plan ${plan} allows ${limit} unfinished items of batches and asynchronous renders; this account has ${open}, and the request has ${added}`;
  const extras = {
    members: { limit, open_items: open, retry_after: RETRY_AFTER_SECONDS },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  };
  const remedy = `try again in ${RETRY_AFTER_SECONDS} s, when some have finished, or cancel batches`;
  return new ServiceError('queue_full', `${counts}; ${remedy}`, extras);
}

function notFound(id: string): ServiceError {
  return new ServiceError(
    'not_found',
    isRenderId(id) ? 'there is no such render' : 'there is no such batch, or it belongs to another key',
  );
}
