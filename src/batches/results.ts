/** Looks up the results of a batch: for each item its document, or the error that explains why it has none. */
import type { Documents, StoredDocument } from '../documents/documents.ts';
import { hasCode } from '../errors.ts';
import type { BatchItem, WholeBatch } from './batches.ts';
import { toItemError } from './prepare-items.ts';
import type { ItemError } from './queue.ts';

export interface Result {
  item: BatchItem;
  /** Undefined if the item has no document, or it was removed. */
  document: StoredDocument | undefined;
  /** The error of the item, or the reason why its document was removed. */
  error: ItemError | undefined;
}

/** Results in the order of the items. Each document is looked up only when its result is requested. */
export async function* readResults(documents: Documents, keyId: string, { items }: WholeBatch): AsyncGenerator<Result> {
  for (const item of items) yield await readResult(documents, keyId, item);
}

async function readResult(documents: Documents, keyId: string, item: BatchItem): Promise<Result> {
  if (!item.document) return { item, document: undefined, error: item.error };
  try {
    return { item, document: await documents.find(keyId, item.document.id), error: undefined };
  } catch (error) {
    return { item, document: undefined, error: goneError(error) };
  }
}

/** The error for a document that was removed. Rethrows all other errors. */
export function goneError(error: unknown): ItemError {
  if (hasCode(error, 'document_expired', 'document_deleted', 'not_found')) return toItemError(error);
  throw error;
}

/** The filename that the caller gave the document; undefined if it has the default name. */
export function chosenFilename({ id, filename }: StoredDocument): string | undefined {
  return filename === `${id}.pdf` ? undefined : filename;
}
