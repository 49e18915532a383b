/**
 * Writes a ZIP archive of a batch that has ended: its documents, which are opened one after the other, and a list of all items.
 */
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { WholeBatch } from '../../batches/batches.ts';
import { FileNames } from '../../batches/file-names.ts';
import { chosenFilename, goneError, type Result, readResults } from '../../batches/results.ts';
import type { Documents, StoredDocument } from '../../documents/documents.ts';
import { batchSummary } from './batch-record.ts';

/** The name of the file in the archive that lists all items. */
const LIST = 'batch.json';
/** A regular file that its owner may change and everybody may read. */
const MODE = 0o100644;

export function streamZip(documents: Documents, keyId: string, batch: WholeBatch): Readable {
  const archive = new BatchArchive(documents);
  archive.fill(keyId, batch).catch((error: Error) => archive.output.destroy(error));
  return archive.output;
}

class BatchArchive {
  readonly #documents: Documents;
  readonly #zip = new ZipFile();
  readonly #names = new FileNames();
  #content: Readable | undefined;

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#zip.on('error', (error: Error) => this.output.destroy(error));
    this.output.once('close', () => this.#content?.destroy());
  }

  get output(): Readable {
    return this.#zip.outputStream as Readable;
  }

  /** Opens a document only when the one before it has been read. */
  async fill(keyId: string, batch: WholeBatch): Promise<void> {
    const items: object[] = [];
    for await (const result of readResults(this.#documents, keyId, batch)) {
      items.push(await this.#add(result));
      if (this.output.destroyed) return;
    }
    this.#addList(batch, items);
    this.#zip.end();
  }

  /** Returns the entry of the item in the list. */
  async #add({ item, document, error }: Result): Promise<object> {
    const { position: index, reference, status } = item;
    const added = document ? await this.#addDocument(document, item) : { error };
    return { index, reference, status, file: null, document_id: item.document?.id ?? null, ...added };
  }

  async #addDocument(document: StoredDocument, { position, reference }: Result['item']): Promise<object> {
    const read = await this.#documents.read(document).catch(goneError);
    if ('code' in read) return { error: read };
    const file = this.#names.take({ position, reference, filename: chosenFilename(document) });
    this.#content = read;
    if (this.output.destroyed) read.destroy();
    const { bytes, pages, sha256, createdAt } = document;
    this.#zip.addReadStream(read, file, { compress: false, size: bytes, mtime: new Date(createdAt), mode: MODE });
    await finished(read);
    return { file, bytes, pages, sha256 };
  }

  #addList(batch: WholeBatch, items: object[]): void {
    const text = `${JSON.stringify({ ...batchSummary(batch), items }, undefined, 2)}\n`;
    this.#zip.addBuffer(Buffer.from(text), LIST, { mtime: new Date(batch.completedAt ?? batch.createdAt), mode: MODE });
  }
}
