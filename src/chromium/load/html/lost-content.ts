/**
 * Finds content that a print leaves out: the content of closed `details` elements, and links whose URLs cannot be resolved. The
 * function below is sent as text and runs in an isolated world of the page, so that it may use only what is sent with it.
 */
import { Type } from 'typebox';
import { shape } from '../../devtools/evaluate.ts';
import { FRAMES, type selectIn as SelectIn } from '../../in-page/page-frames.ts';
import { NAME_FUNCTIONS } from '../../print/content-clipping.ts';

export interface LostContent {
  /** The first closed `details` element, and their number. */
  closed?: { element: string; count: number };
  /** Links, as the document writes them. */
  links: Array<{ url: string; element: string }>;
}

export const NOTHING_LOST: LostContent = { links: [] };

/** Matches markup that may lose something: URLs that are neither absolute nor of a part of the document. */
export const MAY_LOSE = /<details|href\s*=\s*["']?(?!["'\s>#]|[a-z][-+.\w]{0,40}:)/i;

const MAX_LINKS = 100;
const MAX_TEXT = 500;

export const LOST_CONTENT = `(() => { ${[...FRAMES, ...NAME_FUNCTIONS, lostContent].join('\n')}; return lostContent(${MAX_LINKS}, ${MAX_TEXT}) })()`;

const Text = Type.String();
/** What `LOST_CONTENT` evaluates to. */
export const LOST = shape(
  Type.Object({
    closed: Type.Optional(Type.Object({ element: Text, count: Type.Integer() })),
    links: Type.Array(Type.Object({ url: Type.String({ maxLength: MAX_TEXT }), element: Text }), { maxItems: MAX_LINKS }),
  }),
);

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const document: PageElement;
declare const selectIn: typeof SelectIn;
declare const nameOf: (element: PageElement) => string;
declare const getComputedStyle: (element: PageElement, pseudo: string) => { getPropertyValue(name: string): string };

function lostContent(maxLinks: number, maxText: number): LostContent {
  const isClosed = (details: PageElement) => {
    const isHidden = getComputedStyle(details, '::details-content').getPropertyValue('content-visibility') === 'hidden';
    const summary = details.querySelector(':scope > summary')?.textContent.trim() ?? '';
    return isHidden && details.checkVisibility() && details.textContent.trim() !== summary;
  };
  const closed = [...selectIn<PageElement>(document, 'details:not([open])')].filter(isClosed);
  const lost = new Map<string, string>();
  for (const link of selectIn<PageElement>(document, 'a[href]')) {
    const url = link.getAttribute('href').trim().slice(0, maxText).toWellFormed();
    if (lost.size >= maxLinks) break;
    if (!url || url.startsWith('#') || lost.has(url) || URL.canParse(url, document.baseURI)) continue;
    const isShown = link.checkVisibility() && [...link.getClientRects()].some(({ width, height }) => width > 0 && height > 0);
    if (isShown) lost.set(url, nameOf(link));
  }
  const [first] = closed;
  return {
    ...(first && { closed: { element: nameOf(first), count: closed.length } }),
    links: Array.from(lost, ([url, element]) => ({ url, element })),
  };
}
