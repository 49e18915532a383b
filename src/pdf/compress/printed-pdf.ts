/** Reads single objects of a PDF as Chromium printed it, without libpdf, which would read all of them. */
import { PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { parseObject } from '../objects/parse-object.ts';
import { DictionaryReader } from '../objects/pdf-reader.ts';
import { isStream, RawFile, STREAM, textLength } from '../objects/raw-file.ts';

const END = '\nendstream';

export class PrintedPdf extends DictionaryReader {
  readonly file: RawFile;
  readonly trailer: PdfDict;
  readonly #parsed = new Map<number, PdfObject | undefined>();

  /** Throws if Chromium did not print the PDF. */
  constructor(bytes: Buffer) {
    super();
    this.file = new RawFile(bytes);
    this.trailer = this.file.trailer;
  }

  /** Undefined for what Chromium writes in a syntax that `parseObject` does not read. */
  override resolve(value: PdfObject | undefined): PdfObject | undefined {
    if (!(value instanceof PdfRef)) return value;
    const { objectNumber: id } = value;
    if (!this.#parsed.has(id)) this.#parsed.set(id, parseBody(this.file.body(id)));
    return this.#parsed.get(id);
  }

  /** The dictionaries of all pages in their order. */
  pages(): PdfDict[] {
    return this.#leaves(this.dict(this.dict(this.trailer, 'Root'), 'Pages'));
  }

  #leaves(node: PdfDict | undefined): PdfDict[] {
    const kids = this.list(node, 'Kids').flatMap((kid) => this.asDict(kid) ?? []);
    return kids.flatMap((kid) => (kid.has('Kids') ? this.#leaves(kid) : [kid]));
  }
}

function parseBody(body: Buffer | undefined): PdfObject | undefined {
  if (!body || !isStream(body)) return body && parseObject(body.toString('latin1'));
  const start = textLength(body);
  const dict = parseObject(body.toString('latin1', 0, start));
  return dict instanceof PdfDict
    ? new PdfStream(dict, body.subarray(start + STREAM.length, body.length - END.length))
    : undefined;
}
