/**
 * Hides documents that need not be laid out before they are printed, until a question about their layout is asked. The style is the first
 * element of the head.
 */
import { BETWEEN_PRINTS } from '../../in-page/contract/limits.ts';
import { ask, DONE, setCover } from '../devtools/ask.ts';
import { DEFAULT_DEVICE, type Viewport } from '../devtools/emulation.ts';
import { ANYTHING, evaluate } from '../devtools/evaluate.ts';
import { hideBetweenPrints, isLow, KEPT_FOR } from '../devtools/hiding.ts';
import type { HtmlClass } from './html/classify-html.ts';
import { insertInHead } from './html/insert-into-head.ts';
import type { LoadJob } from './load-job.ts';
import type { PageParts } from './page-parts.ts';

/** Hides a long document until it is shown in parts. */
const OF_LONG_DOCUMENTS = 'body { display: none !important }';
/** Hides a document outside of prints, because Chromium would lay it out for the window before, and again after. */
const OF_THE_SCREEN = `@media ${BETWEEN_PRINTS} { :root { display: none !important } }`;

/** Events about the size of the window are sent before it, so that the next document gets none. */
const NEXT_FRAME = 'new Promise((resolve) => requestAnimationFrame(resolve))';

type Cover = typeof OF_LONG_DOCUMENTS | typeof OF_THE_SCREEN;

/**
 * A document whose layout is looked at is shown. So is one with Chinese characters, because Chromium remembers the font in which it first
 * draws each, also to inspect it.
 */
export function chooseCover(htmlClass: HtmlClass, { mayDivide, load, print, hanLanguages }: LoadJob): Cover | undefined {
  const { isStatic, mayBeLong, loadsForBoxes, mayBeAnimated, mayLookWrong } = htmlClass;
  if (mayDivide && mayBeLong && !load.waitForSelector) return OF_LONG_DOCUMENTS;
  const isOnlyPrinted =
    isStatic && !mayLookWrong && !loadsForBoxes && !mayBeAnimated && print && !print.singlePage && !hanLanguages;
  return isOnlyPrinted && load.device === DEFAULT_DEVICE ? OF_THE_SCREEN : undefined;
}

/**
 * Prepares the page for a document with this cover or none. The window is the one that the document has without a cover. A document with
 * scripts may be written as soon as this resolves.
 */
export async function prepareCover(
  cover: Cover | undefined,
  { session, emulation }: PageParts,
  window: Viewport,
  hasScripts: boolean,
): Promise<void> {
  const wasLow = isLow(emulation.window);
  const ofLong = { keptFor: KEPT_FOR, remove: () => ask(session, 'removeCover', [], DONE) };
  setCover(session, cover === OF_LONG_DOCUMENTS ? ofLong : undefined);
  await (cover === OF_THE_SCREEN ? hideBetweenPrints(session, emulation, window) : emulation.resize(window));
  if (wasLow && hasScripts) await evaluate(session, { expression: NEXT_FRAME }, ANYTHING);
}

/** The style itself is hidden even in documents that show all their elements. */
export function withCover(html: string, cover: Cover | undefined): string {
  if (!cover) return html;
  return insertInHead(html, `<style data-platen-cover>${cover} [data-platen-cover] { display: none !important }</style>`);
}
