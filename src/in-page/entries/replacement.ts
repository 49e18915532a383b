/** Tells which document is in the window. */
import { isComment, read } from '../dom/nodes.ts';

/** Returns the text of the comment with which the document begins. */
export function readMarker(): string {
  const first = read(document, 'firstChild');
  return first && isComment(first) ? first.data : '';
}
