/**
 * Finds parts of a loaded document that are missing although no network request failed, or that have the wrong content. The
 * functions below are sent as text and run in the page, so that they may use only each other.
 */

import { Type } from 'typebox';
import { shape } from '../../devtools/evaluate.ts';
import { SETTINGS } from '../../devtools/in-page-program.ts';
import {
  FRAMES,
  type framed as Framed,
  type selectIn as SelectIn,
  type withShadows as WithShadows,
} from '../../in-page/page-frames.ts';
import type { MissingResource } from '../../print/missing-resource.ts';
import {
  type decodes as Decodes,
  type lookAtStyles as LookAtStyles,
  MISSING_STYLES,
  STYLE_LIMITS,
  type StyledDocument,
} from './missing-styles.ts';

const MAX_PARTS = 1_000;
const MAX_ADDRESS = 500;
const MAX_OTHERS = 10;
const REASONS: Record<string, string> = {
  base: 'the URL is relative, and the document has no base URL: send the file in assets, or set baseUrl',
  file: 'a document cannot read files of the server',
  scheme: 'nothing can be loaded from a URL with this scheme',
  image: 'the data is not an image that the browser can show',
  font: 'the font was not loaded, or it cannot be read',
  late: 'the font arrived too late for its font-display: use swap or block',
  sprite: 'parts of an SVG file are loaded only from the origin of the document: embed the SVG',
  xml: 'the XHTML cannot be parsed: everything after its first error is missing',
  failed: 'failed',
};

const FUNCTIONS = [
  ...MISSING_STYLES,
  ...FRAMES,
  documentsIn,
  viewOf,
  judgeAddress,
  chosenAddress,
  lookAtImages,
  lookAtAddresses,
  lookAtEmbedded,
  lookAtScripts,
  lookAtMedia,
  lookAtLinks,
  lookAtSprites,
  lookAtMarkup,
  lookAtFailed,
  lookAround,
].join(' ');

/** Its promise resolves to the parts. Without scripts nothing can be waited for, so that images in styles are not checked. */
export function missingResourcesExpression(hasScript: boolean): string {
  const limits = { ...STYLE_LIMITS, images: hasScript ? STYLE_LIMITS.images : 0 };
  return `(() => { ${FUNCTIONS} return lookAround(${JSON.stringify(limits)}, ${MAX_PARTS}, ${MAX_ADDRESS}, ${MAX_OTHERS}, (page) => page.defaultView?.[${JSON.stringify(SETTINGS.key)}]?.failed ?? []) })()`;
}

const Address = Type.String({ minLength: 1, maxLength: MAX_ADDRESS });
export const MISSING_PARTS = shape(
  Type.Array(Type.Tuple([Address, Type.Enum(Object.keys(REASONS)), Type.Array(Type.String(), { maxItems: MAX_OTHERS })]), {
    maxItems: MAX_PARTS,
  }),
);

export function missingResources(parts: Array<[url: string, code: string, others: string[]]>): MissingResource[] {
  return parts.map(([url, code, others]) => ({ url: url.toWellFormed(), reason: REASONS[code] ?? code, others }));
}

type Judge = (address: string, base: string) => string | undefined;
type Note = (address: string, reason: string, others?: string[]) => void;

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  localName: string;
  parentElement: PageElement | null;
  children: Iterable<PageElement>;
  style?: { cssText: string };
  sheet?: unknown;
  disabled?: boolean;
  networkState?: number;
  getAttribute(name: string): string | null;
  checkVisibility(): boolean;
}
interface PageImage extends PageElement {
  complete: boolean;
  naturalWidth: number;
  currentSrc: string;
}
export interface PageDocument {
  baseURI: string;
  documentURI: string;
  contentType: string;
  defaultView: { origin: string; matchMedia(query: string): { matches: boolean } } | null;
  /** Is set for a shadow root, which is inspected like a document but has no window of its own. */
  ownerDocument?: PageDocument | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}
