/**
 * The script that makes a loaded document ready to print. The functions below are sent as text and run in the page,
 * so that they may use only each other.
 */
import { seenTextExpression } from '../glyphs/glyph-probe.ts';
import { CONSOLE_ERRORS } from '../in-page/init-script.ts';
import { FINISH_ANIMATIONS } from '../in-page/page-animations.ts';
import {
  FRAMES,
  type framed as Framed,
  type selectIn as SelectIn,
  type withShadows as WithShadows,
} from '../in-page/page-frames.ts';
import { pageSizesExpression } from '../print/page-rules.ts';
import { READ_METADATA } from './html/document-metadata.ts';
import type { AddedTag } from './load-settings.ts';

const WAIT_FOR_ASSETS = [...FRAMES, part, imagesIn, imagesOf, framesOf, fontsOf, waitForAssets];
const HAVE_ASSETS_LOADED = [...FRAMES, part, imagesIn, haveAssetsLoaded];

interface WaitForAssetsOptions {
  waits: boolean;
  /** Whether animations are moved to their end. */
  finishes: boolean;
  /** Whether the document may state metadata. */
  states: boolean;
  /** Whether its markup may declare shadow roots. */
  declaresShadows: boolean;
  active?: { rule: string } | undefined;
}

/**
 * Its promise resolves when fonts and images have loaded, to the errors of the document so far, its metadata and, for an active
 * document, the text that it shows and the sizes in its `@page` rules.
 */
export function waitForAssetsExpression({ waits, finishes, states, declaresShadows, active }: WaitForAssetsOptions): string {
  const finished = finishes ? `(${finishExpression(declaresShadows)}, ${CONSOLE_ERRORS})` : CONSOLE_ERRORS;
  const findings = active ? `${seenTextExpression(declaresShadows)}, ${pageSizesExpression(active.rule)}` : 'null, []';
  const wait = waits ? `${WAIT_FOR_ASSETS.join(' ')} await waitForAssets(document, ${declaresShadows});` : '';
  return `(async () => { ${wait} return [${finished}, ${findings}, ${states ? READ_METADATA : 'null'}] })()`;
}

/** For a document without scripts: moves animations to their end at once, and evaluates to the metadata that it states. */
export function finishWithoutWaitExpression(finishes: boolean, declaresShadows: boolean): string {
  return `(${finishes ? finishExpression(declaresShadows) : 'undefined'}, ${READ_METADATA})`;
}

function finishExpression(declaresShadows: boolean): string {
  return `(() => { ${[...FRAMES, ...FINISH_ANIMATIONS].join('\n')} return finishAnimations(document, ${declaresShadows}) })()`;
}

/** Evaluates to true when fonts and images have loaded. Poll it until then. */
export function areAssetsLoadedExpression(declaresShadows: boolean): string {
  return `(() => { ${HAVE_ASSETS_LOADED.join(' ')} try { return haveAssetsLoaded(document, ${declaresShadows}) } catch { return true } })()`; // as in `waitForAssets`
}

