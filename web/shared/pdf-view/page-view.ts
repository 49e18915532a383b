/**
 * The element of one page of a PDF: a canvas in the resolution of the screen, and a layer of text over it that can be selected.
 */
import { type PDFPageProxy, type RenderTask, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { CSS_PER_POINT, type PageBox, type PageSize } from './page-sizes.ts';
import { linksOf, type PageLink, type Target } from './pdf-contents.ts';
import type { PdfWord } from './pdf-words.ts';

/** Browsers draw nothing on a larger canvas. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 33_554_432;

export class PageView {
  readonly element = document.createElement('section');
  readonly #page: () => Promise<PDFPageProxy>;
  readonly #follow: (target: Target) => void;
  #size: PageSize;
  #canvas: HTMLCanvasElement | undefined;
  #text: HTMLElement | undefined;
  #links: HTMLElement | undefined;
  #layer: TextLayer | undefined;
  readonly #pointers: HTMLElement[] = [];
  #task: RenderTask | undefined;
  /** The scale of the present drawing, or 0 for none. */
  #scale = 0;

  constructor(page: () => Promise<PDFPageProxy>, label: string, size: PageSize, follow: (target: Target) => void) {
    this.#page = page;
    this.#follow = follow;
    this.#size = size;
    this.element.className = 'pdf-page';
    this.element.setAttribute('aria-label', label);
  }

  place(top: number, left: number, scale: number): void {
    const { style } = this.element;
    style.top = `${top}px`;
    style.left = `${left}px`;
    style.width = `${Math.round(this.#size.width * scale)}px`;
    style.height = `${Math.round(this.#size.height * scale)}px`;
  }

  /** Draws the page, unless it is drawn at this scale already. Also resolves if a newer drawing replaces it. */
  async draw(scale: number): Promise<void> {
    if (this.#scale === scale) return;
    this.#scale = scale;
    this.#task?.cancel();
    const page = await this.#page();
    if (this.#scale !== scale) return;
    const canvas = await this.#paint(page, scale);
    if (!canvas || this.#scale !== scale) return;
    if (this.#canvas) this.#canvas.replaceWith(canvas);
    else this.element.prepend(canvas);
    this.#canvas = canvas;
    if (!this.#text) await this.#write(page);
  }

  /** Frees the canvas and the text. */
  clear(): void {
    this.#scale = 0;
    this.#task?.cancel();
    this.#canvas?.remove();
    this.#text?.remove();
    this.#links?.remove();
    this.#canvas = undefined;
    this.#text = undefined;
    this.#layer = undefined;
  }

  async #paint(page: PDFPageProxy, scale: number): Promise<HTMLCanvasElement | undefined> {
    const viewport = page.getViewport({ scale: scale * CSS_PER_POINT * sharpness(this.#size, scale) });
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    canvas.width = Math.max(1, Math.round(viewport.width));
    canvas.height = Math.max(1, Math.round(viewport.height));
    const task = page.render({ canvas, viewport });
    this.#task = task;
    try {
      await task.promise;
      return canvas;
    } catch {
      return undefined; // the drawing was cancelled, or the page cannot be drawn and stays blank
    }
  }

  async #write(page: PDFPageProxy): Promise<void> {
    const container = document.createElement('div');
    container.className = 'textLayer';
    this.#text = container;
    this.element.append(container);
    const viewport = page.getViewport({ scale: 1 });
    this.#layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport });
    await this.#layer.render().catch(() => {});
    const links = document.createElement('div');
    links.append(...(await linksOf(page).catch(() => [])).map((link) => this.#link(link)));
    if (this.#text !== container) return;
    this.#links = links;
    this.element.append(links);
  }

  #link({ target, ...box }: PageLink): HTMLElement {
    const link = document.createElement('a');
    link.className = 'pdf-link';
    place(link, box);
    if ('url' in target) {
      Object.assign(link, { href: target.url, target: '_blank', rel: 'noopener noreferrer nofollow' });
      link.setAttribute('aria-label', target.url);
      link.title = target.url;
      return link;
    }
    link.href = '#';
    link.setAttribute('aria-label', 'Place in this PDF');
    link.addEventListener('click', (event) => {
      event.preventDefault();
      this.#follow(target);
    });
    return link;
  }

  /** Returns the index of the item of the text that is at this element. */
  itemAt(element: Element): number {
    return this.#layer?.textDivs.indexOf(element as HTMLElement) ?? -1;
  }

  /** Outlines a word until another one is outlined. */
  point({ item, offset, length }: PdfWord): HTMLElement | undefined {
    const text = this.#layer?.textDivs[item]?.firstChild;
    if (!(text instanceof Text)) return undefined;
    const range = document.createRange();
    range.setStart(text, Math.min(offset, text.length));
    range.setEnd(text, Math.min(offset + length, text.length));
    const [word, page] = [range.getBoundingClientRect(), this.element.getBoundingClientRect()];
    this.unpoint();
    return this.#addPointer({
      left: (word.left - page.left) / page.width,
      top: (word.top - page.top) / page.height,
      width: word.width / page.width,
      height: word.height / page.height,
    });
  }

  /** Outlines a box besides those that are outlined. */
  outline({ x, y, width, height }: PageBox): HTMLElement {
    const { width: pageWidth, height: pageHeight } = this.#size;
    return this.#addPointer({
      left: (x * CSS_PER_POINT) / pageWidth,
      top: (y * CSS_PER_POINT) / pageHeight,
      width: (width * CSS_PER_POINT) / pageWidth,
      height: (height * CSS_PER_POINT) / pageHeight,
    });
  }

  unpoint(): void {
    for (const pointer of this.#pointers.splice(0)) pointer.remove();
  }

  #addPointer(box: Omit<PageLink, 'target'>): HTMLElement {
    const pointer = document.createElement('div');
    pointer.className = 'pdf-pointer';
    place(pointer, box);
    this.element.append(pointer);
    this.#pointers.push(pointer);
    return pointer;
  }
}

/** Places an element on its page. The box is in shares of the page. */
function place({ style }: HTMLElement, box: Omit<PageLink, 'target'>): void {
  for (const side of ['left', 'top', 'width', 'height'] as const) style[side] = `${box[side] * 100}%`;
}

function sharpness({ width, height }: PageSize, scale: number): number {
  const [w, h] = [width * scale, height * scale];
  return Math.min(devicePixelRatio || 1, MAX_SIDE / Math.max(w, h), Math.sqrt(MAX_PIXELS / (w * h)));
}
