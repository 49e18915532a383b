/** Hides documents outside of prints: while the window is one pixel high, which no page is, a rule of theirs applies. */
import { LOW_WINDOW_PX } from '../../in-page/contract/limits.ts';
import type { Questions } from '../../in-page/contract/questions.ts';
import { setCover } from './ask.ts';
import type { Session } from './connection.ts';
import type { Emulation, Viewport } from './emulation.ts';

/** Questions to which a hidden document gives the same answer. */
export const KEPT_FOR: ReadonlySet<keyof Questions> = new Set<keyof Questions>([
  'addRule',
  'appendCjkFonts',
  'awaitAssets',
  'beginWindows',
  'combineDocuments',
  'extendStyleSheets',
  'findMissingParts',
  'findTables',
  'insertSoftHyphens',
  'inspectText',
  'listHyphenatedWords',
  'putBackContents',
  'readMarker',
  'readStyleSheets',
  'showWindow',
]);

export function isLow({ height }: Viewport): boolean {
  return height === LOW_WINDOW_PX;
}

export function lowWindow(window: Viewport): Viewport {
  return { ...window, height: LOW_WINDOW_PX };
}

/** Hides a document that is printed in windows outside of prints. Its windows have the rule. */
export function hideBetweenPrints(session: Session, emulation: Emulation): Promise<void> {
  const { window } = emulation;
  setCover(session, { keptFor: KEPT_FOR, remove: () => emulation.resize(window) });
  return emulation.resize(lowWindow(window));
}
