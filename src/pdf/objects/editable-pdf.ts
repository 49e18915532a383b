/** A PDF that is being edited: the objects of the original file, and those that were changed or added. */
import { PDF, PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import { PdfReader } from './pdf-reader.ts';
import { RawFile } from './raw-file.ts';
import type { PdfVersion } from './syntax.ts';

/** An object to write: as bytes of the original file, or as a value. */
export type EditableObject = { id: number; raw: Buffer } | { id: number; value: PdfObject };

/** Keeps changed objects by number. libpdf loads objects on demand and drops them from its cache if there are many. */
export class EditablePdf extends PdfReader {
  /** Always rewritten. */
  readonly catalog: PdfDict;
  readonly root: PdfRef;
  info: PdfRef | undefined;
  /** The file identifier (ISO 32000-1, 14.4). */
  id: Uint8Array | undefined;
  version: PdfVersion = '1.7';
  /** The signature dictionary, which is never put into an object stream. */
  signature: PdfRef | undefined;
  readonly file: Pick<RawFile, 'size' | 'body'>;
  readonly #changed = new Map<number, PdfObject>();
  readonly #dropped = new Set<number>();

  /** Throws if the bytes are not a PDF as Chromium prints it. */
  static async read(bytes: Buffer): Promise<EditablePdf> {
    const file = new RawFile(bytes);
    return new EditablePdf(file, await PDF.load(bytes));
  }

  protected constructor(file: Pick<RawFile, 'size' | 'body'>, pdf: PDF) {
    super(pdf);
    const { catalog, info } = pdf.context;
    const root = info.trailer.getRef('Root');
    if (!root || pdf.recoveredViaBruteForce) throw new Error('the PDF is damaged');
    this.file = file;
    this.root = root;
    this.info = info.trailer.getRef('Info');
    this.catalog = catalog.getDict();
    this.change(root, this.catalog);
  }

  override resolve(value: PdfObject | undefined): PdfObject | undefined {
    return (value instanceof PdfRef && this.#changed.get(value.objectNumber)) || super.resolve(value);
  }

  /** The pages in their order, as they are now. Do not modify the dictionaries; call `update`. */
  pages(): Array<{ ref: PdfRef; page: PdfDict }> {
    return this.pdf.getPages().map(({ ref, dict }) => ({ ref, page: this.asDict(ref) ?? dict }));
  }

  /** The annotations of a page that are references. Do not modify them; call `update`. */
  annotations(page: PdfDict): Array<{ ref: PdfRef; annotation: PdfDict }> {
    return this.list(page, 'Annots').flatMap((ref) => {
      const annotation = this.asDict(ref);
      return ref instanceof PdfRef && annotation ? [{ ref, annotation }] : [];
    });
  }

  /** A copy of the dictionary that an entry contains or refers to; an empty dictionary if there is none. */
  copyDictionary(parent: PdfDict, entry: string): PdfDict {
    return this.dict(parent, entry)?.clone() ?? new PdfDict();
  }

  /** The body of an object in the original file, as Latin-1; undefined for an object that was changed or added. */
  unchangedText(id: number): string | undefined {
    return this.#changed.has(id) ? undefined : this.file.body(id)?.toString('latin1');
  }

  change(ref: PdfRef, object: PdfObject): void {
    this.#changed.set(ref.objectNumber, object);
  }

  /** Sets entries of a dictionary. */
  update(ref: PdfRef, entries: Record<string, PdfObject>): void {
    const copy = this.asDict(ref)?.clone() ?? new PdfDict();
    for (const [name, value] of Object.entries(entries)) copy.set(name, value);
    this.change(ref, copy);
  }

  /** Leaves an object of the original file out, which nothing may refer to. */
  drop({ objectNumber }: PdfRef): void {
    this.#dropped.add(objectNumber);
  }

  /** Sets the version to PDF 2.0 and removes the information dictionary, which that version deprecates. */
  beginVersion2(): void {
    this.version = '2.0';
    if (this.info) this.drop(this.info);
    this.info = undefined;
  }

  add(object: PdfObject): PdfRef {
    return this.pdf.register(object);
  }

  /** The next free object number. Read it only after the last object was added. */
  get nextId(): number {
    return this.pdf.context.registry.nextObjectNumber;
  }

  /** All objects to write: those of the original file by number, then the added ones. */
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
