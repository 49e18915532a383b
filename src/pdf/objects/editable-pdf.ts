/** A PDF that is being finished: the objects of the original file, and those that were changed or added. */
import { PDF, PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import { RawFile } from './raw-file.ts';
import type { PdfVersion } from './syntax.ts';

/** An object to be written: as bytes of the old file, or as a value. */
export type EditableObject = { id: number; raw: Buffer } | { id: number; value: PdfObject };

/** libpdf reads objects one by one and forgets which it has read, when there are very many: changes are kept here, by number. */
export class EditablePdf {
  readonly pdf: PDF;
  /** Always written anew. */
  readonly catalog: PdfDict;
  readonly root: PdfRef;
  info: PdfRef | undefined;
  /** The file identifier (ISO 32000-1, 14.4). */
  id: Uint8Array | undefined;
  version: PdfVersion = '1.7';
  /** The signature, which stands by itself in the file. */
  signature: PdfRef | undefined;
  readonly file: RawFile;
  readonly #changed = new Map<number, PdfObject>();
  readonly #dropped = new Set<number>();

  /** Throws when these bytes are no PDF as Chromium prints them. */
  static async read(bytes: Buffer): Promise<EditablePdf> {
    const file = new RawFile(bytes);
    return new EditablePdf(file, await PDF.load(bytes));
  }

  private constructor(file: RawFile, pdf: PDF) {
    const { catalog, info } = pdf.context;
    const root = info.trailer.getRef('Root');
    if (!root || pdf.recoveredViaBruteForce) throw new Error('the PDF is damaged');
    this.file = file;
    this.pdf = pdf;
    this.root = root;
    this.info = info.trailer.getRef('Info');
    this.catalog = catalog.getDict();
    this.change(root, this.catalog);
  }

  /** What a value refers to, or the value itself. */
  resolve(value: PdfObject | undefined): PdfObject | undefined {
    if (!(value instanceof PdfRef)) return value;
    return this.#changed.get(value.objectNumber) ?? this.pdf.getObject(value) ?? undefined;
  }

  /** A copy of the dictionary that an entry holds or refers to; an empty one where it does neither. */
  copyOf(parent: PdfDict, entry: string): PdfDict {
    const found = this.resolve(parent.get(entry));
    return found instanceof PdfDict ? found.clone() : new PdfDict();
  }

  /** An object by number as it stands in the file, in Latin-1; undefined for one that was changed or added. */
  unchangedText(id: number): string | undefined {
    return this.#changed.has(id) ? undefined : this.file.body(id)?.toString('latin1');
  }

  change(ref: PdfRef, object: PdfObject): void {
    this.#changed.set(ref.objectNumber, object);
  }

  /** The information dictionary is deprecated in PDF 2.0, and goes. */
  beginVersion2(): void {
    this.version = '2.0';
    if (this.info) this.#dropped.add(this.info.objectNumber);
    this.info = undefined;
  }

  add(object: PdfObject): PdfRef {
    return this.pdf.register(object);
  }

  /** A number that no object has. To be asked for when nothing is added any more. */
  get nextId(): number {
    return this.pdf.context.registry.nextObjectNumber;
  }

  /** By number. */
  *objects(): Generator<EditableObject> {
    for (let id = 1; id < this.file.size; id++) {
      const value = this.#changed.get(id);
      const raw = this.#dropped.has(id) ? undefined : this.file.body(id);
      if (value) yield { id, value };
      else if (raw) yield { id, raw };
    }
    for (const [{ objectNumber: id }, added] of this.pdf.context.registry.getNewObjects())
      yield { id, value: this.#changed.get(id) ?? added };
  }
}
