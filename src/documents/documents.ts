/**
 * Stored documents, which are PDFs or images: stores them, reads them for the key that created them, and removes them when they
 * expire or are deleted.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import mime from 'mime';
import { accountSuspended, type Principal } from '../accounts/accounts.ts';
import type { Clock } from '../clock.ts';
import { ServiceError, storageFailed } from '../errors.ts';
import { createId, isId } from '../ids.ts';
import type { Blobs, ByteRange } from '../storage/blobs/blobs.ts';
import { type Database, isOutcomeUnknown, type Query } from '../storage/database.ts';
import { type ListPage, type Position, readListPage, searchWords } from '../storage/listing.ts';
import {
  havingMetadata,
  indexMetadata,
  type Metadata,
  readMetadata,
  removeFromIndex,
  writeMetadata,
} from '../storage/metadata.ts';
import { prepareInsert } from '../storage/prepared.ts';
import type { Tables } from '../storage/tables.ts';
import { readTotal } from '../storage/totals.ts';

export type { ByteRange, ListPage, Metadata, Position };

type SourceKind = 'html' | 'markdown' | 'url' | 'template' | 'assembly';

/** The report of a render, which is stored unchanged. */
export interface Report {
  warning_count: number;
}

export interface StoredDocument {
  id: string;
  filename: string;
  bytes: number;
  /** Number of pages; 1 for an image. */
  pages: number;
  /** The media type and the pixels of an image. Undefined for a PDF. */
  image?: { type: string; width: number; height: number } | undefined;
  sha256: string;
  source: SourceKind;
  templateId: string | null;
  metadata: Metadata;
  createdAt: number;
  expiresAt: number;
  /** The report of the render. Undefined in lists. */
  report: Report | undefined;
}

/** Properties of a document that is not stored yet. */
export interface DocumentDraft extends Pick<StoredDocument, 'bytes' | 'pages' | 'image' | 'source' | 'metadata'> {
  chunks: readonly Buffer[];
  /** The default is the id with the extension of the type. */
  filename: string | undefined;
  templateId: string | undefined;
  report: Report;
}

/** A document whose content was removed because it expired. */
export interface ExpiredDocument {
  id: string;
  keyId: string;
  accountId: string;
  expiresAt: number;
}

/** Called once for each expired document, in the transaction that marks its content as removed. */
type TellExpired = (document: ExpiredDocument, query: Query) => Promise<void>;

export interface DocumentFilter {
  templateId?: string | undefined;
  /** Milliseconds since 1970. Both limits are exclusive. */
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
  /** Matches a part of the filename, or the whole id. */
  text?: string | undefined;
  metadata?: Metadata | undefined;
}

const PDF = 'application/pdf';
const ID = /^doc_[0-9A-Za-z]{22}$/;

const COLUMNS = [
  'id',
  'filename',
  'bytes',
  'pages',
  'media_type',
  'width',
  'height',
  'sha256',
  'source',
  'template_id',
  'metadata',
  'created_at',
  'expires_at',
  'deleted_at',
] as const;
const WITH_REPORT = [...COLUMNS, 'report'] as const;

export function documentType({ image }: Pick<StoredDocument, 'image'>): string {
  return image?.type ?? PDF;
}

/** The extension of the filename of a document with this media type. */
export function documentExtension(type: string): string {
  return `.${mime.getExtension(type)}`;
}

export class Documents {
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  readonly #tellExpired: TellExpired;

  constructor(database: Database, blobs: Blobs, clock: Clock, tellExpired: TellExpired = async () => {}) {
    this.#database = database;
    this.#blobs = blobs;
    this.#clock = clock;
    this.#tellExpired = tellExpired;
  }

  /** Writes the content. The document exists once `insert` is committed. Throws `storage_failed`. */
  async write(draft: DocumentDraft, retentionMs: number): Promise<StoredDocument> {
    const id = createId('doc');
    const hash = createHash('sha256');
    const { chunks, ...properties } = draft;
    await this.#blobs.put(id, digestChunks(chunks, hash));
    const createdAt = this.#clock();
    return {
      ...properties,
      id,
      filename: draft.filename ?? id + documentExtension(documentType(draft)),
      sha256: hash.digest('hex'),
      templateId: draft.templateId ?? null,
      createdAt,
      expiresAt: createdAt + retentionMs,
    };
  }

  /**
   * Inserts the row of a document whose content is written. Call it in the transaction that charges for the document, with the name
   * `lockName`. Throws `storage_limit`.
   */
  async insert(document: StoredDocument, owner: Principal, query: Query): Promise<void> {
    await insertDocument(query, {
      ...{ id: document.id, key_id: owner.keyId, account_id: owner.accountId, filename: document.filename },
      ...{ bytes: document.bytes, pages: document.pages, sha256: document.sha256, source: document.source },
      media_type: document.image?.type ?? null,
      width: document.image?.width ?? null,
      height: document.image?.height ?? null,
      template_id: document.templateId,
      report: JSON.stringify(document.report),
      metadata: writeMetadata(document.metadata),
      ...{ created_at: document.createdAt, expires_at: document.expiresAt, remove_at: document.expiresAt },
      ...{ deleted_at: null, has_content: 1 },
    });
    await indexMetadata(query, 'document', { ...document, keyId: owner.keyId }, document.metadata);
    await this.#requireWithinLimit(owner, 0, query);
  }

