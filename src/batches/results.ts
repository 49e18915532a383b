/** A batch in; for each of its items the document as it is now, or why there is none, out. */
import type { Documents, StoredDocument } from '../documents/documents.ts';
import { hasCode } from '../errors.ts';
import type { BatchItem, WholeBatch } from './batches.ts';
import { itemErrorOf } from './prepare-items.ts';
import type { ItemError } from './queue.ts';

export interface Result {
  item: BatchItem;
  /** Undefined: the item has none, or it is gone. */
  document: StoredDocument | undefined;
  /** Of the item, or why its document is gone. */
  error: ItemError | undefined;
}

/** In the order of the items, each looked up when it is asked for. */
export async function* resultsOf(documents: Documents, keyId: string, { items }: WholeBatch): AsyncGenerator<Result> {
  for (const item of items) yield await resultOf(documents, keyId, item);
}

async function resultOf(documents: Documents, keyId: string, item: BatchItem): Promise<Result> {
  if (!item.document) return { item, document: undefined, error: item.error };
  try {
    return { item, document: await documents.find(keyId, item.document.id), error: undefined };
  } catch (error) {
    return { item, document: undefined, error: goneError(error) };
  }
}

/** Why a document cannot be had any more. What fails for another reason is thrown. */
export function goneError(error: unknown): ItemError {
  if (hasCode(error, 'document_expired', 'document_deleted', 'not_found')) return itemErrorOf(error);
  throw error;
}

/** The name its caller gave the document. */
export function givenName({ id, filename }: StoredDocument): string | undefined {
  return filename === `${id}.pdf` ? undefined : filename;
}
