/** Merges the documents of a finished batch into one PDF, in the order of the items, with a bookmark for each. */
import type { Principal } from '../accounts/accounts.ts';
import { Deadline } from '../deadline.ts';
import type { Documents, StoredDocument } from '../documents/documents.ts';
import { hasCode, ServiceError } from '../errors.ts';
import { type FinishQueue, totalLength } from '../render/steps/finish-queue.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { BatchItem, WholeBatch } from './batches.ts';
import { chosenFilename, type Result, readResults } from './results.ts';

interface MergingOptions {
  documents: Documents;
  finishing: Pick<FinishQueue, 'merge'>;
  blobs: Pick<Blobs, 'spool'>;
  /** Total size of the documents of one batch. */
  maxBytes: number;
  /** Size of the merged PDF. */
  maxPdfBytes: number;
  timeoutMs: number;
}

export interface MergedBatch {
  /** The caller must read this stream to its end or destroy it. */
  content: Awaited<ReturnType<Blobs['spool']>>;
  bytes: number;
  pages: number;
  /** Positions of the items that are missing from the PDF because they failed or their documents were removed. */
  leftOut: number[];
}

/** Pages are limited as well as bytes, because each page takes time and repeated documents add pages but few bytes. */
const MAX_PAGES = 50_000;

type Present = Result & { document: StoredDocument };

export class Merging {
  readonly #options: MergingOptions;

  constructor(options: MergingOptions) {
    this.#options = options;
  }

  /**
   * Merges the documents and spools the PDF to disk after `makeRoomFor` has accounted for its size. Throws `not_mergeable`,
   * `resource_limit`, `queue_full`, `render_timeout`, and any error of `makeRoomFor` or of reading a document.
   */
  async merge(
    { keyId, accountId }: Principal,
    batch: WholeBatch,
    makeRoomFor: (bytes: number) => void,
    client: AbortSignal,
  ): Promise<MergedBatch> {
    const { blobs, documents } = this.#options;
    const results: Result[] = [];
    for await (const result of readResults(documents, keyId, batch)) results.push(result);
    const present = results.filter((result): result is Present => result.document !== undefined);
    const leftOut = results.filter(({ document }) => !document).map(({ item }) => item.position);
    if (!present.length) throw new ServiceError('not_mergeable', 'the batch has no documents to merge');
    const pages = present.reduce((sum, { document }) => sum + document.pages, 0);
    const chunks = await this.#mergeAll(accountId, present, pages, client);
    const bytes = totalLength(chunks);
    makeRoomFor(bytes);
    return { content: await blobs.spool(chunks), bytes, pages, leftOut };
  }

  async #mergeAll(accountId: string, present: Present[], pages: number, client: AbortSignal): Promise<Buffer[]> {
    const { documents, finishing, timeoutMs, maxBytes, maxPdfBytes } = this.#options;
    const distinct = [...new Map(present.map(({ document }) => [document.id, document])).values()];
    const bytes = distinct.reduce((sum, document) => sum + document.bytes, 0);
    if (bytes > maxBytes) throw tooLarge('bytes', maxBytes, bytes);
    if (pages > MAX_PAGES) throw tooLarge('pages', MAX_PAGES, pages);
    const indexes = new Map(distinct.map(({ id }, index) => [id, index]));
    const parts = present.map(({ item, document }) => ({
      document: indexes.get(document.id) ?? 0,
      title: itemTitle(item, document),
    }));
    using deadline = new Deadline(timeoutMs, client);
    const read = async () => {
      const contents: Uint8Array[] = [];
      for (const document of distinct) contents.push(await readWhole(documents, document, deadline));
      return { documents: contents, parts, maxBytes: maxPdfBytes };
    };
    const merged = await finishing.merge(accountId, bytes, read, deadline).catch((error: unknown) => {
      throw hasCode(error, 'render_timeout') ? tooSlow(timeoutMs) : error;
    });
    if ('protectedParts' in merged) throw isProtected(merged.protectedParts.map((part) => (present[part] as Present).item));
    return merged;
  }
}

/** Reads a document into a buffer of its own, which can be transferred to another thread. */
async function readWhole(documents: Documents, document: StoredDocument, deadline: Deadline): Promise<Uint8Array> {
  const content = new Uint8Array(document.bytes);
  let at = 0;
  for await (const chunk of await documents.read(document)) {
    deadline.throwIfOver();
    content.set(chunk as Buffer, at);
    at += (chunk as Buffer).length;
  }
  return content;
}

function itemTitle({ reference, position }: BatchItem, document: StoredDocument): string {
  return reference || chosenFilename(document) || `Item ${position + 1}`;
}

function tooLarge(unit: 'bytes' | 'pages', limit: number, actual: number): ServiceError {
  const detail = `the documents of the batch have ${actual} ${unit} together, and at most ${limit} can be merged; fetch them as .zip`;
  return new ServiceError('resource_limit', detail, { members: { limit, actual } });
}

function tooSlow(timeoutMs: number): ServiceError {
  const detail = `the documents could not be merged within ${timeoutMs} ms; fetch them as .zip`;
  return new ServiceError('render_timeout', detail, { members: { phase: 'finish', timeout_ms: timeoutMs } });
}

const NAMED = 10;

function isProtected(items: BatchItem[]): ServiceError {
  const indexes = items.slice(0, NAMED).map(({ position }) => position);
  const more = items.length > NAMED ? ` and ${items.length - NAMED} more` : '';
  const detail = `documents with a password or a signature cannot be merged: those of the items ${indexes.join(', ')}${more}; fetch them as .zip`;
  const named = items.map(({ position, reference }) => ({ index: position, reference }));
  return new ServiceError('not_mergeable', detail, { members: { items: named } });
}
