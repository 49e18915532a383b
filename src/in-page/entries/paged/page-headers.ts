/**
 * Prepares headers and footers: their markup in, their heights out. They are copies of elements in the document while they are measured and
 * painted, so that its styles and fonts apply to them, and theirs do not apply to it at other times.
 */
import { POINTS_PER_PX } from '../../../units.ts';
import type { MissingPart } from '../../contract/inspection.ts';
import type { OverlayBox } from '../../contract/overlay.ts';
import { HEADER_FIELDS, type HeaderMargins } from '../../contract/page-headers.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { call, measureBox, read } from '../../dom/nodes.ts';
import { selectIn } from '../../dom/roots.ts';
import { noteImages } from '../inspect/missing-elements.ts';
import { noteIn } from '../inspect/missing-parts.ts';
import { fillBox, paintWith, registerPainter, wrapLike } from './overlay.ts';
import { moveZoom, zoomOf } from './zoom.ts';

/** Unlike `header`, few rules of documents match it. */
const HEADER = 'platen-header';
/** What runs, loads a document or is about the document that has it. */
const REFUSED = 'script, iframe, frame, object, embed, base, meta, template, link:not([rel=stylesheet])';
/** What fields contain while headers are measured. */
const SAMPLE = '1';

/** The margins that were set last. */
const margins = new Changes();
let fragments: DocumentFragment[] = [];

/** Headers are named `header0` and so on. */
export function prepareHeaders(markup: string[]): null {
  moveZoom();
  const styles: Element[] = [];
  fragments = markup.map((each) => {
    const template = createHtml('template') as HTMLTemplateElement;
    template.innerHTML = each;
    makeInert(template.content);
    const fragment = document.importNode(template.content, true);
    styles.push(...selectIn<Element>(fragment as never, 'style, link'));
    return fragment;
  });
  for (const style of styles) style.remove();
  paintWith(styles);
  for (const number of fragments.keys())
    registerPainter(`header${number}`, (box) => wrapLike(createHeader(number, box), read(document, 'body')));
  return null;
}

/** The document may have no scripts, so that nobody expects any to run. */
function makeInert(content: DocumentFragment): void {
  for (const element of selectIn<Element>(content as never, REFUSED)) element.remove();
  for (const element of selectIn<Element>(content as never, '*'))
    for (const name of element.getAttributeNames())
      if (name.startsWith('on') || name === 'loading') element.removeAttribute(name); // what is not in the window would never load
}

/**
 * Returns the heights of all headers in CSS pixels, each in the widest and the narrowest of the widths. Null as long as images or fonts are
 * loading, if they are waited for.
 */
export function measureHeaders(widthsPx: number[], waits: boolean): number[] | null {
  const changes = new Changes();
  const root = read(document, 'documentElement');
  const heights = fragments.map(() => 0);
  for (const style of paintWith()) changes.append(root, style);
  let isLoading = false;
  for (const widthPx of widthsPx)
    for (const number of fragments.keys()) {
      const texts = Object.fromEntries(HEADER_FIELDS.map((name) => [name, SAMPLE]));
      const header = createHeader(number, { x: 0, y: 0, width: widthPx * POINTS_PER_PX, height: 0, scale: 1, name: '', texts });
      setLook(header, { visibility: 'hidden', height: 'auto' });
      changes.append(root, wrapLike(header, read(document, 'body')));
      heights[number] = Math.max(heights[number] ?? 0, measureBox(header).height);
      isLoading ||= areImagesLoading(fragments[number] as DocumentFragment, header);
    }
  isLoading ||= document.fonts.status === 'loading';
  changes.undo();
  return isLoading && waits ? null : heights;
}

/** Copies of an image that has failed load it again, so that they never have. */
function areImagesLoading(fragment: DocumentFragment, copy: Element): boolean {
  const copies = [...selectIn<HTMLImageElement>(copy, 'img')];
  const images = [...selectIn<HTMLImageElement>(fragment as never, 'img')];
  return images.some(({ complete, naturalWidth }, n) => !complete || (naturalWidth > 0 && copies[n]?.complete === false));
}

/** Finds their images that were not loaded. */
export function findMissingInHeaders(): MissingPart[] {
  const found = new Map<string, MissingPart>();
  for (const fragment of fragments) noteImages({ page: document, root: fragment as never }, noteIn(found, document.baseURI));
  return [...found.values()];
}

/** Replaces the margins that it has set before. */
export function setHeaderMargins({ top, bottom }: HeaderMargins): null {
  margins.undo();
  const sides = { 'margin-top': top, 'margin-bottom': bottom };
  const set = Object.entries(sides).flatMap(([name, inches]) => (inches === undefined ? [] : `${name}: ${inches}in !important`));
  adoptStyles(`@page { ${set.join('; ')} }`, margins);
  return null;
}

function createHeader(number: number, box: OverlayBox): HTMLElement {
  const header = fillBox(createHtml(HEADER), box, zoomOf(read(document, 'body')));
  setLook(header, { display: 'flow-root' });
  header.append(call(fragments[number] as DocumentFragment, 'cloneNode', true));
  for (const name of HEADER_FIELDS)
    for (const field of selectIn<HTMLElement>(header, `.${name}`)) field.textContent = box.texts[name] ?? ownText(name);
  return header;
}

/** What a header shows of its document, as in the templates of Chromium. */
function ownText(name: string): string {
  const address = /^https?:/.test(document.URL) ? document.URL : '';
  if (name === 'url') return address;
  if (name === 'title') return read(document, 'title') || address;
  return name === 'date' ? new Date().toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' }) : '';
}
