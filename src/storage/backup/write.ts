/** Writes the files of a backup into a new folder or, in sequence, into a tar archive. */
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { CommandError } from '../../errors.ts';
import { syncFolder } from '../files.ts';
import { digestContent } from './digest.ts';

export interface BackupWriter {
  /** `bytes` is the size of `content`. Resolves to its SHA-256; in a folder, the file's content is then on the disk. */
  add(name: string, bytes: number, content: Readable): Promise<string>;
  /** Removes a file. Returns false for an archive, which keeps the file; `restore` then finds that no row names it. */
  remove(name: string): Promise<boolean>;
  close(): Promise<void>;
  /** Stops after an error. The incomplete backup cannot be restored by mistake, because it has no checksums. */
  abandon(): Promise<void>;
}

/** `destination` is `-` for standard output, a name ending with `.tar` for an archive, or a folder, which must be new or empty. */
export async function openWriter(destination: string, stdout: Writable): Promise<BackupWriter> {
  if (destination === '-') return new ArchiveWriter(stdout);
  if (!destination.endsWith('.tar')) return FolderWriter.open(destination);
  const file = await open(destination, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new CommandError(`${destination} exists already; use another name`);
    throw error;
  });
  return new ArchiveWriter(file.createWriteStream({ flush: true }), destination);
}

class FolderWriter implements BackupWriter {
  readonly #folder: string;
  readonly #folders = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<FolderWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length) throw new CommandError(`the folder ${folder} is not empty; use a new one`);
    return new FolderWriter(folder);
  }

  async add(name: string, _bytes: number, content: Readable): Promise<string> {
    const path = join(this.#folder, name);
    if (!this.#folders.has(dirname(path))) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    this.#folders.add(dirname(path));
    return (await digestContent(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))).sha256;
  }

  async remove(name: string): Promise<boolean> {
    await rm(join(this.#folder, name));
    return true;
  }

  async close(): Promise<void> {
    for (const folder of [...this.#folders, this.#folder]) await syncFolder(folder);
  }

  async abandon(): Promise<void> {}
}

class ArchiveWriter implements BackupWriter {
  readonly #pack: Pack = pack();
  readonly #written: Promise<void>;
  readonly #path: string | undefined;

  constructor(target: Writable, path?: string) {
    this.#path = path;
    this.#written = pipeline(this.#pack, target);
    this.#written.catch(() => {}); // `add` and `close` report the error
  }

  async add(name: string, bytes: number, content: Readable): Promise<string> {
    const added = digestContent(content, this.#pack.entry({ name, size: bytes, mode: 0o600 }));
    added.catch(() => {});
    // An entry waits until the archive is read further, and would wait forever after a failure.
    const failed = this.#written.then<never>(() => new Promise(() => {}));
    return (await Promise.race([added, failed])).sha256;
  }

  async remove(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {
    this.#pack.finalize();
    await this.#written;
  }

  async abandon(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => {});
    if (this.#path !== undefined) await rm(this.#path, { force: true });
  }
}
