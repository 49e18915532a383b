/**
 * Puts files into the markup of headers and footers, which can load nothing: images and fonts as `data:` URLs, style sheets as
 * elements. The functions below are sent as text and run in the page, so that they may use only each other.
 */
import { Type } from 'typebox';
import type { HostedFile, HostedFiles } from '../../egress/hosted-assets.ts';
import { shape } from '../devtools/evaluate.ts';

/** Matches relative URLs in attributes and styles, and mentions that only look like them. */
const MENTIONS = /(?:src|srcset|href|background|poster)\s*=(?!\s*["']?(?:data:|#))|url\((?!\s*["']?(?:data:|#))/i;
const FUNCTIONS = [pathOf, fillIn, changeAll, fillStyles, fillCss];
/** Chromium repeats a template on every page. */
export const MAX_FILLED_BYTES = 4 * 1_048_576;
/** A style sheet names a font, which names nothing. */
const MAX_ROUNDS = 4;

/** A file as markup can hold it: a `data:` URL, or the text of a style sheet. */
interface EmbeddedFile {
  url?: string;
  css?: string;
}

export interface FilledMarkup {
  /** Empty if it would be too large. */
  markup: string;
  /** Relative URLs, resolved against the folder of the document. */
  named: string[];
}

/** Fills one template with these files. */
export type Fill = (markup: string, files: Record<string, EmbeddedFile>) => Promise<FilledMarkup>;

/** Whether the markup may name files. */
export function mayNameFiles(markup: string): boolean {
  return MENTIONS.test(markup);
}

/** What `fillExpression` evaluates to. */
export const FILLED_MARKUP = shape(Type.Object({ markup: Type.String(), named: Type.Array(Type.String()) }));

/** Evaluates to `FilledMarkup`. */
export function fillExpression(markup: string, files: Record<string, EmbeddedFile>): string {
  const values = [markup, files, MAX_FILLED_BYTES].map((value) => JSON.stringify(value)).join();
  return `(() => { ${FUNCTIONS.join(' ')} return fillIn(${values}) })()`;
}

/** Returns the markup with the files that it names, and the names of those that are missing. Undefined if it is too large. */
export async function withFiles(markup: string, files: HostedFiles, fill: Fill): Promise<FilledMarkup | undefined> {
  const embedded: Record<string, EmbeddedFile> = {};
  for (let round = 0; ; round++) {
    const filled = await fill(markup, embedded);
    const missing = filled.named.filter((name) => !Object.hasOwn(embedded, name));
    const found = missing.flatMap((name) => {
      const file = files.get(name); // a folder on the disk does not list its files
      return file ? [[name, file] as const] : [];
    });
    const isTooLarge = found.some(([, { content }]) => content.length > MAX_FILLED_BYTES);
    if (!filled.markup || isTooLarge) return undefined;
    if (!found.length || round === MAX_ROUNDS) return { markup: round ? filled.markup : markup, named: missing };
    for (const [name, file] of found) embedded[name] = embed(file);
  }
}

function embed({ type, content }: HostedFile): EmbeddedFile {
  if (/^text\/css\b/i.test(type)) return { css: content.toString() };
  return { url: `data:${type.replace(/[^\w.+/;=:-]/g, '')};base64,${content.toString('base64')}` };
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  textContent: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  replaceWith(element: PageElement): void;
}
interface PageFragment {
  querySelectorAll(selector: string): Iterable<PageElement>;
}
declare const document: {
  createElement(name: 'style'): PageElement;
  createElement(name: 'template'): { innerHTML: string; content: PageFragment };
};
/** Returns the file that a relative URL leads to. `base` is the path of the style sheet that names it. */
type Find = (address: string, base?: string) => (EmbeddedFile & { path: string }) | undefined;

/** Returns the path of a relative URL, or undefined if it is not one. */
function pathOf(address: string, base: string): string | undefined {
  const folder = 'http://folder.invalid/';
  const url = /^\s*(?:#|$)/.test(address) ? null : URL.parse(address, folder + base);
  try {
    return url?.href.startsWith(folder) ? decodeURIComponent(url.pathname.slice(1)) : undefined;
  } catch {
    return undefined;
  }
}

/** A `template` element neither loads nor runs anything. */
function fillIn(markup: string, files: Record<string, EmbeddedFile>, maxCharacters: number): FilledMarkup {
  const named = new Set<string>();
  let left = maxCharacters;
  const find: Find = (address, base = '') => {
    const path = pathOf(address, base);
    if (path !== undefined || /^(?:https?:|\/\/)/i.test(address)) named.add(path ?? address);
    const file = path !== undefined && Object.hasOwn(files, path) ? { path, ...files[path] } : undefined;
    left -= (file?.url ?? file?.css ?? '').length;
    return left >= 0 ? file : undefined;
  };
  const box = document.createElement('template');
  box.innerHTML = markup;
  const { content } = box;
  fillStyles(content, find);
  const urlOf = (address: string) => find(address)?.url;
  for (const name of ['src', 'background', 'poster']) changeAll(content, `[${name}]`, name, urlOf);
  for (const name of ['href', 'xlink:href']) changeAll(content, 'image, feImage', name, urlOf);
  const isUrl = (part: string) => !/^\d+(?:\.\d+)?[wxh]$/.test(part);
  changeAll(content, '[srcset]', 'srcset', (list) => list.replace(/[^\s,]+/g, (part) => (isUrl(part) && urlOf(part)) || part));
  return { markup: left >= 0 ? box.innerHTML : '', named: [...named] };
}

function changeAll(content: PageFragment, selector: string, name: string, changed: (value: string) => string | undefined): void {
  for (const element of content.querySelectorAll(selector)) {
    const value = element.getAttribute(name);
    const better = value === null ? undefined : changed(value);
    if (better !== undefined) element.setAttribute(name, better);
  }
}

function fillStyles(content: PageFragment, find: Find): void {
  changeAll(content, '[style]', 'style', (css) => fillCss(css, find));
  for (const style of content.querySelectorAll('style')) style.textContent = fillCss(style.textContent, find);
  for (const link of content.querySelectorAll('link[rel~=stylesheet i][href]')) {
    const { css, path } = find(link.getAttribute('href') ?? '') ?? {};
    if (css === undefined) continue;
    const style = document.createElement('style');
    style.textContent = fillCss(css, find, path);
    link.replaceWith(style);
  }
}

/** What a style sheet would load from elsewhere is left out, because Chromium ends a page with such a template. */
function fillCss(css: string, find: Find, base?: string): string {
  const imports = css.replace(
    /@import\s+(?:"([^"]*)"|'([^']*)')/gi,
    (_whole, double, single) => `@import url("${double ?? single}")`,
  );
  return imports.replace(/url\(\s*(?:"([^"]*)"|'([^']*)'|([^"'()\s]+))\s*\)/gi, (whole, double, single, bare) => {
    const address = double ?? single ?? bare;
    if (/^(?:data:|#)/i.test(address)) return whole;
    const url = find(address, base)?.url;
    return url || /^(?:https?:|\/\/)/i.test(address) ? `url(${url ?? '"data:,"'})` : whole;
  });
}
