/** Lays out the pages of a PDF below each other, draws visible pages, and frees distant ones. */
import type { OpenPdf, PdfContents } from './open-pdf.ts';
import {
  type Anchor,
  CSS_PER_POINT,
  chooseScale,
  findPage,
  GAP,
  type PageBox,
  pageTops,
  type ViewportSize,
  type Zoom,
} from './page-sizes.ts';
import { PageView } from './page-view.ts';
import type { RawDestination, Target } from './pdf-contents.ts';
import { type PdfPlace, type PdfWord, readWords } from './pdf-words.ts';

/** Number of pages before and after the visible ones that are drawn. Pages further away are freed. */
const NEAR = 1;
const FAR = 8;

export class RenderedPages {
  readonly element = document.createElement('div');
  readonly #pdf: OpenPdf;
  readonly #views: PageView[];
  #tops: number[] = [];
  #viewport: ViewportSize = { width: 0, height: 0 };
  scale = 1;
  #words: Promise<PdfWord[]> | undefined;

  constructor(pdf: OpenPdf, follow: (target: Target) => void) {
    this.#pdf = pdf;
    this.element.className = 'pdf-pages';
    const count = pdf.sizes.length;
    this.#views = pdf.sizes.map(
      (size, index) => new PageView(() => pdf.page(index + 1), `Page ${index + 1} of ${count}`, size, follow),
    );
    this.element.append(...this.#views.map(({ element }) => element));
  }

  get count(): number {
    return this.#views.length;
  }

  layOut(zoom: Zoom, viewport: ViewportSize, index: number): void {
    this.#viewport = viewport;
    this.scale = chooseScale(zoom, this.#pdf.sizes, viewport, index);
    this.#tops = pageTops(this.#pdf.sizes, this.scale);
    const widest = Math.max(...this.#pdf.sizes.map(({ width }) => Math.round(width * this.scale)));
    const across = Math.max(widest + 2 * GAP, viewport.width);
    const { style } = this.element;
    style.width = `${across}px`;
    style.height = `${this.pageTop(this.count - 1) + this.#pageHeight(this.count - 1) + GAP}px`;
    style.setProperty('--total-scale-factor', String(this.scale * CSS_PER_POINT));
    this.#views.forEach((view, at) => {
      const width = Math.round((this.#pdf.sizes[at]?.width ?? 0) * this.scale);
      view.place(this.pageTop(at), Math.max(GAP, Math.round((across - width) / 2)), this.scale);
    });
  }

  pageTop(index: number): number {
    return this.#tops[index] ?? 0;
  }

  /** Returns the page in the upper third of the window. */
  findCurrent(scrollTop: number): number {
    return findPage(this.#tops, scrollTop + this.#viewport.height / 3);
  }

  findAnchor(scrollTop: number, scrollLeft: number): Anchor {
    const index = findPage(this.#tops, scrollTop);
    const part = (scrollTop - this.pageTop(index)) / (this.#pageHeight(index) || 1);
    return { index, part, across: scrollLeft / (this.element.offsetWidth || 1) };
  }

  toScrollTop({ index, part }: Anchor): number {
    if (index >= this.count) return this.pageTop(this.count - 1);
    return this.pageTop(index) + part * this.#pageHeight(index);
  }

  /** Draws visible pages and then their neighbours. Resolves when the visible pages are drawn. */
  async drawAround(scrollTop: number): Promise<void> {
    const first = findPage(this.#tops, scrollTop);
    const last = findPage(this.#tops, scrollTop + this.#viewport.height);
    this.#views.forEach((view, index) => {
      if (index < first - FAR || index > last + FAR) view.clear();
    });
    await Promise.all(this.#views.slice(first, last + 1).map((view) => view.draw(this.scale)));
    for (const view of [...this.#views.slice(last + 1, last + 1 + NEAR), ...this.#views.slice(Math.max(0, first - NEAR), first)])
      void view.draw(this.scale).catch(() => {});
  }

  /** Returns the position to which to scroll. */
  async find(raw: RawDestination): Promise<number | undefined> {
    const found = await this.#pdf.findDestination(raw);
    return found && this.toScrollTop({ index: found.page, part: found.part, across: 0 });
  }

  contents(): Promise<PdfContents> {
    return this.#pdf.contents();
  }

  words(): Promise<PdfWord[]> {
    this.#words ??= readWords(this.#pdf);
    return this.#words;
  }

  /** Returns the place in the text at a point of the window. */
  placeAt(x: number, y: number): PdfPlace | undefined {
    const [element, offset] = caretAt(x, y);
    const page = this.#views.findIndex((view) => element && view.element.contains(element));
    const item = element ? (this.#views[page]?.itemAt(element) ?? -1) : -1;
    return item < 0 ? undefined : { page, item, offset };
  }

  /** Draws the page of a word, and outlines the word. */
  async point(word: PdfWord): Promise<HTMLElement | undefined> {
    for (const view of this.#views) view.unpoint();
    const view = this.#views[word.page];
    await view?.draw(this.scale);
    return view?.point(word);
  }

  /** Outlines boxes, also on pages that are not drawn. */
  outline(boxes: readonly PageBox[]): HTMLElement[] {
    for (const view of this.#views) view.unpoint();
    return boxes.flatMap((box) => this.#views[box.page - 1]?.outline(box) ?? []);
  }

  async close(): Promise<void> {
    for (const view of this.#views) view.clear();
    this.element.remove();
    await this.#pdf.close();
  }

  #pageHeight(index: number): number {
    return Math.round((this.#pdf.sizes[index]?.height ?? 0) * this.scale);
  }
}

/** The element whose text is at this point of the window, and the index of the character. */
function caretAt(x: number, y: number): [element: Element | undefined, offset: number] {
  const caret = document.caretPositionFromPoint(x, y);
  const node = caret?.offsetNode;
  return [node instanceof Text ? (node.parentElement ?? undefined) : undefined, caret?.offset ?? 0];
}
