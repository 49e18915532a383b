/**
 * Backs up the database and the content while the service runs. First copies the content that the database names at the start, which
 * may take hours, then the database, then the content that is new in that copy. Content that was deleted in the meantime is removed again.
 *
 * The service writes content before its row, so the copy of the database names no content that did not exist.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { queryFile } from '../sqlite.ts';
import {
  CHECKSUMS,
  contentPath,
  DATABASE,
  FORMAT,
  HEADER,
  type Header,
  SUMMARY,
  type Summary,
  writeChecksums,
} from './format.ts';
import { countRows, livingContent, markDeleted, type NamedContent, takeSnapshot } from './snapshot.ts';
import { type BackupSettings, type BackupSource, openSource } from './source.ts';
import { openWorkFolder } from './work-folder.ts';
import { type BackupWriter, openWriter } from './write.ts';

/** Throws `CommandError`, and `storage_failed` if the database cannot be read or used. */
export async function backUp(settings: BackupSettings, destination: string, stdout: Writable): Promise<Summary> {
  await using source = await openSource(settings);
  await using work = await openWorkFolder(settings.dataDir);
  const writer = await openWriter(destination, stdout);
  try {
    const summary = await new Backup(source, work.path, writer).write();
    await writer.close();
    return summary;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

class Backup {
  readonly #source: BackupSource;
  readonly #work: string;
  readonly #writer: BackupWriter;
  readonly #files = new Map<string, string>();
  /** Size of content by blob name. */
  readonly #bytes = new Map<string, number>();

  constructor(source: BackupSource, work: string, writer: BackupWriter) {
    this.#source = source;
    this.#work = work;
    this.#writer = writer;
  }

  async write(): Promise<Summary> {
    await this.#addText(HEADER, json(this.#header()));
    await this.#copy(await this.#listLiving());
    const asOf = new Date();
    const snapshot = await takeSnapshot(this.#source.query, this.#work, this.#source);
    await this.#copy(await this.#listLiving(snapshot));
    await this.#markDeleted(snapshot);
    const contentAsOf = new Date();
    const living = await this.#listLiving(snapshot, contentAsOf.getTime());
    await this.#removeOthers(new Set(living.map(({ blob }) => blob)));
    await this.#add(DATABASE, (await stat(snapshot)).size, createReadStream(snapshot));
    const summary: Summary = {
      as_of: asOf.toISOString(),
      content_as_of: contentAsOf.toISOString(),
      rows: await countRows(snapshot),
      files: this.#bytes.size,
      bytes: [...this.#bytes.values()].reduce((sum, each) => sum + each, 0),
      faults: living.filter((each) => this.#isFaulty(each)).map(({ blob }) => blob),
    };
    await this.#addText(SUMMARY, json(summary));
    await this.#addText(CHECKSUMS, writeChecksums(this.#files));
    return summary;
  }

  #header(): Header {
    const { version: platen, installation, migrations, content } = this.#source;
    return { format: FORMAT, platen, created_at: new Date().toISOString(), installation, migrations, content };
  }

  /** The content to back up that a copy of the database names, or the database of the service itself. */
  async #listLiving(snapshot?: string, now = Date.now()): Promise<NamedContent[]> {
    if (!this.#source.blobs) return [];
    if (snapshot === undefined) return livingContent(this.#source.query, now);
    await using query = queryFile(snapshot);
    return await livingContent(query, now); // before it is closed
  }

  /** Skips content that has just been removed, or was missing before. */
  async #copy(content: NamedContent[]): Promise<void> {
    const { blobs } = this.#source;
    for (const { blob } of content) {
      if (this.#bytes.has(blob)) continue;
      const size = await blobs?.size(blob);
      const found = size === undefined ? undefined : await blobs?.read(blob);
      if (size === undefined || !found) continue;
      await this.#add(contentPath(blob), size, found);
      this.#bytes.set(blob, size);
    }
  }

  /** Marks content in the snapshot as deleted if it was deleted after the snapshot was taken and before it was copied. */
  async #markDeleted(snapshot: string): Promise<void> {
    const now = Date.now();
    const missing = (await this.#listLiving(snapshot, now)).filter(({ blob }) => !this.#bytes.has(blob));
    if (!missing.length) return;
    const stillNamed = new Set((await this.#listLiving(undefined, now)).map(({ blob }) => blob));
    const deleted = missing.map(({ blob }) => blob).filter((blob) => !stillNamed.has(blob));
    markDeleted(snapshot, deleted, now);
  }

  /** Removes content that `named` does not contain. An archive keeps its bytes, and `restore` leaves them out. */
  async #removeOthers(named: ReadonlySet<string>): Promise<void> {
    for (const blob of this.#bytes.keys()) {
      if (named.has(blob)) continue;
      this.#bytes.delete(blob);
      const name = contentPath(blob);
      if (await this.#writer.remove(name)) this.#files.delete(name);
    }
  }

  #isFaulty({ blob, bytes, sha256 }: NamedContent): boolean {
    const [size, hash] = [this.#bytes.get(blob), this.#files.get(contentPath(blob))];
    return size === undefined || (bytes ?? size) !== size || (sha256 ?? hash) !== hash;
  }

  async #add(name: string, bytes: number, content: Readable): Promise<void> {
    this.#files.set(name, await this.#writer.add(name, bytes, content));
  }

  #addText(name: string, text: string): Promise<void> {
    return this.#add(name, Buffer.byteLength(text), Readable.from([Buffer.from(text)]));
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