declare const framed: typeof Framed;
declare const selectIn: typeof SelectIn;
declare const withShadows: typeof WithShadows;
declare const decodes: typeof Decodes;
declare const lookAtStyles: typeof LookAtStyles;
declare const document: PageDocument;

/** Includes the documents of frames that can be accessed. */
function documentsIn(page: PageDocument): PageDocument[] {
  return [page, ...framed(page, true).flatMap(documentsIn)];
}

function viewOf({ defaultView, ownerDocument }: PageDocument): PageDocument['defaultView'] {
  return defaultView ?? ownerDocument?.defaultView ?? null;
}

function judgeAddress(address: string, base: string): string | undefined {
  const scheme = /^\s*([a-z][-+.\w]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === 'file') return 'file';
  return URL.canParse(address, base) ? undefined : 'base';
}

/** Returns the candidate that the browser chose, or the first if it chose none. */
function chosenAddress(page: PageDocument, image: PageImage): string {
  const first = (candidates: string | null) => candidates?.trim().split(/,?\s+/)[0] ?? '';
  if (image.currentSrc) return image.currentSrc;
  const sources = image.parentElement?.localName === 'picture' ? [...image.parentElement.children] : [];
  const source = sources.find((each) => {
    const media = each.getAttribute('media');
    return each.localName === 'source' && (!media || viewOf(page)?.matchMedia(media).matches);
  });
  return (
    first(source?.getAttribute('srcset') ?? null) ||
    first(image.getAttribute('srcset')) ||
    (image.getAttribute('src') ?? '').trim()
  );
}

function lookAtImages(page: PageDocument, images: Iterable<PageImage>, judge: Judge, note: Note): void {
  for (const image of images) {
    if (!image.complete || image.naturalWidth > 0) continue;
    const address = chosenAddress(page, image);
    const isUsual = /^(?:https?|data|blob):/i.test(URL.parse(address, page.baseURI)?.href ?? '');
    if (address) note(address, judge(address, page.baseURI) ?? (isUsual ? 'image' : 'scheme'));
  }
}

function lookAtAddresses(page: PageDocument, judge: Judge, note: Note): void {
  const attributes: Array<[selector: string, attribute: string]> = [
    ['iframe:not([srcdoc]), frame, embed, input[type=image i]', 'src'],
    ['object', 'data'],
    ['video', 'poster'],
    ['image, feImage', 'href'],
    ['image, feImage', 'xlink:href'],
  ];
  for (const [selector, attribute] of attributes) {
    for (const element of selectIn<PageElement>(page, selector)) {
      const address = element.getAttribute(attribute) ?? '';
      const reason = judge(address, page.baseURI);
      if (reason) note(address, reason);
    }
  }
}

/** Decodes images in `data:` URLs, because a broken one cannot be found otherwise if nothing listened for its error event. */
async function lookAtEmbedded(page: PageDocument, note: Note, atMost: number): Promise<void> {
  const attributes = ['poster', 'href', 'xlink:href', 'src'];
  const elements = [...selectIn<PageElement>(page, 'image, feImage, input[type=image i], video[poster]')];
  const addressOf = (element: PageElement) => attributes.map((name) => element.getAttribute(name)).find(Boolean);
  const named = elements.map((element) => addressOf(element) ?? '');
  const embedded = new Set(named.filter((address) => /^\s*data:/i.test(address)));
  await Promise.all([...embedded].slice(0, atMost).map(async (url) => (await decodes(url)) || note(url, 'image')));
}

/**
 * Checks only the URLs, because scripts have no state. In a shadow root that the markup declares, a script may have failed before
 * anything listened for its error event.
 */
function lookAtScripts(page: PageDocument, judge: Judge, note: Note): void {
  for (const script of selectIn<PageElement>(page, 'script[src]:not([nomodule])')) {
    const address = script.getAttribute('src') ?? '';
    const runs = /^\s*$|^module$|(?:java|ecma)script/i.test(script.getAttribute('type') ?? '');
    const reason = runs && judge(address, page.baseURI);
    if (reason) note(address, reason);
  }
}

