/** Finds out which content of a loaded document depends on its pages, and prepares it. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { PrintOrder } from '../print-order.ts';
import { probeKey } from '../probe-key.ts';
import { PagedContent } from './paged-content.ts';
import type { PagedPart } from './paged-part.ts';

/** Returns undefined if there is no such content. */
export async function preparePaged(document: LoadedDocument, { content }: PrintOrder): Promise<PagedContent | undefined> {
  const key = probeKey(content, 'place');
  const parts: PagedPart[] = [];
  return parts.length ? new PagedContent(document, key, parts) : undefined;
}
