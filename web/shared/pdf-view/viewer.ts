/** Shows PDFs: a new one replaces the old one when it has been drawn, with the same zoom and position. */
import { signal } from '@preact/signals';
import { rememberedSignal } from '../storage.ts';
import { openPdf, type PdfContents } from './open-pdf.ts';
import { type Anchor, GAP, type PageBox, type ViewportSize, type Zoom } from './page-sizes.ts';
import type { Target } from './pdf-contents.ts';
import { findWord, type PdfWord } from './pdf-words.ts';
import { RenderedPages } from './rendered-pages.ts';
import { Thumbnails } from './thumbnails.ts';

export class Viewer {
  /** Number of pages, or 0 while nothing is shown. */
  readonly count = signal(0);
  /** The current page, counted from 1. */
  readonly current = signal(1);
  readonly zoom = rememberedSignal<Zoom>('platen.zoom', 'width', readZoom);
  readonly scale = signal(1);
  /** Increases when another PDF is shown. */
  readonly generation = signal(0);
  /** The outline and attachments. Undefined until they have been read. */
  readonly contents = signal<PdfContents | undefined>(undefined);
  readonly #scroller: HTMLElement;
  readonly #thumbnails: Thumbnails;
  readonly #resized: ResizeObserver;
  #pages: RenderedPages | undefined;
  /** The PDF that is being drawn. */
  #drawing: Promise<void> = Promise.resolve();
  #shown = 0;
  #isDestroyed = false;
  #frame = 0;
  /** The position of the reader, because a hidden element loses its scroll position. */
  #anchor: Anchor = { index: 0, part: 0, across: 0 };
  #hidden = false;

  /** Is called with all words of the PDF, and the index of the one that was clicked. */
  onWord: ((words: readonly PdfWord[], index: number) => void) | undefined;

