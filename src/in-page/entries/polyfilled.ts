/** Recognises documents whose scripts implement CSS for pages themselves, such as Paged.js and Vivliostyle. */
import { findFirst, read } from '../dom/nodes.ts';

const POLYFILLED = '.pagedjs_pages, [data-vivliostyle-page-container]';

export function isPolyfilled(): boolean {
  return findFirst(read(document, 'documentElement'), POLYFILLED) !== null;
}
