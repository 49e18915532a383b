/**
 * The request log of an API key: what came of each render and batch item of the last days. No render waits for it: rows are gathered
 * and written once a second, in one statement.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { ErrorCode } from '../errors.ts';
import { createId, isId } from '../ids.ts';
import type { Database } from '../storage/database.ts';
import { type ListPage, type Position, readListPage } from '../storage/listing.ts';
import type { NewRow, Selected } from '../storage/tables.ts';
import type { WorkLog } from '../work-log.ts';
import { describeFailure } from './describe-failure.ts';
import { FAILURE_MEMBERS } from './failure-fields.ts';
import type { FailurePicture, FailurePictures } from './failure-pictures.ts';

/** Where an entry comes from. */
export interface LoggedWork {
  /** The route of the call, or that of the batch or asynchronous render. */
  endpoint: string;
  milliseconds: number;
  item?: LoggedItem;
}

interface LoggedItem {
  batchId: string;
  position: number;
  reference: string | null;
}

/** What no list is filtered by. Never HTML, data, a URL or another text of the caller. */
interface Details extends Pick<LoggedWork, 'endpoint' | 'milliseconds'> {
  callersId?: string;
  source?: string;
  templateVersion?: number;
  options?: object;
  optionsLeftOut?: string[];
  position?: number;
  documentId?: string;
  pages?: number;
  bytes?: number;
  stages?: Record<string, number>;
  warnings?: number;
  warningKinds?: string[];
  message?: string;
  /** The members of `failureFields`. */
  cause?: Record<string, unknown>;
  /** The name of the picture of the failure. Of an entry that is read, only while there is one. */
  picture?: string;
}

const COLUMNS = ['id', 'key_id', 'created_at as createdAt', 'code', 'template_id', 'batch_id', 'reference', 'details'] as const;

export type LoggedRequest = Omit<Selected<'logged_requests', (typeof COLUMNS)[number]>, 'details'> & Details;

/** What an administrator sees of a failure. */
export interface LoggedFailure extends Pick<LoggedRequest, 'id' | 'key_id' | 'createdAt' | 'endpoint'> {
  accountId: string | null;
  code: string;
  message: string;
  cause: LoggedRequest['cause'];
}

export interface FailureFilter {
  accountId?: string | undefined;
  code?: string | undefined;
}

export interface RequestFilter {
  status?: 'succeeded' | 'failed' | undefined;
  code?: string | undefined;
  templateId?: string | undefined;
  batchId?: string | undefined;
  reference?: string | undefined;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
}

const GATHER_MS = 1_000;
/** Entries in one statement: SQLite accepts at most 32,766 values. */
const ROWS = 200;
const REMOVED_AT_ONCE = 500;
/** A key that sends more than its plan allows could fill the log with them. */
const UNLOGGED: readonly unknown[] = ['rate_limited'] satisfies ErrorCode[];

export class RequestLog {
  readonly #database: Database;
  readonly #clock: Clock;
  /** How long entries are kept. 0: nothing is logged. */
  readonly #keptMs: number;
  readonly #pictures: FailurePictures | undefined;
  #onLost: (error: unknown, entries: number) => void = () => {};
  #gathered: NewRow<'logged_requests'>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** Without `pictures`, no pictures of failures are kept. */
  constructor(database: Database, clock: Clock, { requestLogMs }: { requestLogMs: number }, pictures?: FailurePictures) {
    this.#database = database;
    this.#clock = clock;
    this.#keptMs = requestLogMs;
    this.#pictures = pictures;
  }

  /** `listener` is told how many entries a fault of the database has cost. */
  watchLost(listener: (error: unknown, entries: number) => void): void {
    this.#onLost = listener;
  }

  /** The content that the sweep removes. */
  get expiringContent(): FailurePictures[] {
    return this.#pictures ? [this.#pictures] : [];
  }

  get isOn(): boolean {
    return this.#keptMs > 0;
  }

  /** The time until which entries, and what else is kept as long, have ended their time. */
  oldest(): number {
    return this.#clock() - this.#keptMs;
  }

