/**
 * Draws the pages of one PDF that Chromium printed over or under those of another. Each becomes a form XObject, which is an artifact (ISO 32000-1,
 * 14.8.2.2) unless it has footnotes, and what they share is written once. Links stay links. What follows sees a PDF as Chromium prints it.
 */
import { ChangedPrint, RESOURCES, streamOf } from '../edit/changed-print.ts';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { replaceReferences } from '../objects/raw-file.ts';
import { annotationsOf } from '../windows/window-tags.ts';
import { hasTags, type NotePage, NoteTags } from './note-tags.ts';

const CONTENTS = /\/Contents (\d+) 0 R/;
/** Chromium names resources with a letter and a number. */
const NAMES = { over: 'PlatenOverlay', under: 'PlatenUnderlay', notes: 'PlatenNotes' } as const;
const LEFT_OUT = /^<<\/Type \/(?:Pages|Catalog|StructTreeRoot)\b/;
/** A link within the document. */
const TARGET = /\/Dest \/([^\s/[\]()<>]+)/;

type Side = keyof typeof NAMES;

/** `pages` are the indexes of the pages over or under which those of the overlay are drawn. */
export function drawOverlay(
  file: PrintedPages,
  overlay: PrintedPages,
  pages: readonly number[],
  side: Exclude<Side, 'notes'> = 'over',
): Buffer[] {
  return new OverlayDrawing(file, overlay, side).draw(pages);
}

/**
 * The same for footnotes with their tags, which they do not have in content that is hidden from screen readers. `key` is that with which
 * the names of calls and footnotes begin.
 */
export function drawNotes(file: PrintedPages, notes: PrintedPages, pages: readonly number[], key: string): Buffer[] {
  if (!hasTags(file) || !hasTags(notes)) return drawOverlay(file, notes, pages);
  const drawing = new OverlayDrawing(file, notes, 'notes');
  return drawing.draw(pages, new NoteTags(file, notes, drawing.placePages(pages), key));
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

  /** What each page of the overlay becomes, by its object number. */
  placePages(pages: readonly number[]): Map<number, NotePage> {
    const { pages: own } = this.#overlay;
    return new Map(
      own.map((id, index) => [
        id,
        { page: this.#file.pages[pages[index] as number] as number, form: this.#contentOf(id) + this.#shift },
      ]),
    );
  }

  draw(pages: readonly number[], tags?: NoteTags): Buffer[] {
    const renumber = tags
      ? (text: string) => tags.translate(text)
      : (text: string) => replaceReferences(text, (id) => `${id + this.#shift} 0 R`);
    this.#copy(renumber, tags?.changed);
    for (const [index, page] of pages.entries()) {
      this.#addForm(index, renumber);
      this.#drawOn(page, index);
      this.#changed.annotate(page, this.#linksOf(index));
    }
    return [this.#changed.end()];
  }

  /** Copies what the pages of the overlay use. Their contents become form XObjects. `tagged` are objects of both prints that change. */
  #copy(renumber: (text: string) => string, tagged: ReadonlyMap<number, string> = new Map()): void {
    for (const id of this.#listCopied()) {
      const text = this.#overlay.text(id);
      const changed = tagged.get(id + this.#shift);
      if (!changed && LEFT_OUT.test(text)) continue;
      this.#changed.put(id + this.#shift, changed ?? renumber(text), this.#overlay.stream(id) ?? '');
    }
    for (const [id, text] of tagged) if (id < this.#shift) this.#changed.change(id, text);
  }

  #listCopied(): number[] {
    const { pages, size, info } = this.#overlay;
    const left = new Set([...pages, ...pages.map((id) => this.#contentOf(id)), info]);
    return Array.from({ length: size }, (_, id) => id).filter((id) => id && !left.has(id) && this.#overlay.body(id));
  }

  #drawOn(page: number, index: number): void {
    const form = this.#contentOf(this.#overlay.pages[index] as number) + this.#shift;
    const draw = this.#save + 1 + index;
    const { height } = this.#file.pageSize(page);
    const down = height - this.#overlay.pageSize(index).height;
    const name = NAMES[this.#side];
    const drawing = `q\n1 0 0 1 0 ${down.toFixed(4)} cm\n/${name} Do\nQ\n`;
    const content = this.#side === 'notes' ? drawing : `/Artifact <</Type /Pagination>> BDC\n${drawing}EMC\n`;
    const isUnder = this.#side === 'under';
    this.#changed.put(draw, streamOf(isUnder ? content : `Q\n${content}`));
    this.#changed.drawOn(page, { name, form }, (own) => (isUnder ? [draw, ...own] : [this.#save, ...own, draw]));
  }

  #addForm(index: number, renumber: (text: string) => string): void {
    const page = this.#overlay.pages[index] as number;
    const text = this.#overlay.text(page);
    const { width, height } = this.#overlay.pageSize(index);
    const resources = text.slice(text.indexOf(RESOURCES), text.indexOf('\n/MediaBox'));
    const content = this.#contentOf(page);
    const [key = ''] = this.#side === 'notes' ? (/\n\/StructParents \d+/.exec(text) ?? []) : [];
    // Chromium rounds the sizes of pages by less than a point, which is corrected afterwards.
    const entries = `<</Type /XObject\n/Subtype /Form\n/BBox [-1 -1 ${width + 1} ${height + 1}]\n${renumber(resources + key)}\n`;
    this.#changed.put(
      content + this.#shift,
      this.#overlay.text(content).replace('<<', entries),
      this.#overlay.stream(content) ?? '',
    );
  }

  /** The links of a page, except those to what the document does not have. */
  #linksOf(index: number): number[] {
    const links = annotationsOf(this.#overlay, index).filter((id) => {
      const [, target] = TARGET.exec(this.#overlay.text(id)) ?? [];
      return target === undefined || this.#file.hasDestination(target);
    });
    return links.map((id) => id + this.#shift);
  }

  #contentOf(page: number): number {
    return Number(CONTENTS.exec(this.#overlay.text(page))?.[1]);
  }
}
