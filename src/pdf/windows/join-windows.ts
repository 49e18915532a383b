/**
 * Joins the windows of a long document: PDFs that Chromium printed in, some pages of each and all that belongs to them out, in one PDF
 * that looks as if Chromium had printed it at once. What windows have in common is written once, and their fonts are merged.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { PDF, PdfDict, PdfRef, PdfStream } from '@libpdf/core';
import { MergedFonts } from '../compress/merge-fonts.ts';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { maskStrings, replaceReferences } from '../objects/raw-file.ts';
import { toText } from '../objects/syntax.ts';
import { endPlain, Parts, toBody } from '../objects/write.ts';
import type { JoinedTags } from './joined-tags.ts';
import { annotationsOf, markedContent, type NewObjects, type TaggedPage } from './window-tags.ts';

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
  /** Those of a tagged document, by their index in it. */
  readonly #tagged = new Map<number, TaggedPage>();
  /** The next key of the parent tree. */
  #nextKey = 0;
  /** The numbers of objects by a digest of their content. */
  readonly #known = new Map<string, number>();
  readonly #fonts = new MergedFonts();
  readonly #destinations: string[] = [];
  #catalog = '';
  #info = '';

  constructor() {
    this.#parts.version = '1.4';
  }

  /** Adds the pages with these indexes in the file and in the document. Destinations whose names begin with `key` are left out. */
  async add(bytes: Buffer, file: PrintedPages, added: ReadonlyArray<[index: number, page: number]>, key: string): Promise<void> {
    const pdf = await PDF.load(bytes);
    const kept = added.map(([index]) => file.pages[index] as number);
    const ids = new Map(file.pages.map((id) => [id, 0]));
    for (const id of kept) ids.set(id, this.#nextId++);
    const window = { file, ids, keys: new Map<number, number>(), reader: new PdfReader(pdf) };
    for (const id of kept) {
      this.#addPage(id, window);
      await setImmediate(); // a page may have many links
    }
    if (file.catalog.includes('/StructTreeRoot')) for (const [index, page] of added) this.#addTaggedPage(window, index, page);
    for (const { name, value, page } of file.destinations()) {
      const id = ids.get(page);
      if (id && !name.startsWith(key)) this.#destinations.push(`/${name} ${value.replace(`${page} 0 R`, `${id} 0 R`)}`);
    }
    if (!this.#catalog) this.#catalog = file.catalog;
    if (!this.#info) this.#info = file.text(file.info);
    this.#chunks.push(this.#parts.take());
  }

  /** `tags` are those of the pages. */
  async end(tags: JoinedTags | undefined): Promise<Buffer[]> {
    const catalog = this.#nextId++;
    const info = this.#nextId++;
    const objects: NewObjects = { newId: () => this.#nextId++, put: (id: number, text: string) => this.#put(id, text) };
    const tree = await tags?.write(this.#tagged, objects);
    const outline = tree && tags?.outline.write(this.#tagged, tree.ids, objects);
    for (const { id, value } of this.#fonts.end(() => this.#nextId++))
      this.#put(id, value instanceof PdfStream ? toBody(value) : toText(value));
    const kids = this.#pages.map((id) => `${id} 0 R`).join(' ');
    this.#put(PAGES, `<</Type /Pages\n/Count ${this.#pages.length}\n/Kids [${kids}]>>`);
    const dests = this.#destinations.length ? this.#nextId++ : undefined;
    if (dests !== undefined) this.#put(dests, `<<${this.#destinations.join('\n')}>>`);
    const entries = dests === undefined ? `/Pages ${PAGES} 0 R` : `/Pages ${PAGES} 0 R\n/Dests ${dests} 0 R`;
    const ofTags = { StructTreeRoot: tree?.root, Outlines: outline };
    const whole = this.#catalog.replace(/\/Pages \d+ 0 R(?:\n\/Dests \d+ 0 R)?/, entries);
    this.#put(
      catalog,
      whole.replace(/\n\/(StructTreeRoot|Outlines) \d+ 0 R/g, (_, name: keyof typeof ofTags) =>
        writeReference(name, ofTags[name]),
      ),
    );
    this.#put(info, this.#info);
    endPlain(this.#parts, this.#offsets, PdfDict.of({ Root: PdfRef.of(catalog), Info: PdfRef.of(info) }));
    this.#chunks.push(this.#parts.take());
    return this.#chunks;
  }

  #addPage(old: number, window: Window): void {
    const id = window.ids.get(old) as number;
    this.#pages.push(id);
    const page = window.file.text(old).replace(/\/Parent \d+ 0 R/, '');
    const entries = this.#translate(page.slice(0, page.lastIndexOf('>>')), window);
    this.#put(id, `${this.#withNewKey(entries, id, window)}/Parent ${PAGES} 0 R>>`);
  }

  #addTaggedPage({ file, ids, keys }: Window, index: number, page: number): void {
    const toAnnotation = (old: number) => {
      const id = ids.get(old) ?? 0;
      return { id, key: keys.get(id) ?? 0 };
    };
    const id = ids.get(file.pages[index] as number) ?? 0;
    const annotations = annotationsOf(file, index).map(toAnnotation);
    this.#tagged.set(page, { id, key: keys.get(id) ?? 0, mcids: markedContent(file, index), annotations });
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
    this.#put(id, isAnnotation(text) ? this.#withNewKey(translated, id, window) : translated, ...(stream ? [stream] : []));
    return this.#note(old, id, window);
  }

  /** Gives a page or an annotation, if it is tagged, another key of the parent tree. */
  #withNewKey(text: string, id: number, { keys }: Window): string {
    const found = /(?<=\/StructParents? )\d+/.exec(maskStrings(text));
    if (!found) return text;
    const key = this.#nextKey++;
    keys.set(id, key);
    return `${text.slice(0, found.index)}${key}${text.slice(found.index + found[0].length)}`;
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

function writeReference(name: string, id: number | undefined): string {
  return id === undefined ? '' : `\n/${name} ${id} 0 R`;
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
  /** Keys of the parent tree by new object numbers. */
  keys: Map<number, number>;
  reader: PdfReader;
}
