/** Hides documents outside of prints: while the window is one pixel high, which no page is, a rule of theirs applies. */
import { LOW_WINDOW_PX } from '../../in-page/contract/limits.ts';
import type { Questions } from '../../in-page/contract/questions.ts';
import { ask, DONE, setCover } from './ask.ts';
import type { Session } from './connection.ts';
import type { Emulation, Viewport } from './emulation.ts';

/** Questions to which a hidden document gives the same answer. */
export const KEPT_FOR: ReadonlySet<keyof Questions> = new Set<keyof Questions>([
  'addRule',
  'appendCjkFonts',
  'awaitAssets',
  'beginWindows',
  'changeTables',
  'combineDocuments',
  'extendStyleSheets',
  'findMissingParts',
  'findPageEnds',
  'findTables',
  'findUnrepeatedRows',
  'hideDocument',
  'hideInAllWindows',
  'hidePageStyles',
  'hideTableRows',
  'insertSoftHyphens',
  'inspectText',
  'listHyphenatedWords',
  'loadPictures',
  'mayHaveLost',
  'putBackContents',
  'readMarker',
  'readStyleSheets',
  'releaseSticky',
  'removeLayoutLinks',
  'removeRiskLinks',
  'restoreAttributes',
  'restoreFields',
  'restoreLastBlock',
  'setHeaderMargins',
  'setMarginRules',
  'showDocument',
  'showOverlay',
  'showWindow',
]);

export function isLow({ height }: Viewport): boolean {
  return height === LOW_WINDOW_PX;
}

/** Hides a document outside of prints, while no question needs it in this window. The document has a rule for that. */
export function hideBetweenPrints(session: Session, emulation: Emulation, window = emulation.window): Promise<void> {
  const hide = () => emulation.resize({ ...window, height: LOW_WINDOW_PX });
  const hideInAllWindows = (hides: boolean) => ask(session, 'hideInAllWindows', [hides], DONE);
  // A document that a question has changed would be laid out once more in its window.
  const putBack = () => Promise.all([hideInAllWindows(true), hide(), hideInAllWindows(false)]);
  setCover(session, { keptFor: KEPT_FOR, remove: () => emulation.resize(window), putBack });
  return hide();
}
