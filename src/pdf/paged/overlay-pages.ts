/**
 * Draws the pages of one PDF that Chromium printed over or under those of another. Each becomes a form XObject, which is an artifact (ISO 32000-1,
 * 14.8.2.2), and what they share is written once. What follows sees a PDF as Chromium prints it.
 */
import { PdfDict, PdfRef } from '@libpdf/core';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { replaceReferences, STREAM } from '../objects/raw-file.ts';
import { endPlain, Parts } from '../objects/write.ts';

const CONTENTS = /\/Contents (\d+) 0 R/;
/** What has been drawn under a page is in an array with its own content. */
const ALL_CONTENTS = /\/Contents (?:\[([\d R]+)\]|(\d+ 0 R))/;
const RESOURCES = '/Resources <<';
const OBJECTS = '/XObject <<';
/** Chromium names resources with a letter and a number. */
const NAMES = { over: 'PlatenOverlay', under: 'PlatenUnderlay' } as const;

type Side = keyof typeof NAMES;

/** `pages` are the indexes of the pages over or under which those of the overlay are drawn. */
export function drawOverlay(file: PrintedPages, overlay: PrintedPages, pages: readonly number[], side: Side = 'over'): Buffer[] {
  const drawing = new OverlayDrawing(file, overlay, side);
  drawing.copy();
  const changed = new Map(pages.map((page, index) => [file.pages[page] as number, drawing.drawOn(page, index)]));
  return drawing.end(changed);
}

class OverlayDrawing {
  readonly #file: PrintedPages;
  readonly #overlay: PrintedPages;
  readonly #side: Side;
  readonly #parts = new Parts();
  readonly #offsets: number[] = [];
  /** What is added to the numbers of objects of the overlay. */
  readonly #shift: number;
  readonly #save: number;

  constructor(file: PrintedPages, overlay: PrintedPages, side: Side) {
    this.#file = file;
    this.#overlay = overlay;
    this.#side = side;
    this.#parts.version = '1.4';
    this.#shift = file.size;
    this.#save = file.size + overlay.size;
    this.#put(this.#save, stream('q\n'));
  }

  /** Copies what the pages of the overlay use. Their contents become form XObjects. */
  copy(): void {
    const { pages, size, info } = this.#overlay;
    const contents = new Set(pages.map((id) => this.#contentOf(id)));
    const left = new Set([...pages, ...contents, info]);
    for (let id = 1; id < size; id++) {
      const text = left.has(id) || !this.#overlay.body(id) ? undefined : this.#overlay.text(id);
      if (text === undefined || /^<<\/Type \/(?:Pages|Catalog)\b/.test(text)) continue;
      this.#put(id + this.#shift, this.#renumber(text), this.#overlay.stream(id) ?? '');
    }
  }

  /** Returns the text of the page with the overlay. */
  drawOn(page: number, index: number): string {
    const id = this.#overlay.pages[index] as number;
    const form = this.#contentOf(id) + this.#shift;
    this.#addForm(index, form);
    const draw = this.#save + 1 + index;
    const { height } = this.#file.pageSize(page);
    const down = height - this.#overlay.pageSize(index).height;
    const isOver = this.#side === 'over';
    const name = NAMES[this.#side];
    const content = `/Artifact <</Type /Pagination>> BDC\nq\n1 0 0 1 0 ${down.toFixed(4)} cm\n/${name} Do\nQ\nEMC\n`;
    this.#put(draw, stream(isOver ? `Q\n${content}` : content));
    const text = this.#file.text(this.#file.pages[page] as number);
    const drawn = text.replace(ALL_CONTENTS, (_, several, one) => {
      const own = several ?? one;
      return isOver ? `/Contents [${this.#save} 0 R ${own} ${draw} 0 R]` : `/Contents [${draw} 0 R ${own}]`;
    });
    const reference = `/${name} ${form} 0 R`;
    return drawn.includes(OBJECTS)
      ? drawn.replace(OBJECTS, `${OBJECTS}${reference}\n`)
      : drawn.replace(RESOURCES, `${RESOURCES}${OBJECTS}${reference}>>\n`);
  }

  /** Writes the pages and all that stays as it is. */
  end(changed: ReadonlyMap<number, string>): Buffer[] {
    for (let id = 1; id < this.#file.size; id++) {
      const body = changed.get(id) ?? this.#file.body(id);
      if (body) this.#put(id, body);
    }
    const { root, info } = this.#file;
    endPlain(this.#parts, this.#offsets, PdfDict.of({ Root: PdfRef.of(root), Info: PdfRef.of(info) }));
    return [this.#parts.take()];
  }

  #addForm(index: number, form: number): void {
    const page = this.#overlay.pages[index] as number;
    const text = this.#overlay.text(page);
    const { width, height } = this.#overlay.pageSize(index);
    const resources = text.slice(text.indexOf(RESOURCES), text.indexOf('\n/MediaBox'));
    const content = this.#contentOf(page);
    // Chromium rounds the sizes of pages by less than a point, which is corrected afterwards.
    const entries = `<</Type /XObject\n/Subtype /Form\n/BBox [-1 -1 ${width + 1} ${height + 1}]\n${this.#renumber(resources)}\n`;
    this.#put(form, this.#overlay.text(content).replace('<<', entries), this.#overlay.stream(content) ?? '');
  }

  #contentOf(page: number): number {
    return Number(CONTENTS.exec(this.#overlay.text(page))?.[1]);
  }

  #renumber(text: string): string {
    return replaceReferences(text, (id) => `${id + this.#shift} 0 R`);
  }

  #put(id: number, ...body: Array<string | Uint8Array>): void {
    this.#offsets[id] = this.#parts.length;
    this.#parts.addObject(id, ...body);
  }
}

function stream(content: string): string {
  return `<</Length ${content.length}>> ${STREAM}${content}\nendstream`;
}