  constructor(scroller: HTMLElement, thumbnails: HTMLElement) {
    this.#scroller = scroller;
    this.#thumbnails = new Thumbnails(thumbnails, (number) => this.goTo(number));
    scroller.addEventListener('scroll', () => this.#later());
    scroller.addEventListener('click', (event) => void this.#clicked(event));
    this.#resized = new ResizeObserver(() => this.#layOut());
    this.#resized.observe(scroller);
  }

  /**
   * Rejects if the PDF cannot be shown. A newer PDF waits until this one is shown, so that something is shown even if PDFs come faster
   * than they are drawn. Of those that wait, the newest wins.
   */
  async show(bytes: Uint8Array, password: string | undefined): Promise<void> {
    this.#shown += 1;
    const request = this.#shown;
    await this.#drawing.catch(() => {}); // its own caller reports the error
    if (request !== this.#shown) return;
    this.#drawing = this.#draw(bytes, password);
    await this.#drawing;
  }

  async #draw(bytes: Uint8Array, password: string | undefined): Promise<void> {
    const pdf = await openPdf(bytes, password);
    const pages = new RenderedPages(pdf, (target) => void this.follow(target));
    if (this.#isDestroyed) return pages.close();
    const before = this.#pages;
    pages.layOut(this.zoom.value, this.#viewport(), this.current.value - 1);
    pages.element.classList.add('coming');
    this.#scroller.append(pages.element);
    if (this.#scroller.clientWidth) await pages.drawAround(before ? pages.toScrollTop(this.#currentAnchor()) : 0);
    if (this.#isDestroyed) return pages.close();
    this.#replace(before, pages);
    this.#thumbnails.show(pdf);
  }

  setZoom(zoom: Zoom): void {
    this.zoom.value = zoom;
    this.#layOut();
  }

  /** Zooms in or out by one step. */
  step(factor: number): void {
    this.setZoom(Math.round(this.scale.value * factor * 100) / 100);
  }

  goTo(number: number): void {
    if (!this.#pages) return;
    const index = Math.min(Math.max(1, Math.trunc(number) || 1), this.count.value) - 1;
    this.#scroller.scrollTop = this.#pages.pageTop(index) - 8;
  }

  /** Opens an address in another tab, or scrolls to a place. */
  async follow(target: Target): Promise<void> {
    if ('url' in target) return void window.open(target.url, '_blank', 'noopener,noreferrer');
    const top = await this.#pages?.find(target.destination).catch(() => undefined);
    if (top !== undefined) this.#scroller.scrollTop = top - GAP / 2;
  }

  async #readContents(pages: RenderedPages): Promise<void> {
    const contents = await pages.contents().catch(() => ({ outline: [], attachments: [] }));
    if (this.#pages === pages) this.contents.value = contents;
  }

  /** Of the first pages. */
  async words(): Promise<readonly PdfWord[]> {
    return (await this.#pages?.words()) ?? [];
  }

  /** Leads to where a word comes from, as a click on it does. */
  async locate(word: PdfWord): Promise<void> {
    const words = await this.words();
    this.onWord?.(words, findWord(words, word));
  }

  /** Outlines a word, and scrolls to it. */
  async point(word: PdfWord): Promise<void> {
    const pages = this.#pages;
    if (!pages) return;
    const pointer = await pages.point(word);
    pointer?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  /** Outlines boxes on pages, which replace what was outlined, and scrolls to the first. */
  outline(boxes: readonly PageBox[]): void {
    const [first] = this.#pages?.outline(boxes) ?? [];
    first?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  async #clicked({ clientX, clientY }: MouseEvent): Promise<void> {
    const pages = this.#pages;
    const hasSelected = !getSelection()?.isCollapsed;
    const place = hasSelected ? undefined : pages?.placeAt(clientX, clientY);
    if (!this.onWord || !pages || !place) return;
    const words = await pages.words();
    const index = findWord(words, place);
    const word = words[index];
    if (!word) return;
    await pages.point(word);
    this.onWord(words, index);
  }

  async destroy(): Promise<void> {
    this.#shown += 1;
    this.#isDestroyed = true;
    this.#resized.disconnect();
    this.#thumbnails.clear();
    cancelAnimationFrame(this.#frame);
    await this.#pages?.close();
  }

  #replace(before: RenderedPages | undefined, pages: RenderedPages): void {
    const anchor = before && this.#currentAnchor();
    pages.layOut(this.zoom.value, this.#viewport(), this.current.value - 1); // the size of the window may have changed
    pages.element.classList.remove('coming');
    this.#pages = pages;
    this.count.value = pages.count;
    this.scale.value = pages.scale;
    this.generation.value += 1;
    void this.#readContents(pages);
    void before?.close();
    if (anchor) this.#scrollTo(pages, anchor);
    this.#later();
  }

  #layOut(): void {
    const pages = this.#pages;
    const hidden = !this.#scroller.clientWidth;
    if (!pages || hidden) {
      this.#hidden = hidden;
      return;
    }
    const anchor = this.#currentAnchor();
    this.#hidden = false;
    pages.layOut(this.zoom.value, this.#viewport(), this.current.value - 1);
    this.scale.value = pages.scale;
    this.#scrollTo(pages, anchor);
    this.#later();
  }

  #currentAnchor(): Anchor {
    const { scrollTop, scrollLeft, clientWidth } = this.#scroller;
    if (clientWidth && !this.#hidden && this.#pages) this.#anchor = this.#pages.findAnchor(scrollTop, scrollLeft);
    return this.#anchor;
  }

  #scrollTo(pages: RenderedPages, anchor: Anchor): void {
    this.#scroller.scrollTop = pages.toScrollTop(anchor);
    this.#scroller.scrollLeft = anchor.across * pages.element.offsetWidth;
  }

  #viewport(): ViewportSize {
    return { width: this.#scroller.clientWidth, height: this.#scroller.clientHeight };
  }

  /** Draws visible pages before the next frame, once for many events. */
  #later(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      const { scrollTop, clientHeight } = this.#scroller;
      if (!this.#pages || !clientHeight) return;
      this.#currentAnchor();
      this.current.value = this.#pages.findCurrent(scrollTop) + 1;
      this.#thumbnails.mark(this.current.value);
      void this.#pages.drawAround(scrollTop);
    });
  }
}

function readZoom(text: string): Zoom | undefined {
  if (text === 'width' || text === 'page') return text;
  return Number(text) > 0 ? Number(text) : undefined;
}
