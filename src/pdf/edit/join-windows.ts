/**
 * Joins the windows of a long document: PDFs that Chromium printed in, some pages of each and all that belongs to them out, in one PDF
 * that looks as if Chromium had printed it at once. What windows have in common is written once, and their fonts are merged.
 */
import { createHash } from 'node:crypto';
import { PDF, PdfDict, PdfRef, PdfStream } from '@libpdf/core';
import { MergedFonts } from '../compress/merge-fonts.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { replaceReferences } from '../objects/raw-file.ts';
import { toText } from '../objects/syntax.ts';
import { endPlain, Parts, toBody } from '../objects/write.ts';
import type { PrintedPages } from './printed-pages.ts';

/** The object number of the root of the page tree. */
const PAGES = 1;
const FONT = /\/Type \/Font\n\/Subtype \/Type0\b/;

export class JoinedWindows {
  readonly #chunks: Buffer[] = [];
  /** What is not yet a chunk. */
  readonly #parts = new Parts();
  readonly #offsets: number[] = [];
  #nextId = PAGES + 1;
  readonly #pages: number[] = [];
  /** The numbers of objects by a digest of their content. */
  readonly #known = new Map<string, number>();
  readonly #fonts = new MergedFonts();
  readonly #destinations: string[] = [];
  #catalog = '';
  #info = '';

  constructor() {
    this.#parts.version = '1.4';
  }

  /** Adds the pages with these indexes. Destinations whose names begin with `key` are left out. */
  async add(bytes: Buffer, file: PrintedPages, indexes: readonly number[], key: string): Promise<void> {
    const pdf = await PDF.load(bytes);
    const kept = indexes.map((index) => file.pages[index] as number);
    const ids = new Map(file.pages.map((id) => [id, 0]));
    for (const id of kept) ids.set(id, this.#nextId++);
    const window = { file, ids, reader: new PdfReader(pdf) };
    for (const id of kept) this.#addPage(id, window);
    for (const { name, value, page } of file.destinations()) {
      const id = ids.get(page);
      if (id && !name.startsWith(key)) this.#destinations.push(`/${name} ${value.replace(`${page} 0 R`, `${id} 0 R`)}`);
    }
    if (!this.#catalog) this.#catalog = file.catalog;
    if (!this.#info) this.#info = file.text(file.info);
    this.#chunks.push(this.#parts.take());
  }

  end(): Buffer[] {
    const catalog = this.#nextId++;
    const info = this.#nextId++;
    for (const { id, value } of this.#fonts.end(() => this.#nextId++))
      this.#put(id, value instanceof PdfStream ? toBody(value) : toText(value));
    const kids = this.#pages.map((id) => `${id} 0 R`).join(' ');
    this.#put(PAGES, `<</Type /Pages\n/Count ${this.#pages.length}\n/Kids [${kids}]>>`);
    const dests = this.#destinations.length ? this.#nextId++ : undefined;
    if (dests !== undefined) this.#put(dests, `<<${this.#destinations.join('\n')}>>`);
    const entries = dests === undefined ? `/Pages ${PAGES} 0 R` : `/Pages ${PAGES} 0 R\n/Dests ${dests} 0 R`;
    this.#put(catalog, this.#catalog.replace(/\/Pages \d+ 0 R(?:\n\/Dests \d+ 0 R)?/, entries));
    this.#put(info, this.#info);
    endPlain(this.#parts, this.#offsets, PdfDict.of({ Root: PdfRef.of(catalog), Info: PdfRef.of(info) }));
    this.#chunks.push(this.#parts.take());
    return this.#chunks;
  }

  #addPage(old: number, window: Window): void {
    const id = window.ids.get(old) as number;
    this.#pages.push(id);
    const page = window.file.text(old).replace(/\/Parent \d+ 0 R/, '');
    this.#put(id, `${this.#translate(page.slice(0, page.lastIndexOf('>>')), window)}/Parent ${PAGES} 0 R>>`);
  }

  #translate(text: string, window: Window): string {
    return replaceReferences(text, (old) => {
      const id = this.#copy(old, window);
      return id ? `${id} 0 R` : 'null';
    });
  }

  /** Returns the new number of an object, which is 0 for a page that is left out. */
  #copy(old: number, window: Window): number {
    const { file, ids, reader } = window;
    const known = ids.get(old);
    if (known !== undefined) return known;
    const text = file.text(old);
    const font = FONT.test(text) ? reader.asDict(PdfRef.of(old)) : undefined;
    const merged = font && this.#fonts.join(reader, font, () => this.#nextId++);
    if (merged !== undefined) return this.#note(old, merged, window);
    ids.set(old, 0); // what refers to itself is left out
    const stream = file.stream(old);
    const translated = this.#translate(text, window);
    const digest = createHash('sha256').update(translated);
    const content = (stream ? digest.update(stream) : digest).digest('base64');
    const equal = isAnnotation(text) ? undefined : this.#known.get(content);
    if (equal !== undefined) return this.#note(old, equal, window);
    const id = this.#nextId++;
    this.#known.set(content, id);
    this.#put(id, translated, ...(stream ? [stream] : []));
    return this.#note(old, id, window);
  }

  #note(old: number, id: number, { ids }: Window): number {
    ids.set(old, id);
    return id;
  }

  #put(id: number, ...body: Array<string | Uint8Array>): void {
    this.#offsets[id] = this.#parts.length;
    this.#parts.addObject(id, ...body);
  }
}

/** An annotation belongs to one page (12.5.2), even if another page has an equal one. */
function isAnnotation(text: string): boolean {
  return text.startsWith('<</Type /Annot\n');
}

/** A printed PDF while its pages are added. */
interface Window {
  file: PrintedPages;
  /** New object numbers by old ones. It is 0 for pages that are left out. */
  ids: Map<number, number>;
  reader: PdfReader;
}
