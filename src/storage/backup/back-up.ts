/**
 * Backs up the data folder while the service runs. First copies the content that the database names at the start, which may take
 * hours, then the database, then the content that is new in that copy. Content that was deleted in the meantime is removed again.
 *
 * The service writes content before its row, so the copy of the database names no content that did not exist.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { CommandError } from '../../errors.ts';
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
import { livingContent, markDeleted, migrationsOf, type NamedContent, rowsOf, takeSnapshot } from './snapshot.ts';
import { openWorkFolder } from './work-folder.ts';
import { type BackupWriter, openWriter } from './write.ts';

export interface BackupSource {
  dataDir: string;
  /** Set if the content of documents is in a bucket. */
  blobsUrl: string;
  /** The version of Platen. */
  version: string;
}

/** Throws `CommandError`, and `storage_failed` if the database cannot be read. */
export async function backUp(source: BackupSource, destination: string, stdout: Writable): Promise<Summary> {
  if (!(await stat(join(source.dataDir, DATABASE)).catch(() => undefined)))
    throw new CommandError(`there is no database in ${source.dataDir}`);
  await using work = await openWorkFolder(source.dataDir);
  const writer = await openWriter(destination, stdout);
  try {
    const summary = await new Backup(source, join(work.path, DATABASE), writer).write();
    await writer.close();
    return summary;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

class Backup {
  readonly #source: BackupSource;
  /** The database of the service. */
  readonly #database: string;
  readonly #snapshot: string;
  readonly #writer: BackupWriter;
  /** SHA-256 by file name. */
  readonly #files = new Map<string, string>();
  /** Size of content by blob name. */
  readonly #bytes = new Map<string, number>();

  constructor(source: BackupSource, snapshot: string, writer: BackupWriter) {
    this.#source = source;
    this.#database = join(source.dataDir, DATABASE);
    this.#snapshot = snapshot;
    this.#writer = writer;
  }

  async write(): Promise<Summary> {
    await this.#addText(HEADER, json(this.#header()));
    await this.#copy(this.#living(this.#database));
    const asOf = new Date();
    takeSnapshot(this.#database, this.#snapshot);
    await this.#copy(this.#living(this.#snapshot));
    this.#markDeleted();
    const contentAsOf = new Date();
    const living = this.#living(this.#snapshot, contentAsOf.getTime());
    await this.#removeOthers(new Set(living.map(({ blob }) => blob)));
    await this.#add(DATABASE, (await stat(this.#snapshot)).size, createReadStream(this.#snapshot));
    const summary: Summary = {
      as_of: asOf.toISOString(),
      content_as_of: contentAsOf.toISOString(),
      rows: rowsOf(this.#snapshot),
      files: this.#bytes.size,
      bytes: [...this.#bytes.values()].reduce((sum, each) => sum + each, 0),
      faults: living.filter((each) => this.#isFaulty(each)).map(({ blob }) => blob),
    };
    await this.#addText(SUMMARY, json(summary));
    const files = [...this.#files].map(([name, sha256]) => ({ name, sha256 }));
    await this.#addText(CHECKSUMS, writeChecksums(files));
    return summary;
  }

  #header(): Header {
    const { blobsUrl, version } = this.#source;
    return {
      format: FORMAT,
      platen: version,
      created_at: new Date().toISOString(),
      migrations: migrationsOf(this.#database),
      content: blobsUrl ? 'bucket' : 'files',
    };
  }

  /** The content to back up. A bucket is backed up separately. */
  #living(database: string, now = Date.now()): NamedContent[] {
    return this.#source.blobsUrl ? [] : livingContent(database, now);
  }

  /** Skips content that has just been removed, or was missing before. */
  async #copy(content: NamedContent[]): Promise<void> {
    for (const { blob } of content) {
      if (this.#bytes.has(blob)) continue;
      const name = contentPath(blob);
      const file = await openFile(join(this.#source.dataDir, name));
      if (!file) continue;
      const { size } = await file.stat();
      await this.#add(name, size, file.createReadStream({ autoClose: true }));
      this.#bytes.set(blob, size);
    }
  }

  /** Marks content in the snapshot as deleted if it was deleted after the snapshot was taken and before it was copied. */
  #markDeleted(): void {
    const now = Date.now();
    const missing = this.#living(this.#snapshot, now).filter(({ blob }) => !this.#bytes.has(blob));
    if (!missing.length) return;
    const stillNamed = new Set(this.#living(this.#database, now).map(({ blob }) => blob));
    const deleted = missing.map(({ blob }) => blob).filter((blob) => !stillNamed.has(blob));
    markDeleted(this.#snapshot, deleted, now);
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

  async #add(name: string, bytes: number, content: NodeJS.ReadableStream): Promise<void> {
    this.#files.set(name, await this.#writer.add(name, bytes, content));
  }

  #addText(name: string, text: string): Promise<void> {
    return this.#add(name, Buffer.byteLength(text), Readable.from([Buffer.from(text)]));
  }
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
