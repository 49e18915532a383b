/** Tells which document is in the window. */
import { read } from '../dom/nodes.ts';

// As in `Node`, whose constants a document may replace.
const COMMENT = 8;

/** Returns the text of the comment with which the document begins. */
export function readMarker(): string {
  const first = read(document, 'firstChild');
  return first && read(first, 'nodeType') === COMMENT ? (first as Comment).data : '';
}