/** Its promise resolves when the element has been added and loaded, and rejects if that fails. */
export function addExpression({ element, from, type }: AddedTag): string {
  return `(${addElement})(${JSON.stringify(element)}, ${JSON.stringify(from)}, ${JSON.stringify(type ?? '')})`;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const framed: typeof Framed;
declare const selectIn: typeof SelectIn;
declare const withShadows: typeof WithShadows;
declare const document: PageDocument;
/** The methods of the prototype are used, because an element whose name is that of a method would hide it. */
declare const Document: { prototype: PageDocument };

interface PageNode {
  append(node: unknown): void;
}

interface PageDocument extends PageNode {
  head: PageNode | null;
  documentElement: (PageNode & { offsetHeight: number }) | null;
  createElement(name: string): Record<string, unknown> & Pick<PageImage, 'addEventListener'>;
  fonts: { size: number; status: string; ready: Promise<unknown> };
  images: Iterable<PageImage>;
  documentURI: string;
}

interface PageFrame extends Pick<PageImage, 'loading' | 'addEventListener'> {
  contentDocument: PageDocument | null;
}

interface PageImage {
  loading: string;
  complete: boolean;
  addEventListener(event: string, listener: () => void): void;
}

function addElement(element: 'style' | 'script', from: { content?: string; url?: string }, type: string): Promise<unknown> {
  // An inline module has no event that tells when it has run.
  if (type === 'module' && from.content !== undefined) return import(`data:text/javascript,${encodeURIComponent(from.content)}`);
  const isLink = element === 'style' && from.url !== undefined;
  const node = document.createElement(isLink ? 'link' : element);
  if (type) node.type = type;
  const loaded = new Promise<void>((resolve, reject) => {
    node.addEventListener('load', resolve);
    node.addEventListener('error', () => reject(new Error(`${from.url ?? 'the content'} could not be loaded`)));
    if (element === 'script' && from.content !== undefined) resolve();
  });
  if (isLink) node.rel = 'stylesheet';
  if (isLink) node.href = from.url;
  else if (from.url !== undefined) node.src = from.url;
  else node.textContent = from.content;
  (document.head ?? document.documentElement ?? document).append(node);
  return loaded;
}

/** Reads a property of the document, whatever its elements are named. */
function part<K extends 'images' | 'fonts' | 'documentElement'>(page: PageDocument, name: K): PageDocument[K] {
  return Object.getOwnPropertyDescriptor(Document.prototype, name)?.get?.call(page);
}

/** Images of the document, and those in shadow roots. */
function* imagesIn(page: PageDocument, looks: boolean): Generator<PageImage> {
  yield* part(page, 'images');
  for (const root of withShadows<object>(page, looks)) if (root !== page) yield* selectIn<PageImage>(root, 'img');
}

function haveAssetsLoaded(page: PageDocument, looks: boolean): boolean {
  for (const image of imagesIn(page, looks)) {
    image.loading = 'eager'; // nothing scrolls on paper, so that a lazy image would never load
    if (!image.complete) return false;
  }
  void part(page, 'documentElement')?.offsetHeight; // this lays the page out, which loads the fonts
  return part(page, 'fonts').status === 'loaded' && framed(page, looks).every((inner) => haveAssetsLoaded(inner, looks));
}

function imagesOf(page: PageDocument, looks: boolean): Promise<void>[] {
  const waits: Promise<void>[] = [];
  for (const image of imagesIn(page, looks)) {
    image.loading = 'eager'; // as above
    if (image.complete) continue;
    waits.push(
      new Promise((resolve) => {
        image.addEventListener('load', resolve);
        image.addEventListener('error', resolve);
      }),
    );
  }
  return waits;
}

/** Lazy frames load when they are scrolled to, and are empty until then. */
function framesOf(page: PageDocument, looks: boolean): Promise<void>[] {
  const selector = 'iframe[loading=lazy i][src^=http i], iframe[loading=lazy i][srcdoc]';
  const lazy = withShadows<object>(page, looks).flatMap((root) => [...selectIn<PageFrame>(root, selector)]);
  const waiting = lazy.filter(({ contentDocument }) => contentDocument?.documentURI === 'about:blank');
  return waiting.map((frame) => {
    const loaded = new Promise<void>((resolve) => frame.addEventListener('load', resolve));
    frame.loading = 'eager';
    return loaded;
  });
}

function fontsOf(page: PageDocument): Promise<unknown> | undefined {
  const fonts = part(page, 'fonts');
  if (!fonts.size) return undefined;
  void part(page, 'documentElement')?.offsetHeight; // as above
  return fonts.status === 'loaded' ? undefined : fonts.ready;
}

/** It uses only `await`, because a document may replace the methods of promises. */
async function waitForAssets(page: PageDocument, looks: boolean): Promise<void> {
  try {
    for (const loaded of framesOf(page, looks)) await loaded;
    const inner = framed(page, looks).map((each) => waitForAssets(each, looks));
    for (const wait of [...imagesOf(page, looks), fontsOf(page), ...inner]) await wait;
  } catch {
    // a document that breaks the functions used here is not waited for
  }
}
