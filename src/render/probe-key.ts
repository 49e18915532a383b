/** Keys for links that tell where something is in a PDF. */
import { createHash, randomBytes } from 'node:crypto';
import type { Content } from '../chromium/load/load-settings.ts';

/** Random for each process. Documents must not know it. */
const SALT = randomBytes(16);

/**
 * The key that begins the addresses of links that are placed over elements of a document. It is a digest of the document, so that the document
 * cannot contain it and no text can forge such a link. The same document always has the same key.
 */
export function probeKey(content: Content, kind: 'field' | 'place'): string {
  const hash =
    content.kind === 'url' ? createHash('sha256').update(SALT).update(content.url) : createHash('sha256').update(content.html);
  return `platen-${kind}-${hash.digest('hex').slice(0, 32)}`;
}
