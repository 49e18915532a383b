/**
 * The script that makes a loaded document ready to print. It runs in the page: the functions below are sent as
 * text, so they may use nothing but each other.
 */
import { SEEN_TEXT } from '../fonts/glyph-probe.ts';
import { CONSOLE_ERRORS } from '../in-page/init-script.ts';
import { FINISH_ANIMATIONS } from '../in-page/page-animations.ts';
import { framed } from '../in-page/page-frames.ts';
import { pageSizesExpression } from '../print/page-rules.ts';
import type { AddedTag } from './load-settings.ts';
import { STATED_METADATA } from './stated-metadata.ts';

const SETTLE = [part, framed, imagesOf, framesOf, fontsOf, settle];
const IS_SETTLED = [part, framed, isSettled];

interface SettleOptions {
  waits: boolean;
  /** Whether animations are brought to their end. */
  finishes: boolean;
  /** Whether it may state metadata. */
  states: boolean;
  active?: { rule: string } | undefined;
}

/**
 * Its promise resolves when fonts and images are there, to the errors of the document so far, and of an active document to the text
 * it shows and the sizes its `@page` rules name; and to the metadata it states.
 */
export function settleExpression({ waits, finishes, states, active }: SettleOptions): string {
  const finished = finishes ? `(${FINISH_EXPRESSION}, ${CONSOLE_ERRORS})` : CONSOLE_ERRORS;
  const findings = active ? `${SEEN_TEXT}, ${pageSizesExpression(active.rule)}` : 'null, []';
  const wait = waits ? `${SETTLE.join(' ')} await settle(document);` : '';
  return `(async () => { ${wait} return [${finished}, ${findings}, ${states ? STATED_METADATA : 'null'}] })()`;
}

/** For a document that runs no script: brings animations to their end at once, if it has any, and evaluates to the metadata it states. */
export function settleAtOnceExpression(finishes: boolean): string {
  return `(${finishes ? FINISH_EXPRESSION : 'undefined'}, ${STATED_METADATA})`;
}

const FINISH_EXPRESSION = `(() => { ${FINISH_ANIMATIONS.join('\n')} return finishAnimations(document) })()`;

/** True when fonts and images are there; to be asked until then. */
export function isSettledExpression(): string {
  return `(() => { ${IS_SETTLED.join(' ')} try { return isSettled(document) } catch { return true } })()`; // a document that hides its parts is not waited for
}

/** Its promise resolves when the element is there and has been loaded, and rejects when it cannot be. */
export function addExpression({ element, from, type }: AddedTag): string {
  return `(${addElement})(${JSON.stringify(element)}, ${JSON.stringify(from)}, ${JSON.stringify(type ?? '')})`;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const document: PageDocument;
/** Its own: an element of a document may bear the name of one of these, and hide it. */
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
  querySelectorAll(selector: string): Iterable<PageFrame>;
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
  // A module that stands in the document itself does not say when it has run.
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

/** A part of a document, whatever its elements are named. */
function part<K extends 'images' | 'fonts' | 'documentElement'>(page: PageDocument, name: K): PageDocument[K] {
  return Object.getOwnPropertyDescriptor(Document.prototype, name)?.get?.call(page);
}

function isSettled(page: PageDocument): boolean {
  for (const image of part(page, 'images')) {
    image.loading = 'eager'; // nothing scrolls on paper: a lazy image would never come
    if (!image.complete) return false;
  }
  void part(page, 'documentElement')?.offsetHeight; // lays the page out, which is what asks for the fonts
  return part(page, 'fonts').status === 'loaded' && framed(page).every(isSettled);
}

function imagesOf(page: PageDocument): Promise<void>[] {
  const waits: Promise<void>[] = [];
  for (const image of part(page, 'images')) {
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

/** Lazy ones are not loaded before they are scrolled to, and until then they are empty. */
function framesOf(page: PageDocument): Promise<void>[] {
  const lazy = [
    ...Document.prototype.querySelectorAll.call(page, 'iframe[loading=lazy i][src^=http i], iframe[loading=lazy i][srcdoc]'),
  ];
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

/** Waited for with `await` alone: a document may have methods of promises of its own. */
async function settle(page: PageDocument): Promise<void> {
  try {
    for (const loaded of framesOf(page)) await loaded;
    for (const wait of [...imagesOf(page), fontsOf(page), ...framed(page).map(settle)]) await wait;
  } catch {
    // a document that hides its parts is not waited for
  }
}