  /**
   * Throws `storage_limit` if nothing more can be stored for the account. It is checked again when a document is inserted, because
   * others may be stored in the meantime.
   */
  async requireRoom(owner: Principal, bytes = 1): Promise<void> {
    await this.#requireWithinLimit(owner, bytes, this.#database.query);
  }

  /** The name for transactions that insert documents of this account: they must wait for each other if its plan has a limit. */
  lockName({ accountId, plan }: Principal): string | undefined {
    return plan.storageBytes === null ? undefined : `documents ${accountId}`;
  }

  async #requireWithinLimit({ accountId, plan, assetBytes = 0 }: Principal, more: number, query: Query): Promise<void> {
    const limit = plan.storageBytes;
    if (limit === null) return;
    const used = assetBytes + (await this.readStorage(accountId, query)).bytes;
    if (used + more <= limit) return;
    throw new ServiceError(
      'storage_limit',
      `the plan ${plan.name} stores ${limit} bytes, and with this the account would have more; delete documents, wait until some have expired, or send the request with store set to false`,
      { members: { limit, used } },
    );
  }

  /** Resolves when everything committed so far survives a power failure. */
  async flush(): Promise<void> {
    await this.#database.flush();
  }

  /**
   * Removes the content that `write` wrote, after the row could not be inserted. If it is not known whether the row was
   * committed, leaves the content to the sweep.
   */
  async discard(document: StoredDocument, reason?: unknown): Promise<void> {
    if (!isOutcomeUnknown(reason)) await this.#blobs.remove(document.id);
  }

  /** Throws `not_found` (also for a document of another key), `document_expired` and `document_deleted`. */
  async find(keyId: string, id: string): Promise<StoredDocument> {
    if (!isId(id)) return this.#requireLiving(undefined);
    const row = await this.#rows(WITH_REPORT).where('id', '=', id).where('key_id', '=', keyId).executeTakeFirst();
    return this.#requireLiving(row);
  }

  /** Finds the document of a signed link, which needs no key. Throws as `find` does, and `account_suspended`. */
  async findShared(id: string): Promise<StoredDocument> {
    const document = await this.findLinked(id);
    const owner = await this.#database.query
      .selectFrom('documents')
      .innerJoin('accounts', 'accounts.id', 'documents.account_id')
      .select(['accounts.suspended_at', 'accounts.deleted_at'])
      .where('documents.id', '=', id)
      .executeTakeFirst();
    if (owner?.deleted_at) throw documentDeleted(owner.deleted_at); // before a sweep has removed it
    if (owner?.suspended_at) throw accountSuspended();
    return document;
  }

  /** Finds a document whoever owns it. Throws as `find` does. */
  async findLinked(id: string): Promise<StoredDocument> {
    if (!isId(id)) return this.#requireLiving(undefined);
    return this.#requireLiving(await this.#rows(WITH_REPORT).where('id', '=', id).executeTakeFirst());
  }

  /** Reads all bytes or a range. Throws as `find` does, because the document may have been removed in the meantime. */
  async read(document: StoredDocument, range?: ByteRange): Promise<Readable> {
    const content = await this.#blobs.read(document.id, range);
    if (content) return content;
    await this.findLinked(document.id);
    throw storageFailed('the content of the document cannot be found', new Error(`the content of ${document.id} is missing`));
  }

  /**
   * Lists documents after a position, the newest first. A search may return fewer than `limit`, because it reads a limited number
   * of rows.
   */
  async list(keyId: string, limit: number, filter: DocumentFilter, after?: Position): Promise<ListPage<StoredDocument>> {
    const { text, templateId } = filter;
    if (templateId !== undefined && !isId(templateId)) return { items: [], next: undefined };
    const isWholeId = text !== undefined && ID.test(text);
    const listed = this.#selectListed(keyId, filter).$if(isWholeId, (rows) => rows.where('id', '=', text as string));
    const filtered = templateId !== undefined && !isWholeId;
    const having = havingMetadata(this.#database.query, listed, { kind: 'document', keyId, ...filter, filtered });
    const { search: searchMetadata } = having;
    const words = text !== undefined && !isWholeId ? searchWords('filename', text) : undefined;
    const search: typeof searchMetadata = (found) => {
      const those = searchMetadata ? searchMetadata(found) : found;
      return words ? those.where(words.where) : those;
    };
    const isSearch = words !== undefined || searchMetadata !== undefined;
    const keep = words?.keep && (({ filename }: StoredDocument) => words.keep?.(filename) ?? true);
    return readListPage(having.rows, {
      ...having,
      limit,
      after,
      toItem: toDocument,
      search: isSearch ? search : undefined,
      keep,
    });
  }

  #selectListed(keyId: string, { templateId, createdAfter, createdBefore }: DocumentFilter) {
    return this.#rows(COLUMNS)
      .where('key_id', '=', keyId)
      .where('has_content', '=', (eb) => eb.lit(1)) // a literal lets SQLite use the partial index of documents with content
      .where('remove_at', '>', this.#clock())
      .$if(templateId !== undefined, (query) => query.where('template_id', '=', templateId as string))
      .$if(createdAfter !== undefined, (query) => query.where('created_at', '>', createdAfter as number))
      .$if(createdBefore !== undefined, (query) => query.where('created_at', '<', createdBefore as number));
  }

  /** Resolves when the content has been removed. Throws as `find` does. */
  async remove(keyId: string, id: string): Promise<void> {
    await this.find(keyId, id);
    await this.markDeleted(id, this.#database.query);
    await this.#database.flush();
    await this.removeContent(id);
  }

  /** Marks the document as deleted. Its content is removed by `removeContent` or by the next sweep. */
  async markDeleted(id: string, query: Query): Promise<void> {
    const now = this.#clock();
    await query
      .updateTable('documents')
      .set({ deleted_at: now, remove_at: now })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .execute();
  }

  /** Returns up to `limit` expired documents that still have content, the oldest first. */
  async dueContent(limit: number): Promise<string[]> {
    const due = await this.#database.query
      .selectFrom('documents')
      .select('id')
      .where('has_content', '=', (eb) => eb.lit(1))
      .where('remove_at', '<=', this.#clock())
      .orderBy('remove_at')
      .limit(limit)
      .execute();
    return due.map(({ id }) => id);
  }

  /**
   * Removes the content of a document that has expired or was deleted, and then clears the columns that describe it. An
   * interrupted removal can be repeated.
   */
  async removeContent(id: string): Promise<void> {
    await this.#blobs.remove(id);
    const nothing = { filename: null, bytes: null, pages: null, media_type: null, width: null, height: null, sha256: null };
    await this.#database.transaction(async (query) => {
      const gone = await query
        .updateTable('documents')
        .set({ ...nothing, source: null, template_id: null, report: null, metadata: null, has_content: 0 })
        .where('id', '=', id)
        .where('has_content', '=', 1)
        .returning(['id', 'key_id as keyId', 'account_id as accountId', 'expires_at as expiresAt', 'deleted_at as deletedAt'])
        .executeTakeFirst();
      if (gone) await removeFromIndex(query, id);
      if (gone && gone.deletedAt === null) await this.#tellExpired(gone, query);
    });
  }

  async readStorage(accountId: string, query = this.#database.query): Promise<{ documents: number; bytes: number }> {
    const stored = query
      .selectFrom('documents')
      .where('account_id', '=', accountId)
      .where('has_content', '=', (eb) => eb.lit(1))
      .where('remove_at', '>', this.#clock());
    const { count: documents, bytes } = await readTotal(stored);
    return { documents, bytes };
  }

  /** Returns how many bytes of documents are stored for all accounts. */
  async storedBytes(): Promise<number> {
    const stored = this.#database.query.selectFrom('documents').where('has_content', '=', (eb) => eb.lit(1));
    return (await readTotal(stored)).bytes;
  }

  #rows<C extends typeof COLUMNS | typeof WITH_REPORT>(columns: C) {
    return this.#database.query.selectFrom('documents').select(columns);
  }

  #requireLiving(row: DocumentRow | undefined): StoredDocument {
    if (!row) throw new ServiceError('not_found', 'there is no such document, or it belongs to another key');
    if (row.deleted_at !== null) throw documentDeleted(row.deleted_at);
    if (row.expires_at <= this.#clock())
      throw new ServiceError('document_expired', `the document expired at ${new Date(row.expires_at).toISOString()}`);
    return toDocument(row);
  }
}

function documentDeleted(at: number): ServiceError {
  return new ServiceError('document_deleted', `the document was deleted at ${new Date(at).toISOString()}`);
}

const insertDocument = prepareInsert('documents', [...WITH_REPORT, 'key_id', 'account_id', 'remove_at', 'has_content']);

/** Hashes each chunk when it is written, so that a large PDF does not block the event loop. */
function* digestChunks(chunks: readonly Buffer[], hash: Hash): Iterable<Buffer> {
  for (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

type DocumentRow = Pick<Tables['documents'], (typeof COLUMNS)[number]> & { report?: string | null };

function toDocument(row: DocumentRow): StoredDocument {
  return {
    id: row.id,
    filename: row.filename ?? '',
    bytes: row.bytes ?? 0,
    pages: row.pages ?? 0,
    image: row.media_type === null ? undefined : { type: row.media_type, width: row.width ?? 0, height: row.height ?? 0 },
    sha256: row.sha256 ?? '',
    source: (row.source ?? 'html') as SourceKind,
    templateId: row.template_id,
    metadata: readMetadata(row.metadata),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    report: row.report ? (JSON.parse(row.report) as Report) : undefined,
  };
}
