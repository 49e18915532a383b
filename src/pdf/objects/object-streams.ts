/**
 * Writes a finished PDF in its smallest form: an editable PDF in, bytes in chunks out. Objects that are not streams go into compressed
 * object streams with a cross-reference stream (ISO 32000-1, 7.5.7 and 7.5.8). With a password, the streams and the objects in them
 * are encrypted.
 */
import { PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import type { EditableObject, EditablePdf } from './editable-pdf.ts';
import type { Encryption } from './encrypt.ts';
import { isStream } from './raw-file.ts';
import { deflatedStream, numbers, toText } from './syntax.ts';
import { identifier, Parts, toBody, trailerEntries } from './write.ts';

/** A reader must decompress a whole object stream to read one object. */
const OBJECTS_PER_STREAM = 200;

export function writeWithObjectStreams(editable: EditablePdf, protection?: Encryption): Parts {
  const file = openFile(editable, protection);
  for (const object of editable.objects()) addObject(file, object, editable, protection !== undefined);
  return file.end(trailerEntries(editable));
}

/** Gives what it has written to `keep`, so that it is not held, and returns the rest. */
export async function writeInPieces(
  editable: EditablePdf,
  protection: Encryption | undefined,
  keep: (bytes: Uint8Array) => Promise<void>,
): Promise<Parts> {
  const file = openFile(editable, protection);
  for (const object of editable.objects()) {
    addObject(file, object, editable, protection !== undefined);
    const written = file.parts.takeWritten();
    if (written) await keep(written);
  }
  return file.end(trailerEntries(editable));
}

function openFile(editable: EditablePdf, protection: Encryption | undefined): PackedFile {
  let { nextId } = editable;
  const file = new PackedFile(() => nextId++, protection);
  file.parts.version = editable.version;
  return file;
}

function addObject(file: PackedFile, object: EditableObject, editable: EditablePdf, isEncrypted: boolean): void {
  const stream = toStream(object, editable, isEncrypted);
  if (stream) file.addStream(object.id, stream);
  else file.addPlain(object.id, 'raw' in object ? object.raw : Buffer.from(toText(object.value), 'latin1'));
}

/**
 * An object that must not go into an object stream: a stream, as a value or, without encryption, as its original bytes; or the
 * signature dictionary. Undefined for all other objects.
 */
function toStream(object: EditableObject, editable: EditablePdf, encrypted: boolean): PdfStream | Buffer | undefined {
  if (object.id === editable.signature?.objectNumber && 'value' in object) return Buffer.from(toText(object.value), 'latin1');
  if ('value' in object) return object.value instanceof PdfStream ? object.value : undefined;
  if (!isStream(object.raw)) return undefined;
  if (!encrypted) return object.raw;
  const parsed = editable.pdf.getObject(PdfRef.of(object.id));
  if (!(parsed instanceof PdfStream)) throw new Error(`the PDF's object ${object.id} is not a stream`);
  return parsed;
}

/** A PDF file that is being written. Objects can be added in any order. */
export class PackedFile {
  /** What is written so far, without the objects that wait for their object stream. */
  readonly parts = new Parts();
  readonly #table = new CrossReferences();
  readonly #protection: Encryption | undefined;
  readonly #newId: () => number;
  #waiting: Array<{ id: number; body: Uint8Array }> = [];

  constructor(newId: () => number, protection?: Encryption) {
    this.#newId = newId;
    this.#protection = protection;
  }

  addStream(id: number, stream: PdfStream | Buffer): void {
    this.#put(id, stream instanceof PdfStream ? toBody(stream, this.#protection?.cipher) : stream);
  }

  /** Adds an object to an object stream. Its strings are not encrypted separately. */
  addPlain(id: number, body: Uint8Array): void {
    this.#waiting.push({ id, body });
    if (this.#waiting.length === OBJECTS_PER_STREAM) this.#flush();
  }

  end(trailer: Record<string, PdfObject>): Parts {
    this.#flush();
    const entries: Record<string, PdfObject> = { Type: PdfName.of('XRef'), ...trailer };
    if (this.#protection) {
      const id = this.#newId();
      entries.ID = identifier(this.#protection.id);
      entries.Encrypt = PdfRef.of(id);
      this.#put(id, toText(this.#protection.dictionary));
    }
    const start = this.parts.length;
    const id = this.#newId();
    this.#table.setOffset(id, start);
    this.parts.addObject(id, toBody(this.#table.toStream(entries)));
    this.parts.end(start);
    return this.parts;
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (!waiting.length) return;
    this.#waiting = [];
    const container = this.#newId();
    for (const [index, { id }] of waiting.entries()) this.#table.setContainer(id, container, index);
    this.addStream(container, objectStream(waiting));
  }

  #put(id: number, body: string | Uint8Array): void {
    this.#table.setOffset(id, this.parts.length);
    this.parts.addObject(id, body);
  }
}

function objectStream(objects: Array<{ id: number; body: Uint8Array }>): PdfStream {
  let offset = 0;
  let header = '';
  for (const { id, body } of objects) {
    header += `${id} ${offset} `;
    offset += body.length + 1;
  }
  const bodies = objects.flatMap(({ body }) => [body, LINE_FEED]);
  const entries = { Type: PdfName.of('ObjStm'), N: PdfNumber.of(objects.length), First: PdfNumber.of(header.length) };
  return deflatedStream(entries, Buffer.concat([Buffer.from(header), ...bodies]));
}

const LINE_FEED = Buffer.from('\n');
const ROW_BYTES = 7;
const MIN_ROWS = 256;
const IN_FILE = 1;
const IN_OBJECT_STREAM = 2;

/**
 * Where objects are. Each row has 1 byte for the type of the entry, 4 for an offset or an object stream number, and 2 for an index; it
 * stays empty for a free number.
 */
class CrossReferences {
  #rows = Buffer.alloc(MIN_ROWS * ROW_BYTES);
  #count = 0;

  setOffset(id: number, offset: number): void {
    this.#set(id, IN_FILE, offset, 0);
  }

  /** `index` is that in the object stream with the number `container`. */
  setContainer(id: number, container: number, index: number): void {
    this.#set(id, IN_OBJECT_STREAM, container, index);
  }

  toStream(entries: Record<string, PdfObject>): PdfStream {
    const DecodeParms = PdfDict.of({ Predictor: PdfNumber.of(12), Columns: PdfNumber.of(ROW_BYTES) });
    return deflatedStream(
      { ...entries, Size: PdfNumber.of(this.#count), W: numbers(1, 4, 2), DecodeParms },
      differences(this.#rows.subarray(0, this.#count * ROW_BYTES)),
    );
  }

  #set(id: number, type: number, place: number, index: number): void {
    this.#count = Math.max(this.#count, id + 1);
    const at = id * ROW_BYTES;
    if (at + ROW_BYTES > this.#rows.length) this.#rows = Buffer.concat([this.#rows, Buffer.alloc(at + ROW_BYTES)]);
    this.#rows.writeUInt8(type, at);
    this.#rows.writeUInt32BE(place, at + 1);
    this.#rows.writeUInt16BE(index, at + 5);
  }
}

/** Applies the PNG filter `Up` (2), which compresses well because each row differs little from the row above. */
function differences(table: Buffer): Buffer {
  const filtered = Buffer.alloc((table.length / ROW_BYTES) * (ROW_BYTES + 1));
  for (let from = 0, to = 0; from < table.length; from += ROW_BYTES) {
    filtered[to++] = 2;
    for (let at = from; at < from + ROW_BYTES; at++) filtered[to++] = (table[at] ?? 0) - (table[at - ROW_BYTES] ?? 0);
  }
  return filtered;
}
