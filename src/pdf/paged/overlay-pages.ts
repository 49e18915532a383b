/**
 * Draws the pages of one PDF that Chromium printed over or under those of another. Each becomes a form XObject, which is an artifact (ISO 32000-1,
 * 14.8.2.2), and what they share is written once. What follows sees a PDF as Chromium prints it.
 */
import { ChangedPrint, RESOURCES, streamOf } from '../edit/changed-print.ts';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { replaceReferences } from '../objects/raw-file.ts';

const CONTENTS = /\/Contents (\d+) 0 R/;
/** Chromium names resources with a letter and a number. */
const NAMES = { over: 'PlatenOverlay', under: 'PlatenUnderlay' } as const;

type Side = keyof typeof NAMES;

/** `pages` are the indexes of the pages over or under which those of the overlay are drawn. */
export function drawOverlay(file: PrintedPages, overlay: PrintedPages, pages: readonly number[], side: Side = 'over'): Buffer[] {
  const drawing = new OverlayDrawing(file, overlay, side);
  drawing.copy();
  for (const [index, page] of pages.entries()) drawing.drawOn(page, index);
  return drawing.end();
}

class OverlayDrawing {
  readonly #file: PrintedPages;
  readonly #overlay: PrintedPages;
  readonly #side: Side;
  readonly #changed: ChangedPrint;
  /** What is added to the numbers of objects of the overlay. */
  readonly #shift: number;
  readonly #save: number;

  constructor(file: PrintedPages, overlay: PrintedPages, side: Side) {
    this.#file = file;
    this.#overlay = overlay;
    this.#side = side;
    this.#changed = new ChangedPrint(file, '1.4');
    this.#shift = file.size;
    this.#save = file.size + overlay.size;
    this.#changed.put(this.#save, streamOf('q\n'));
  }

  /** Copies what the pages of the overlay use. Their contents become form XObjects. */
  copy(): void {
    const { pages, size, info } = this.#overlay;
    const contents = new Set(pages.map((id) => this.#contentOf(id)));
    const left = new Set([...pages, ...contents, info]);
    for (let id = 1; id < size; id++) {
      const text = left.has(id) || !this.#overlay.body(id) ? undefined : this.#overlay.text(id);
      if (text === undefined || /^<<\/Type \/(?:Pages|Catalog)\b/.test(text)) continue;
      this.#changed.put(id + this.#shift, this.#renumber(text), this.#overlay.stream(id) ?? '');
    }
  }

  drawOn(page: number, index: number): void {
    const id = this.#overlay.pages[index] as number;
    const form = this.#contentOf(id) + this.#shift;
    this.#addForm(index, form);
    const draw = this.#save + 1 + index;
    const { height } = this.#file.pageSize(page);
    const down = height - this.#overlay.pageSize(index).height;
    const isOver = this.#side === 'over';
    const name = NAMES[this.#side];
    const content = `/Artifact <</Type /Pagination>> BDC\nq\n1 0 0 1 0 ${down.toFixed(4)} cm\n/${name} Do\nQ\nEMC\n`;
    this.#changed.put(draw, streamOf(isOver ? `Q\n${content}` : content));
    this.#changed.drawOn(page, { name, form }, (own) => (isOver ? [this.#save, ...own, draw] : [draw, ...own]));
  }

  end(): Buffer[] {
    return [this.#changed.end()];
  }

  #addForm(index: number, form: number): void {
    const page = this.#overlay.pages[index] as number;
    const text = this.#overlay.text(page);
    const { width, height } = this.#overlay.pageSize(index);
    const resources = text.slice(text.indexOf(RESOURCES), text.indexOf('\n/MediaBox'));
    const content = this.#contentOf(page);
    // Chromium rounds the sizes of pages by less than a point, which is corrected afterwards.
    const entries = `<</Type /XObject\n/Subtype /Form\n/BBox [-1 -1 ${width + 1} ${height + 1}]\n${this.#renumber(resources)}\n`;
    this.#changed.put(form, this.#overlay.text(content).replace('<<', entries), this.#overlay.stream(content) ?? '');
  }

  #contentOf(page: number): number {
    return Number(CONTENTS.exec(this.#overlay.text(page))?.[1]);
  }

  #renumber(text: string): string {
    return replaceReferences(text, (id) => `${id + this.#shift} 0 R`);
  }
}