  /** Adds an entry if the work has rendered something or failed, unless it was a dry run. A crash loses the entries of the last second. */
  note(keyId: string, log: Pick<WorkLog, 'origin' | 'result' | 'details'>, work: LoggedWork): void {
    const { code, bytes } = log.result;
    if (!this.isOn || (code === undefined && bytes === undefined) || UNLOGGED.includes(code) || log.result.dry_run) return;
    this.#gathered.push(this.#toRow(keyId, log, work));
    if (this.#gathered.length >= ROWS) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Resolves when everything noted so far is written, or lost. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = this.#gathered;
    this.#gathered = [];
    if (rows.length) this.#writing = this.#writing.then(() => this.#write(rows));
    return this.#writing;
  }

  /** Resolves when entries and pictures are written, or lost. */
  async close(): Promise<void> {
    await this.flush();
    await this.#pictures?.flush();
  }

  /** Newest first, starting after the position `after`. */
  async list(keyId: string, limit: number, filter: RequestFilter, after?: Position): Promise<ListPage<LoggedRequest>> {
    await this.flush();
    const { status, code, templateId, batchId, reference, createdAfter, createdBefore } = filter;
    const logged = this.#rows()
      .where('key_id', '=', keyId)
      .where('created_at', '>', Math.max(createdAfter ?? 0, this.oldest()))
      .$if(createdBefore !== undefined, (rows) => rows.where('created_at', '<', createdBefore as number));
    const search = (rows: typeof logged) =>
      rows
        .$if(status !== undefined, (some) => some.where('code', status === 'failed' ? 'is not' : 'is', null))
        .$if(code !== undefined, (some) => some.where('code', '=', code as string))
        .$if(templateId !== undefined, (some) => some.where('template_id', '=', templateId as string))
        .$if(batchId !== undefined, (some) => some.where('batch_id', '=', batchId as string))
        .$if(reference !== undefined, (some) => some.where('reference', '=', reference as string));
    const isSearch = [status, code, templateId, batchId, reference].some((value) => value !== undefined);
    const page = await readListPage(logged, { limit, after, toItem: toLogged, search: isSearch ? search : undefined });
    return { ...page, items: await this.#dropLostPictures(page.items) };
  }

  /** The failures of all accounts, newest first. */
  async listFailures(limit: number, { accountId, code }: FailureFilter, after?: Position): Promise<ListPage<LoggedFailure>> {
    await this.flush();
    const failures = this.#rows()
      .select(({ selectFrom }) =>
        selectFrom('api_keys').select('account_id').whereRef('api_keys.id', '=', 'logged_requests.key_id').as('accountId'),
      )
      .where('code', 'is not', null)
      .where('created_at', '>', this.oldest());
    const search = (rows: typeof failures) =>
      rows
        .$if(code !== undefined, (some) => some.where('code', '=', code as string))
        .$if(accountId !== undefined, (some) =>
          some.where('key_id', 'in', ({ selectFrom }) =>
            selectFrom('api_keys')
              .select('id')
              .where('account_id', '=', accountId as string),
          ),
        );
    const isSearch = code !== undefined || accountId !== undefined;
    return readListPage(failures, { limit, after, toItem: toFailure, search: isSearch ? search : undefined });
  }

  /** Undefined if there is none, or it belongs to another key. */
  async find(keyId: string, id: string): Promise<LoggedRequest | undefined> {
    if (!isId(id)) return undefined;
    await this.flush();
    const own = this.#rows().where('id', '=', id).where('key_id', '=', keyId).where('created_at', '>', this.oldest());
    const row = await own.executeTakeFirst();
    return row && (await this.#dropLostPictures([toLogged(row)]))[0];
  }

  /** The picture of a failure as a JPEG. Undefined if there is none, or the entry belongs to another key. */
  async readPicture(keyId: string, id: string): Promise<Readable | undefined> {
    const picture = (await this.find(keyId, id))?.picture;
    return picture === undefined ? undefined : this.#pictures?.read(keyId, picture);
  }

  async removeOld(): Promise<void> {
    for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE; ) {
      const { numDeletedRows } = await this.#database.query
        .deleteFrom('logged_requests')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('logged_requests')
            .select('id')
            .where('created_at', '<=', this.oldest())
            .orderBy('created_at')
            .limit(REMOVED_AT_ONCE),
        )
        .executeTakeFirstOrThrow();
      removed = Number(numDeletedRows);
    }
  }

  #toRow(
    keyId: string,
    { origin, result, details }: Pick<WorkLog, 'origin' | 'result' | 'details'>,
    { endpoint, milliseconds, item }: LoggedWork,
  ): NewRow<'logged_requests'> {
    const { code, pages, bytes, stages, warnings } = result as Partial<Details> & { code?: ErrorCode };
    const { source, templateVersion, documentId, warningKinds, options } = details;
    const cause = Object.entries(result).filter(([name]) => name === 'fields' || FAILURE_MEMBERS.includes(name));
    const kept = {
      ...{ endpoint, milliseconds, callersId: origin.caller_request_id, position: item?.position },
      ...{ source, templateVersion, documentId, pages, bytes, stages, warnings, warningKinds },
      ...(options && { options: options.kept, optionsLeftOut: options.leftOut }),
      ...(code && { message: describeFailure(code, details.error), ...(cause.length && { cause: Object.fromEntries(cause) }) }),
      ...(code && details.picture && this.#keepPicture(keyId, details.picture)),
    };
    return {
      id: typeof origin.request_id === 'string' ? origin.request_id : createId('req'),
      key_id: keyId,
      created_at: this.#clock(),
      code: code ?? null,
      template_id: details.templateId ?? null,
      batch_id: item?.batchId ?? null,
      reference: item?.reference ?? null,
      details: JSON.stringify(kept),
    };
  }

  #keepPicture(keyId: string, picture: FailurePicture): Pick<Details, 'picture'> {
    const name = this.#pictures?.keep(keyId, { ...picture, keptMs: Math.min(picture.keptMs, this.#keptMs) });
    return name === undefined ? {} : { picture: name };
  }

  async #dropLostPictures(entries: LoggedRequest[]): Promise<LoggedRequest[]> {
    const there = await this.#pictures?.existing(entries.flatMap(({ picture }) => picture ?? []));
    return entries.map(({ picture, ...entry }) => (picture && there?.has(picture) ? { ...entry, picture } : entry));
  }

  async #write(rows: NewRow<'logged_requests'>[]): Promise<void> {
    await this.#database.query
      .insertInto('logged_requests')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()) // a background job has the id of its request, which may have failed as well
      .execute()
      .catch((error: unknown) => this.#onLost(error, rows.length));
  }

  #rows() {
    return this.#database.query.selectFrom('logged_requests').select(COLUMNS);
  }
}

function toFailure(row: Selected<'logged_requests', (typeof COLUMNS)[number]> & { accountId: string | null }): LoggedFailure {
  const { id, key_id, createdAt, code, endpoint, message = '', cause } = toLogged(row);
  return { id, key_id, createdAt, endpoint, accountId: row.accountId, code: code ?? '', message, cause };
}

function toLogged({ details, ...row }: Selected<'logged_requests', (typeof COLUMNS)[number]>): LoggedRequest {
  return { ...row, ...(JSON.parse(details) as Details) };
}
