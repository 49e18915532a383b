/** The style with which a document is loaded that is not to be laid out yet: `src/chromium/load/cover.ts`. */

import { BETWEEN_PRINTS } from '../contract/limits.ts';
import { call, matches } from './nodes.ts';

const COVER = 'style[data-platen-cover]';

export function removeCover(): null {
  call(document, 'querySelector', COVER)?.remove();
  return null;
}

/** Hides the document in every window, or only in one that is one pixel high. */
export function hideInAllWindows(hides: boolean): null {
  const style = call(document, 'querySelector', COVER);
  const rule = style instanceof HTMLStyleElement ? style.sheet?.cssRules[0] : undefined;
  if (rule instanceof CSSMediaRule) rule.media.mediaText = hides ? 'all' : BETWEEN_PRINTS;
  return null;
}

/** Whether it will be removed with the document's cover. */
export function isOfCover({ ownerNode }: CSSStyleSheet): boolean {
  return ownerNode instanceof HTMLStyleElement && matches(ownerNode, COVER);
}
