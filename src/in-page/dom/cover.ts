/** The style with which a long document is loaded, so that it is not laid out as a whole before it is printed in windows. */

import { call } from './nodes.ts';

export function removeCover(): void {
  call(document, 'querySelector', 'style[data-platen-cover]')?.remove();
}
