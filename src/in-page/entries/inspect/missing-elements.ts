/** Notes missing parts that elements name: images, frames, scripts, media, style sheets and parts of drawings. */
import { read } from '../../dom/nodes.ts';
import { type PreparedWindow, preparedWindow } from '../../dom/prepared-window.ts';
import { selectIn } from '../../dom/roots.ts';
import { findUrlFault, type Note, noteUndecodable, type Place } from './places.ts';

const ADDRESSES: Array<[selector: string, attribute: string]> = [
  ['iframe:not([srcdoc]), frame, embed, input[type=image i]', 'src'],
  ['object', 'data'],
  ['video', 'poster'],
  ['image, feImage', 'href'],
  ['image, feImage', 'xlink:href'],
];
const MAY_BE_EMBEDDED = 'image, feImage, input[type=image i], video[poster]';
const EMBEDDED_ATTRIBUTES = ['poster', 'href', 'xlink:href', 'src'];
const NO_SOURCE = 3; // HTMLMediaElement.NETWORK_NO_SOURCE

export const ELEMENT_STEPS = [
  ...[noteImages, noteAddresses, noteEmbedded, noteScripts, noteMedia, noteLinks, noteSprites, noteMarkup, noteFailed],
];

export function noteImages({ page, root }: Place, note: Note): void {
  for (const image of selectIn<HTMLImageElement>(root, 'img')) {
    if (!image.complete || image.naturalWidth > 0) continue;
    const url = chosenUrl(image, page);
    const isUsual = /^(?:https?|data|blob):/i.test(URL.parse(url, root.baseURI)?.href ?? '');
    note(url, findUrlFault(url, root.baseURI) ?? (isUsual ? 'image' : 'scheme'));
  }
}

/** Returns the candidate that the browser chose, or the first if it chose none. */
function chosenUrl(image: HTMLImageElement, page: Document): string {
  const first = (candidates: string | null | undefined) => candidates?.trim().split(/,?\s+/)[0] ?? '';
  if (image.currentSrc) return image.currentSrc;
  const sources = image.parentElement?.localName === 'picture' ? [...image.parentElement.children] : [];
  const source = sources.find((each) => {
    const media = each.getAttribute('media');
    return each.localName === 'source' && (!media || read(page, 'defaultView')?.matchMedia(media).matches);
  });
  return first(source?.getAttribute('srcset')) || first(image.getAttribute('srcset')) || (image.getAttribute('src') ?? '').trim();
}

function noteAddresses({ root }: Place, note: Note): void {
  for (const [selector, attribute] of ADDRESSES) {
    for (const element of selectIn(root, selector)) {
      const url = element.getAttribute(attribute) ?? '';
      note(url, findUrlFault(url, root.baseURI));
    }
  }
}

async function noteEmbedded({ root }: Place, note: Note, maxImages: number): Promise<void> {
  const named = [...selectIn(root, MAY_BE_EMBEDDED)].map(
    (element) => EMBEDDED_ATTRIBUTES.map((name) => element.getAttribute(name)).find(Boolean) ?? '',
  );
  const embedded = new Set(named.filter((url) => /^\s*data:/i.test(url)));
  await noteUndecodable([...embedded].slice(0, maxImages), note);
}

/**
 * Checks only the URLs, because scripts have no state. In a shadow root that the markup declares, a script may have failed before
 * anything listened for its error event.
 */
function noteScripts({ root }: Place, note: Note): void {
  for (const script of selectIn(root, 'script[src]:not([nomodule])')) {
    const url = script.getAttribute('src') ?? '';
    const runs = /^\s*$|^module$|(?:java|ecma)script/i.test(script.getAttribute('type') ?? '');
    if (runs) note(url, findUrlFault(url, root.baseURI));
  }
}

function noteMedia({ root }: Place, note: Note): void {
  for (const element of selectIn(root, ':is(video, audio)[src], :is(video, audio) > source[src]')) {
    const player = element.localName === 'source' ? element.parentElement : element;
    const url = element.getAttribute('src') ?? '';
    if (hasNoSource(player)) note(url, findUrlFault(url, root.baseURI) ?? 'failed');
  }
}

function hasNoSource(player: Element | null): boolean {
  return (player as Partial<HTMLMediaElement> | null)?.networkState === NO_SOURCE;
}

function noteLinks({ root }: Place, note: Note): void {
  for (const link of selectIn<HTMLLinkElement>(root, 'link[rel~=stylesheet i]:not([rel~=alternate i])')) {
    const url = link.getAttribute('href') ?? '';
    const isCss = (link.getAttribute('type') || 'text/css') === 'text/css';
    if (link.sheet === null && !link.disabled && isCss) note(url, findUrlFault(url, root.baseURI) ?? 'failed');
  }
}

function noteSprites({ page, root }: Place, note: Note): void {
  for (const use of selectIn(root, 'use')) {
    const url = use.getAttribute('href') ?? use.getAttribute('xlink:href') ?? '';
    if (!url || url.startsWith('#')) continue;
    const { protocol = '', origin } = URL.parse(url, root.baseURI) ?? {};
    const isOwn = /^https?:$/.test(protocol) && origin === read(page, 'defaultView')?.origin;
    if (!isOwn) note(url, findUrlFault(url, root.baseURI) ?? 'sprite');
  }
}

function noteMarkup({ page, root }: Place, note: Note): void {
  const isXml = root === page && page.contentType !== 'text/html';
  if (isXml && page.documentURI && [...selectIn(page, 'parsererror')].length) note(page.documentURI, 'xml');
}

/** Notes elements that have fired an error event. */
function noteFailed(place: Place, note: Note): void {
  for (const [element, url] of failedElements(place)) {
    const hasAnother = element.localName === 'source' && !hasNoSource(element.parentElement);
    const isImage = ['image', 'feImage', 'input'].includes(element.localName);
    if (!hasAnother) note(url, findUrlFault(url, place.root.baseURI) ?? (isImage ? 'image' : 'failed'));
  }
}

/** The window records the elements of shadow roots, too. */
function failedElements({ page, root }: Place): PreparedWindow['failed'] {
  const view = root === page ? read(page, 'defaultView') : null;
  return (view && preparedWindow(view)?.failed) ?? [];
}
