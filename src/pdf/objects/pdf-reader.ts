/** Reads a parsed PDF: dictionaries and the names of their entries in, values out, whether they are direct or references. */
import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';

export abstract class DictionaryReader {
  /** Follows a reference, or returns the value itself. */
  abstract resolve(value: PdfObject | undefined): PdfObject | undefined;

  asDict(value: PdfObject | undefined): PdfDict | undefined {
    const found = this.resolve(value);
    return found instanceof PdfDict ? found : undefined;
  }

  dict(parent: PdfDict | undefined, entry: string): PdfDict | undefined {
    return this.asDict(parent?.get(entry));
  }

  /** An entry of an entry, which is not followed, such as a font of resources. */
  nested(parent: PdfDict | undefined, kind: string, name: string): PdfObject | undefined {
    return this.dict(parent, kind)?.get(name);
  }

  stream(parent: PdfDict | undefined, entry: string): PdfStream | undefined {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfStream ? found : undefined;
  }

  /** The items of an array; empty if there is none. */
  list(parent: PdfDict | undefined, entry: string): PdfObject[] {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfArray ? found.toArray() : [];
  }

  /** The items of an array, or a single value as the only item. */
  listOrOne(parent: PdfDict | undefined, entry: string): PdfObject[] {
    const given = parent?.get(entry);
    const found = this.resolve(given);
    if (found instanceof PdfArray) return this.list(parent, entry);
    return found && given ? [given] : [];
  }

  /** Empty if there is no name. */
  name(parent: PdfDict | undefined, entry: string): string {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfName ? found.value : '';
  }

  number(parent: PdfDict | undefined, entry: string): number | undefined {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfNumber ? found.value : undefined;
  }

  /** The items of a list. What is no number is 0. */
  numbers(parent: PdfDict | undefined, entry: string): number[] {
    return this.list(parent, entry).map((item) => {
      const found = this.resolve(item);
      return found instanceof PdfNumber ? found.value : 0;
    });
  }

  /** Empty if there is no string. */
  text(parent: PdfDict | undefined, entry: string): string {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfString ? found.asString() : '';
  }

  /** A name or a string, as destinations are written; undefined for another value. */
  label(value: PdfObject | undefined): string | undefined {
    return labelOf(this.resolve(value));
  }
}

/** The text of a name or a string; undefined for another object. */
export function labelOf(object: PdfObject | undefined): string | undefined {
  if (object instanceof PdfName) return object.value;
  return object instanceof PdfString ? object.asString() : undefined;
}

/** Reads a PDF that libpdf has parsed. */
export class PdfReader extends DictionaryReader {
  readonly pdf: PDF;

  constructor(pdf: PDF) {
    super();
    this.pdf = pdf;
  }

  override resolve(value: PdfObject | undefined): PdfObject | undefined {
    return value instanceof PdfRef ? (this.pdf.getObject(value) ?? undefined) : value;
  }
}
