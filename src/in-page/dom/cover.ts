/** The style with which a document is loaded that is not to be laid out yet: `src/chromium/load/cover.ts`. */

import { call, matches } from './nodes.ts';

const COVER = 'style[data-platen-cover]';

export function removeCover(): null {
  call(document, 'querySelector', COVER)?.remove();
  return null;
}

/** Whether it will be removed with the document's cover. */
export function isOfCover({ ownerNode }: CSSStyleSheet): boolean {
  return ownerNode instanceof HTMLStyleElement && matches(ownerNode, COVER);
}
