/**
 * Puts files into the markup of headers and footers, which can load nothing: images and fonts as `data:` URLs, style sheets as
 * elements.
 */
import { MAX_FILLED_BYTES } from '../../contract/limits.ts';
import type { EmbeddedFile, FilledMarkup } from '../../contract/questions.ts';

/** Returns the file that a relative URL leads to. `base` is the path of the style sheet that names it. */
type Find = (address: string, base?: string) => (EmbeddedFile & { path: string }) | undefined;

const FOLDER = 'http://folder.invalid/';

/** A `template` element neither loads nor runs anything. */
export function fillTemplate(markup: string, files: Record<string, EmbeddedFile>): FilledMarkup {
  const named = new Set<string>();
  let left = MAX_FILLED_BYTES;
  const find: Find = (address, base = '') => {
    const path = resolvePath(address, base);
    if (path !== undefined || /^(?:https?:|\/\/)/i.test(address)) named.add(path ?? address);
    const file = path !== undefined && Object.hasOwn(files, path) ? { path, ...files[path] } : undefined;
    left -= (file?.url ?? file?.css ?? '').length;
    return left >= 0 ? file : undefined;
  };
  const box = document.createElement('template');
  box.innerHTML = markup;
  const { content } = box;
  fillStyles(content, find);
  const findUrl = (address: string) => find(address)?.url;
  for (const name of ['src', 'background', 'poster']) changeAll(content, `[${name}]`, name, findUrl);
  for (const name of ['href', 'xlink:href']) changeAll(content, 'image, feImage', name, findUrl);
  const isUrl = (part: string) => !/^\d+(?:\.\d+)?[wxh]$/.test(part);
  changeAll(content, '[srcset]', 'srcset', (list) => list.replace(/[^\s,]+/g, (part) => (isUrl(part) && findUrl(part)) || part));
  return { markup: left >= 0 ? box.innerHTML : '', named: [...named] };
}

/** Returns the path of a relative URL, or undefined if it is not one. */
function resolvePath(address: string, base: string): string | undefined {
  const url = /^\s*(?:#|$)/.test(address) ? null : URL.parse(address, FOLDER + base);
  try {
    return url?.href.startsWith(FOLDER) ? decodeURIComponent(url.pathname.slice(1)) : undefined;
  } catch {
    return undefined;
  }
}

function changeAll(
  content: DocumentFragment,
  selector: string,
  name: string,
  change: (value: string) => string | undefined,
): void {
  for (const element of content.querySelectorAll(selector)) {
    const value = element.getAttribute(name);
    const better = value === null ? undefined : change(value);
    if (better !== undefined) element.setAttribute(name, better);
  }
}

function fillStyles(content: DocumentFragment, find: Find): void {
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
