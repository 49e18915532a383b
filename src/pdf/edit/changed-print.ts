/** Writes a PDF that Chromium printed once more, with objects that are added and pages on which forms are drawn. */
import { PdfDict, PdfRef } from '@libpdf/core';
import { STREAM } from '../objects/raw-file.ts';
import type { PdfVersion } from '../objects/syntax.ts';
import { endPlain, Parts } from '../objects/write.ts';
import type { PrintedPages } from './printed-pages.ts';

/** What has been drawn under a page is in an array with its own content. */
const ALL_CONTENTS = /\/Contents (?:\[([\d R]+)\]|(\d+) 0 R)/;
export const RESOURCES = '/Resources <<';
const OBJECTS = '/XObject <<';
const ANNOTATIONS = /\/Annots \[([\d R\s]*)\]/;

export class ChangedPrint {
  readonly #file: PrintedPages;
  readonly #parts = new Parts();
  readonly #offsets: number[] = [];
  /** The texts of changed objects, by their numbers. */
  readonly #changed = new Map<number, string>();

  constructor(file: PrintedPages, version: PdfVersion) {
    this.#file = file;
    this.#parts.version = version;
  }

  /** Adds an object. Its number is none of the file. */
  put(id: number, ...body: Array<string | Uint8Array>): void {
    this.#offsets[id] = this.#parts.length;
    this.#parts.addObject(id, ...body);
  }

  /** Gives the page with this index a form, and other content streams; `contents` takes the numbers of those that it has. */
  drawOn(page: number, { name, form }: { name: string; form: number }, contents: (own: number[]) => number[]): void {
    const id = this.#file.pages[page] as number;
    const drawn = this.#text(id).replace(ALL_CONTENTS, (_, several?: string, one?: string) => {
      const own = several === undefined ? [Number(one)] : [...several.matchAll(/\b(\d+) 0 R/g)].map(([, each]) => Number(each));
      const all = contents(own).map((each) => `${each} 0 R`);
      return `/Contents [${all.join(' ')}]`;
    });
    const reference = `/${name} ${form} 0 R`;
    const named = drawn.includes(OBJECTS)
      ? drawn.replace(OBJECTS, `${OBJECTS}${reference}\n`)
      : drawn.replace(RESOURCES, `${RESOURCES}${OBJECTS}${reference}>>\n`);
    this.#changed.set(id, named);
  }

  /** Adds annotations to the page with this index. */
  annotate(page: number, annotations: readonly number[]): void {
    if (!annotations.length) return;
    const id = this.#file.pages[page] as number;
    const text = this.#text(id);
    const [entry = '', own = ''] = ANNOTATIONS.exec(text) ?? [];
    const list = `/Annots [${own} ${annotations.map((each) => `${each} 0 R`).join(' ')}]`;
    this.#changed.set(id, entry ? text.replace(entry, list) : text.replace('/Contents ', `${list}\n/Contents `));
  }

  /** Replaces the text of an object that is no stream. */
  change(id: number, text: string): void {
    this.#changed.set(id, text);
  }

  #text(id: number): string {
    return this.#changed.get(id) ?? this.#file.text(id);
  }

  end(): Buffer {
    for (let id = 1; id < this.#file.size; id++) {
      const body = this.#changed.get(id) ?? this.#file.body(id);
      if (body) this.put(id, body);
    }
    const { root, info } = this.#file;
    endPlain(this.#parts, this.#offsets, PdfDict.of({ Root: PdfRef.of(root), Info: PdfRef.of(info) }));
    return this.#parts.take();
  }
}

export function streamOf(content: string): string {
  return `<</Length ${content.length}>> ${STREAM}${content}\nendstream`;
}
