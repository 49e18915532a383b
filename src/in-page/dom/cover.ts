/** The style with which a document is loaded that is not to be laid out yet: `src/chromium/load/cover.ts`. */

import { BETWEEN_PRINTS } from '../contract/limits.ts';
import { call, matches } from './nodes.ts';

const COVER = 'style[data-platen-cover]';

export function removeCover(): null {
  call(document, 'querySelector', COVER)?.remove();
  return null;
}

/** The style sheet that hides the document. */
export function coverSheet(): CSSStyleSheet | undefined {
  const style = call(document, 'querySelector', COVER);
  return (style instanceof HTMLStyleElement && style.sheet) || undefined;
}

/** Hides the document in every window, or only in one that is one pixel high. */
export function hideInAllWindows(hides: boolean): null {
  const rule = coverSheet()?.cssRules[0];
  if (rule instanceof CSSMediaRule) rule.media.mediaText = hides ? 'all' : BETWEEN_PRINTS;
  return null;
}

/** Whether it will be removed with the document's cover. */
export function isOfCover({ ownerNode }: CSSStyleSheet): boolean {
  return ownerNode instanceof HTMLStyleElement && matches(ownerNode, COVER);
}
