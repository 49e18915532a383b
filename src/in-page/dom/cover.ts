/** The style with which a document is loaded that is not to be laid out yet: `src/chromium/load/cover.ts`. */

import { call } from './nodes.ts';

export function removeCover(): null {
  call(document, 'querySelector', 'style[data-platen-cover]')?.remove();
  return null;
}