function lookAtMedia(page: PageDocument, judge: Judge, note: Note): void {
  for (const element of selectIn<PageElement>(page, ':is(video, audio)[src], :is(video, audio) > source[src]')) {
    const player = element.localName === 'source' ? element.parentElement : element;
    const address = element.getAttribute('src') ?? '';
    if (address && player?.networkState === 3) note(address, judge(address, page.baseURI) ?? 'failed');
  }
}

function lookAtLinks(page: PageDocument, judge: Judge, note: Note): void {
  const links = 'link[rel~=stylesheet i]:not([rel~=alternate i])';
  for (const link of selectIn<PageElement>(page, links)) {
    const address = link.getAttribute('href') ?? '';
    const isCss = (link.getAttribute('type') || 'text/css') === 'text/css';
    if (link.sheet === null && !link.disabled && isCss) note(address, judge(address, page.baseURI) ?? 'failed');
  }
}

function lookAtSprites(page: PageDocument, judge: Judge, note: Note): void {
  for (const use of selectIn<PageElement>(page, 'use')) {
    const address = use.getAttribute('href') ?? use.getAttribute('xlink:href') ?? '';
    if (!address || address.startsWith('#')) continue;
    const { protocol = '', origin } = URL.parse(address, page.baseURI) ?? {};
    const isOwn = /^https?:$/.test(protocol) && origin === viewOf(page)?.origin;
    if (!isOwn) note(address, judge(address, page.baseURI) ?? 'sprite');
  }
}

function lookAtMarkup(page: PageDocument, note: Note): void {
  const faults = selectIn<PageElement>(page, 'parsererror');
  if (page.documentURI && page.contentType !== 'text/html' && [...faults].length) note(page.documentURI, 'xml');
}

/** Notes elements that have fired an error event. */
function lookAtFailed(page: PageDocument, failed: Array<[PageElement, string]>, judge: Judge, note: Note): void {
  for (const [element, address] of failed) {
    const hasAnother = element.localName === 'source' && element.parentElement?.networkState !== 3;
    const isImage = ['image', 'feImage', 'input'].includes(element.localName);
    if (address && !hasAnother) note(address, judge(address, page.baseURI) ?? (isImage ? 'image' : 'failed'));
  }
}

async function lookAround(
  limits: Parameters<typeof LookAtStyles>[3],
  atMost: number,
  maxAddress: number,
  maxOthers: number,
  failedOf: (page: PageDocument) => Array<[PageElement, string]>,
): Promise<Array<[string, string, string[]]>> {
  const found = new Map<string, [string, string, string[]]>();
  let base = document.baseURI;
  const cutOf = (address: string) => {
    const url = URL.parse(address, base);
    return (url && /^https?:/.test(url.protocol) ? url.href : address).slice(0, maxAddress);
  };
  const note: Note = (address, reason, others = []) => {
    const cut = cutOf(address);
    if (cut && found.size < atMost && !found.has(cut)) found.set(cut, [cut, reason, others.slice(0, maxOthers).map(cutOf)]);
  };
  for (const page of documentsIn(document).flatMap((each) => withShadows(each))) {
    base = page.baseURI;
    const steps = [
      () => lookAtImages(page, selectIn<PageImage>(page, 'img'), judgeAddress, note),
      () => lookAtAddresses(page, judgeAddress, note),
      () => lookAtEmbedded(page, note, limits.images),
      () => lookAtScripts(page, judgeAddress, note),
      () => lookAtMedia(page, judgeAddress, note),
      () => lookAtLinks(page, judgeAddress, note),
      () => lookAtSprites(page, judgeAddress, note),
      () => lookAtMarkup(page, note),
      () => lookAtFailed(page, failedOf(page), judgeAddress, note),
      () => lookAtStyles(page as unknown as StyledDocument, judgeAddress, note, limits),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch {
        // a document that breaks the functions used here is not inspected
      }
    }
  }
  return [...found.values()];
}
