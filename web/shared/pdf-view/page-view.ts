/** One page of a PDF as an element: a canvas, as sharp as the screen, and over it the text, which can be selected and read. */
import { type PDFPageProxy, type RenderTask, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { SheetSize } from './page-sizes.ts';

/** Browsers draw nothing on larger ones. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 33_554_432;

export class PageView {
  readonly element = document.createElement('section');
  readonly #page: () => Promise<PDFPageProxy>;
  #size: SheetSize;
  #canvas: HTMLCanvasElement | undefined;
  #text: HTMLElement | undefined;
  #task: RenderTask | undefined;
  /** What is drawn, or being drawn; 0 for nothing. */
  #scale = 0;

  constructor(page: () => Promise<PDFPageProxy>, label: string, size: SheetSize) {
    this.#page = page;
    this.#size = size;
    this.element.className = 'sheet';
    this.element.setAttribute('aria-label', label);
  }

  place(top: number, left: number, scale: number): void {
    const { style } = this.element;
    style.top = `${top}px`;
    style.left = `${left}px`;
    style.width = `${Math.round(this.#size.width * scale)}px`;
    style.height = `${Math.round(this.#size.height * scale)}px`;
  }

  /** Draws it, unless it is drawn at this scale already. Resolves also where a newer drawing takes over. */
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

  /** Gives back what it took. */
  clear(): void {
    this.#scale = 0;
    this.#task?.cancel();
    this.#canvas?.remove();
    this.#text?.remove();
    this.#canvas = undefined;
    this.#text = undefined;
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
      return undefined; // cancelled, or a page that cannot be drawn: it stays blank
    }
  }

  async #write(page: PDFPageProxy): Promise<void> {
    const container = document.createElement('div');
    container.className = 'textLayer';
    this.#text = container;
    this.element.append(container);
    const viewport = page.getViewport({ scale: 1 });
    const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport });
    await layer.render().catch(() => {});
  }
}

export const CSS_PER_POINT = 96 / 72;

function sharpness({ width, height }: SheetSize, scale: number): number {
  const [w, h] = [width * scale, height * scale];
  return Math.min(devicePixelRatio || 1, MAX_SIDE / Math.max(w, h), Math.sqrt(MAX_PIXELS / (w * h)));
}
