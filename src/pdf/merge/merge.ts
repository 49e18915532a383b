/**
 * Merges PDFs: several in, one out, with their pages in order and a bookmark for each document. Internal links, tags, form fields, layers
 * and each document's own bookmarks are kept; attachments and metadata are left out. The result claims the conformance that all documents
 * claim. One document is parsed at a time.
 */
import { createHash } from 'node:crypto';
import { PDF, PdfArray, PdfBool, PdfDict, PdfName, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { ServiceError } from '../../errors.ts';
import { MergedFonts } from '../compress/merge-fonts.ts';
import { outputIntent } from '../conformance/output-intent.ts';
import { type Claims, isVersion2 } from '../conformance/profiles.ts';
import { limitDecoding } from '../decoding-limit.ts';
import { type PartFacts, readPartFacts } from '../edit/read-facts.ts';
import { xmpStream } from '../edit/xmp.ts';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { isEncrypted } from '../objects/cross-reference.ts';
import { PackedFile } from '../objects/object-streams.ts';
import { textString, toText } from '../objects/syntax.ts';
import { identifier, type Parts } from '../objects/write.ts';
import { isSigned } from '../security/signature-field.ts';
import type { MergedCatalog } from './merge-catalog.ts';
import { commonClaims, commonLanguage, commonTitle } from './merge-claims.ts';
import { MergedForm } from './merge-forms.ts';
import { MergedLayers } from './merge-layers.ts';
import { MergeSource } from './merge-source.ts';
import { MergedTags } from './merge-tags.ts';

export interface MergeTask {
  documents: Uint8Array[];
  /** In the order of the merged PDF. A document may occur several times; `document` is its index. */
  parts: Array<{ document: number; title: string }>;
  maxBytes: number;
}

/** The merged PDF, or the indexes of the parts that are encrypted or signed and therefore cannot be merged. */
export type Merged = Uint8Array<ArrayBuffer> | { protectedParts: number[] };

/** Maximum decompressed size of the objects of one document. */
const MAX_UNPACKED_BYTES = 268_435_456;
/** Numbers of the objects that belong to the merged file itself. */
const [CATALOG, PAGES, OUTLINES, INFO] = [1, 2, 3, 4];
const FIRST_FREE = 5;
const ID_BYTES = 16;
/** Objects other than streams may have this many times `maxBytes` before compression. */
const MAX_COMPRESSION = 8;
const PRODUCT = 'Platen';
const UNTRUSTED: PartFacts = { claims: { archive: undefined, accessible: undefined }, title: '' };

interface Part extends Pick<MergeSource, 'outline' | 'language' | 'isMarked'> {
  title: string;
  /** Object numbers of its page tree node and of its bookmark. */
  node: number;
  bookmark: number;
  firstPage: number;
  pages: number;
  facts: PartFacts;
}

/** Merges PDFs that Platen made, whose claims can be trusted. Throws `resource_limit`. */
export async function merge({ documents, parts, maxBytes }: MergeTask): Promise<Merged> {
  const isProtected: boolean[] = [];
  for (const { buffer, byteOffset, length } of documents) {
    const file = Buffer.from(buffer, byteOffset, length);
    isProtected.push(isEncrypted(new ChunkedBuffer([file])) || (await isSigned(file)));
  }
  const protectedParts = [...parts.keys()].filter((index) => isProtected[parts[index]?.document ?? 0]);
  if (protectedParts.length) return { protectedParts };
  const file = new MergedFile(maxBytes);
  const copied = documents.map(() => new Map<number, number>());
  try {
    for (const { document, title } of parts) {
      limitDecoding(MAX_UNPACKED_BYTES);
      const pdf = await PDF.load(documents[document] as Uint8Array);
      file.add(pdf, title, copied[document] as Map<number, number>, readPartFacts(pdf));
    }
    return file.end().join();
  } finally {
    limitDecoding(Number.POSITIVE_INFINITY);
  }
}

export class MergedFile {
  readonly #file = new PackedFile(() => this.#nextId++);
  readonly #maxBytes: number;
  #unpackedBytes = 0;
  readonly #merged: Part[] = [];
  /** The numbers of streams by a digest of their content. */
  readonly #contents = new Map<string, number>();
  readonly #digest = createHash('sha256');
  readonly #tags: MergedTags;
  readonly #form = new MergedForm();
  readonly #layers = new MergedLayers();
  readonly #fonts = new MergedFonts();
  readonly #kept: MergedCatalog | undefined;
  #nextId = FIRST_FREE;

  /**
   * Methods throw `resource_limit` if the result would exceed `maxBytes`. A page can be repeated, and each copy counts in full. `kept` takes
   * what the catalogs have.
   */
  constructor(maxBytes: number, kept?: MergedCatalog) {
    this.#kept = kept;
    this.#maxBytes = maxBytes;
    this.#tags = new MergedTags(() => this.#nextId++);
  }

  get pages(): number {
    return this.#merged.reduce((sum, part) => sum + part.pages, 0);
  }

  /** What the whole can claim. */
  get claims(): Claims | undefined {
    return commonClaims(
      this.#merged.map((part) => part.facts),
      this.#isMarked,
    );
  }

  /**
   * `streams` maps the streams of this document that an earlier part already added, which are not written again, to their new
   * numbers. `facts` is omitted for a document that Platen did not make.
   */
  add(pdf: PDF, title: string, streams: Map<number, number>, facts = UNTRUSTED): void {
    const [node, bookmark] = [this.#nextId++, this.#nextId++];
    const [contents, tags] = [this.#contents, this.#tags];
    const [form, layers, fonts] = [this.#form, this.#layers, facts === UNTRUSTED ? undefined : this.#fonts];
    const catalog = this.#kept;
    const target = { streams, contents, bookmark, tags, form, layers, fonts, catalog, newId: () => this.#nextId++ };
    const source = new MergeSource(pdf, target);
    if (form.hasRenamed) catalog?.noteRenamed('names of form fields');
    const pages = source.pages.map(({ id }) => id);
    for (const { id, value } of source.objects(node)) this.#put(id, value);
    const kids = toText(PdfArray.of(...pages.map((id) => PdfRef.of(id))));
    this.#putText(node, `<</Type/Pages/Parent ${PAGES} 0 R/Kids ${kids}/Count ${pages.length}>>`);
    const { outline, language, isMarked } = source;
    const place = { node, bookmark, firstPage: pages[0] ?? 0, pages: pages.length };
    this.#merged.push({ title, ...place, outline, language, isMarked, facts });
  }

  /** Takes what has been written, but for the header, if it is much. */
  takeWritten(): Buffer | undefined {
    return this.#file.parts.takeWritten();
  }

  end(): Parts {
    const [first, last] = [this.#merged[0], this.#merged.at(-1)];
    const count = this.#merged.length;
    const kids = this.#merged.map(({ node }) => `${node} 0 R`).join(' ');
    this.#putText(PAGES, `<</Type/Pages/Kids[${kids}]/Count ${this.pages}>>`);
    this.#putText(OUTLINES, `<</Type/Outlines/First ${first?.bookmark} 0 R/Last ${last?.bookmark} 0 R/Count ${count}>>`);
    const { claims } = this;
    for (const [index, part] of this.#merged.entries()) this.#putText(part.bookmark, this.#toBookmark(part, index, claims));
    for (const { id, value } of this.#fonts.end(() => this.#nextId++)) this.#put(id, value);
    this.#put(CATALOG, this.#catalog(claims));
    const id = identifier(this.#digest.digest().subarray(0, ID_BYTES));
    const hasInformation = !claims || !isVersion2(claims);
    if (!hasInformation) this.#file.parts.version = '2.0';
    return this.#file.end({ Root: PdfRef.of(CATALOG), ...(hasInformation && { Info: PdfRef.of(INFO) }), ID: id });
  }

  /** Whether all content of all parts is tagged or an artifact. */
  get #isMarked(): boolean {
    return this.#merged.every((part) => part.isMarked);
  }

  #catalog(claims: Claims | undefined): PdfDict {
    const catalog = PdfDict.of({
      Type: PdfName.of('Catalog'),
      Pages: PdfRef.of(PAGES),
      Outlines: PdfRef.of(OUTLINES),
      PageMode: PdfName.of('UseOutlines'),
    });
    const language = commonLanguage(this.#merged.map((part) => part.language));
    if (language) catalog.set('Lang', textString(language));
    if (!this.#tags.isEmpty) {
      const tags = this.#tags.end(language, { isVersion2: claims?.accessible === 2 });
      for (const { id, value } of tags) this.#put(id, value);
      catalog.set('StructTreeRoot', PdfRef.of(this.#tags.root));
      if (this.#isMarked) catalog.set('MarkInfo', PdfDict.of({ Marked: PdfBool.TRUE }));
    }
    const form = this.#form.end((font) => this.#add(font));
    if (form) catalog.set('AcroForm', form);
    const layers = this.#layers.end();
    if (layers) catalog.set('OCProperties', layers);
    this.#kept?.end(catalog, { isVersion2: claims?.accessible === 2 });
    const title = claims && commonTitle(this.#merged.map((part) => part.facts));
    if (claims) this.#writeClaims(catalog, claims, title);
    if (!claims || !isVersion2(claims)) this.#writeInfo(title);
    return catalog;
  }

  #writeInfo(title: string | undefined): void {
    const info = PdfDict.of({ Creator: textString(PRODUCT), Producer: textString(PRODUCT) });
    if (title) info.set('Title', textString(title));
    this.#put(INFO, info);
  }

  /** Writes the claims into the XMP metadata, with the title setting and the output intent that they require. */
  #writeClaims(catalog: PdfDict, claims: Claims, title: string | undefined): void {
    const facts = { title: title || undefined, creator: PRODUCT, producer: PRODUCT };
    catalog.set('Metadata', this.#add(xmpStream(facts, claims)));
    const preferences = catalog.getDict('ViewerPreferences')?.clone() ?? new PdfDict();
    preferences.set('DisplayDocTitle', PdfBool.TRUE);
    if (title) catalog.set('ViewerPreferences', preferences);
    if (claims.archive) catalog.set('OutputIntents', PdfArray.of(outputIntent((profile) => this.#add(profile))));
  }

  #toBookmark({ title, firstPage, outline }: Part, index: number, claims: Claims | undefined): string {
    const [previous, next] = [this.#merged[index - 1], this.#merged[index + 1]];
    const before = previous ? `/Prev ${previous.bookmark} 0 R` : '';
    const after = next ? `/Next ${next.bookmark} 0 R` : '';
    const [page, view] = [`${firstPage} 0 R`, '/XYZ null null null'];
    const part = toText(this.#tags.partAt(index));
    const target = claims?.accessible === 2 ? `/A<</S/GoTo/D[${page}${view}]/SD[${part}${view}]>>` : `/Dest[${page}${view}]`;
    return `<</Title ${toText(textString(title))}/Parent ${OUTLINES} 0 R${before}${after}${target}${outline}>>`;
  }

  #add(value: PdfObject): PdfRef {
    const id = this.#nextId++;
    this.#put(id, value);
    return PdfRef.of(id);
  }

  #put(id: number, value: PdfObject): void {
    if (value instanceof PdfStream) {
      this.#digest.update(`${id} `).update(value.data);
      this.#file.addStream(id, value);
      this.#checkSize();
    } else this.#putText(id, toText(value));
  }

  #putText(id: number, body: string): void {
    this.#digest.update(`${id} ${body}`);
    this.#unpackedBytes += body.length;
    this.#file.addPlain(id, Buffer.from(body, 'latin1'));
    this.#checkSize();
  }

  #checkSize(): void {
    const isTooLarge = this.#file.parts.length > this.#maxBytes || this.#unpackedBytes > this.#maxBytes * MAX_COMPRESSION;
    if (isTooLarge) throw mergedTooLarge(this.#maxBytes);
  }
}

export function mergedTooLarge(limit: number): ServiceError {
  return new ServiceError('resource_limit', `the merged PDF has more than ${limit} bytes`, { members: { limit } });
}
