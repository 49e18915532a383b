/** An incremental update of a PDF (ISO 32000-1, 7.5.6): what is changed and added is written after its bytes, which stay as they are. */
import { PDF, PdfDict, PdfName, PdfNumber, type PdfObject } from '@libpdf/core';
import { ChunkedBuffer } from './chunked-buffer.ts';
import { readStart } from './cross-reference.ts';
import { EditablePdf } from './editable-pdf.ts';
import { deflatedStream, entriesOf, numbers, toText } from './syntax.ts';
import { toBody } from './write.ts';

const ROW_BYTES = 8;

export class PdfUpdate extends EditablePdf {
  readonly #bytes: Buffer;
  readonly #before: number;

  /** Throws if the PDF is damaged, so that nobody knows what an update would be one of. */
  static async open(bytes: Buffer): Promise<PdfUpdate> {
    return new PdfUpdate(bytes, await PDF.load(bytes));
  }

  constructor(bytes: Buffer, pdf: PDF) {
    super({ size: pdf.context.registry.nextObjectNumber, body: () => undefined }, pdf);
    this.#bytes = bytes;
    this.#before = readStart(new ChunkedBuffer([bytes]));
    if (!(this.#before > 0)) throw new Error('the PDF has no cross-reference table');
  }

  /** The whole file. */
  write(): Buffer {
    const chunks: Buffer[] = [this.#bytes, Buffer.from('\n')];
    let length = this.#bytes.length + 1;
    const entries: Entry[] = [];
    const loaded = [...this.pdf.context.registry.getLoadedObjects()];
    const generations = new Map(loaded.map(([ref]) => [ref.objectNumber, ref.generation]));
    for (const object of this.objects()) {
      if (!('value' in object)) continue;
      const generation = generations.get(object.id) ?? 0;
      entries.push({ id: object.id, generation, offset: length });
      const head = Buffer.from(`${object.id} ${generation} obj\n`);
      const body = toBody(object.value);
      chunks.push(head, typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.from(body), Buffer.from('\nendobj\n'));
      length += chunks.slice(-3).reduce((sum, chunk) => sum + chunk.length, 0);
    }
    const trailer = this.#trailer();
    const table = this.pdf.usesXRefStreams ? this.#stream(entries, length, trailer) : this.#table(entries, trailer);
    return Buffer.concat([...chunks, table, Buffer.from(`startxref\n${length}\n%%EOF\n`)]);
  }

  #trailer(): Record<string, PdfObject> {
    const { Root, Info, ID } = entriesOf(this.pdf.context.info.trailer);
    const kept = { ...(Root && { Root }), ...(Info && { Info }), ...(ID && { ID }) };
    return { Size: PdfNumber.of(this.nextId), Prev: PdfNumber.of(this.#before), ...kept };
  }

  #table(entries: readonly Entry[], trailer: Record<string, PdfObject>): Buffer {
    const rows = entries.map(({ id, generation, offset }) => {
      const [place, number] = [String(offset).padStart(10, '0'), String(generation).padStart(5, '0')];
      return `${id} 1\n${place} ${number} n \n`;
    });
    return Buffer.from(`xref\n${rows.join('')}trailer\n${toText(PdfDict.of(trailer))}\n`, 'latin1');
  }

  /** `offset` is its own. */
  #stream(entries: readonly Entry[], offset: number, trailer: Record<string, PdfObject>): Buffer {
    const id = this.nextId;
    const all = [...entries, { id, generation: 0, offset }];
    const rows = all.map((entry) => {
      const row = Buffer.alloc(ROW_BYTES, 1);
      row.writeUIntBE(entry.offset, 1, 5);
      row.writeUInt16BE(entry.generation, 6);
      return row;
    });
    const own = { Type: PdfName.of('XRef'), W: numbers(1, 5, 2), Index: numbers(...all.flatMap((entry) => [entry.id, 1])) };
    const stream = deflatedStream({ ...trailer, ...own, Size: PdfNumber.of(id + 1) }, Buffer.concat(rows));
    return Buffer.concat([Buffer.from(`${id} 0 obj\n`), Buffer.from(toBody(stream) as Uint8Array), Buffer.from('\nendobj\n')]);
  }
}

interface Entry {
  id: number;
  generation: number;
  offset: number;
}
