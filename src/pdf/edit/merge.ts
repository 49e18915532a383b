/**
 * Several PDFs in, one out: their pages in order, each document under a bookmark. What pages refer to is copied, with its own
 * bookmarks below that of the document and links within it; what belongs to a document as a whole (tags, metadata, attachments)
 * is left out. One document is parsed at a time.
 */
import { PDF, PdfArray, PdfDict, PdfRef } from '@libpdf/core';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { isEncrypted } from '../objects/cross-reference.ts';
import { textString, toText } from '../objects/syntax.ts';
import { endPlain, Parts } from '../objects/write.ts';
import { MergeSource } from './merge-source.ts';

export interface MergeTask {
  documents: Uint8Array[];
  /** In the order of the merged PDF. A document may come several times. */
  parts: Array<{ document: number; title: string }>;
}

/** The PDF, or which parts are encrypted: these cannot be merged, and where there are any there is no PDF. */
export type Merged = Uint8Array<ArrayBuffer> | { protectedParts: number[] };

/** Numbers of the objects that belong to no document. */
const [CATALOG, PAGES, OUTLINES, INFO] = [1, 2, 3, 4];
const FIRST_FREE = 5;

interface Part {
  title: string;
  /** Its node in the tree of pages, and its bookmark. */
  node: number;
  bookmark: number;
  firstPage: number;
  pages: number;
  outline: string;
}

export async function merge({ documents, parts }: MergeTask): Promise<Merged> {
  const isProtected = documents.map((bytes) =>
    isEncrypted(new ChunkedBuffer([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)])),
  );
  const protectedParts = [...parts.keys()].filter((index) => isProtected[parts[index]?.document ?? 0]);
  if (protectedParts.length) return { protectedParts };
  const file = new MergedFile();
  const copied = documents.map(() => new Map<number, number>());
  for (const { document, title } of parts)
    file.add(await PDF.load(documents[document] as Uint8Array), title, copied[document] as Map<number, number>);
  return file.end().join();
}

/** The merged PDF has more bytes than it may. */
export class MergedTooLarge extends Error {
  override name = 'MergedTooLarge';
}

/** The merged PDF, while it is put together. */
export class MergedFile {
  readonly #parts = new Parts();
  readonly #maxBytes: number;
  /** By number. */
  readonly #offsets: number[] = [];
  readonly #merged: Part[] = [];
  #nextId = FIRST_FREE;

  /** What would have more bytes throws `MergedTooLarge`: a page can come any number of times, each with all that it holds. */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  get pages(): number {
    return this.#merged.reduce((sum, part) => sum + part.pages, 0);
  }

  /** `streams` are those of this document that an earlier part has brought: they are not written again. */
  add(pdf: PDF, title: string, streams: Map<number, number>): void {
    const [node, bookmark] = [this.#nextId++, this.#nextId++];
    const source = new MergeSource(pdf, { streams, bookmark, newId: () => this.#nextId++ });
    const pages = source.pages.map(({ id }) => id);
    for (const { id, body } of source.objects(node)) this.#put(id, body);
    const kids = toText(PdfArray.of(...pages.map((id) => PdfRef.of(id))));
    this.#put(node, `<</Type/Pages/Parent ${PAGES} 0 R/Kids ${kids}/Count ${pages.length}>>`);
    this.#merged.push({ title, node, bookmark, firstPage: pages[0] ?? 0, pages: pages.length, outline: source.outline });
  }

  end(): Parts {
    const [first, last] = [this.#merged[0], this.#merged.at(-1)];
    const count = this.#merged.length;
    const kids = this.#merged.map(({ node }) => `${node} 0 R`).join(' ');
    this.#put(CATALOG, `<</Type/Catalog/Pages ${PAGES} 0 R/Outlines ${OUTLINES} 0 R/PageMode/UseOutlines>>`);
    this.#put(PAGES, `<</Type/Pages/Kids[${kids}]/Count ${this.pages}>>`);
    this.#put(OUTLINES, `<</Type/Outlines/First ${first?.bookmark} 0 R/Last ${last?.bookmark} 0 R/Count ${count}>>`);
    this.#put(INFO, '<</Creator(Platen)/Producer(Platen)>>');
    for (const [index, part] of this.#merged.entries()) this.#put(part.bookmark, this.#bookmarkOf(part, index));
    endPlain(this.#parts, this.#offsets, PdfDict.of({ Root: PdfRef.of(CATALOG), Info: PdfRef.of(INFO) }));
    return this.#parts;
  }

  #bookmarkOf({ title, firstPage, outline }: Part, index: number): string {
    const [previous, next] = [this.#merged[index - 1], this.#merged[index + 1]];
    const before = previous ? `/Prev ${previous.bookmark} 0 R` : '';
    const after = next ? `/Next ${next.bookmark} 0 R` : '';
    const dest = `/Dest[${firstPage} 0 R/XYZ null null null]`;
    return `<</Title ${toText(textString(title))}/Parent ${OUTLINES} 0 R${before}${after}${dest}${outline}>>`;
  }

  #put(id: number, body: string | Array<string | Uint8Array>): void {
    this.#offsets[id] = this.#parts.length;
    this.#parts.addObject(id, ...[body].flat());
    if (this.#parts.length > this.#maxBytes) throw new MergedTooLarge();
  }
}
