/** The places that a restore fills: the database and the content store that the settings name. They must be empty before. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { CommandError, hasCode } from '../../errors.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { blobsFolder, openBlobs } from '../blobs/open-blobs.ts';
import { type Database, type DatabaseSettings, openDatabase, openOrCreateDatabase } from '../database.ts';
import { syncFolder } from '../files.ts';
import { lockFolder } from '../folder-lock.ts';
import { copyRows, isEmpty } from './copy-rows.ts';
import { type Digest, Digesting, digestContent } from './digest.ts';
import { DATABASE, type Header } from './format.ts';
import { Journal } from './journal.ts';

export interface RestoreSettings extends DatabaseSettings {
  databaseUrl: string;
  blobsUrl: string;
}

/** The folder in the data folder that has the journal, and the database until it has been checked. */
const WORK = 'restore';
/** What an empty data folder may contain: the lock, and the folder for slow readers that a content store creates. */
const IGNORED = /^(service\.lock.*|spool)$/;

export class RestoreTarget {
  readonly #settings: RestoreSettings;
  readonly #parts: Parts;
  readonly #close: AsyncDisposableStack;

  private constructor(settings: RestoreSettings, parts: Parts, close: AsyncDisposableStack) {
    this.#settings = settings;
    this.#parts = parts;
    this.#close = close;
  }

  /** `text` is the header as the backup has it. Throws `CommandError` and `storage_failed`, and changes nothing then. */
  static async open(settings: RestoreSettings, header: Header, text: string): Promise<RestoreTarget> {
    await using opened = new AsyncDisposableStack(); // closes what is open if something throws
    const work = join(settings.dataDir, WORK);
    await mkdir(work, { recursive: true, mode: 0o700 });
    const journal = opened.adopt(Journal.open(join(work, 'journal'), text), (each) => each.close());
    try {
      const database = settings.databaseUrl ? await openServer(settings, opened) : undefined;
      const hasContent = header.content === 'files' && header.installation !== '';
      const blobs = hasContent ? opened.adopt(await openBlobs(settings, header.installation), (each) => each.close()) : undefined;
      if (blobs && !journal.isContinued) await requireNoContent(blobs);
      return new RestoreTarget(settings, { database, blobs, journal }, opened.move());
    } catch (error) {
      if (!journal.isContinued) await rm(work, { recursive: true });
      throw error;
    }
  }

  get databaseFile(): string {
    return join(this.#settings.dataDir, WORK, DATABASE);
  }

  /** Writes content and reads it back. Content that has arrived before an interruption is not written again. */
  async put(name: string, content: Readable): Promise<Digest> {
    const known = this.#parts.journal.get(name);
    if (known !== undefined) {
      const again = await digestContent(content);
      if (again.sha256 === known) return again;
      throw new CommandError(`the content of ${name} is not that of the restore that was interrupted`);
    }
    const sent = new Digesting();
    await this.#parts.blobs?.put(name, sent.pass(content)).catch((error: unknown) => {
      throw sent.error ?? error; // an error of the backup is not one of the storage
    });
    const digest = sent.digest();
    const arrived = await this.#parts.blobs?.read(name);
    if (!arrived || (await digestContent(arrived)).sha256 !== digest.sha256)
      throw new CommandError(`the content of ${name} was changed on its way to the target`);
    this.#parts.journal.add(name, digest.sha256);
    return digest;
  }

  async remove(name: string): Promise<void> {
    await this.#parts.blobs?.remove(name);
  }

  /** Makes the database that has been written to `databaseFile`, and checked, that of the settings. */
  async complete(): Promise<void> {
    const { dataDir } = this.#settings;
    if (this.#parts.database) await this.#fill(this.#parts.database);
    else await rename(this.databaseFile, join(dataDir, DATABASE));
    await syncFolder(dataDir);
    await rm(join(dataDir, WORK), { recursive: true });
  }

  async clear(): Promise<void> {
    for (const name of this.#settings.blobsUrl ? this.#parts.journal.names() : []) await this.remove(name);
    await removeLocal(this.#settings);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close.disposeAsync();
  }

  /** Migrates the restored file first, because an older version may have written it. */
  async #fill(database: Database): Promise<void> {
    await using restored = await openDatabase({ dataDir: join(this.#settings.dataDir, WORK) });
    await copyRows(restored.query, database);
  }
}

interface Parts {
  /** Absent with SQLite. */
  database: Database | undefined;
  /** Absent if the backup has no content. */
  blobs: Blobs | undefined;
  journal: Journal;
}

/** Locks the data folder, and returns a function that unlocks it. Throws `CommandError` if it is in use or not empty. */
export async function lockTarget({ dataDir, databaseUrl, blobsUrl }: RestoreSettings): Promise<() => void> {
  const unlock = lockFolder(dataDir);
  if (!unlock) throw new CommandError(`a service uses the data folder ${dataDir}: stop it, or set PLATEN_DATA_DIR to a new one`);
  const names = (await readdir(dataDir)).filter((name) => !IGNORED.test(name));
  const others = names.includes(WORK) ? names.filter((name) => name !== WORK && name !== basename(blobsFolder(dataDir))) : names;
  if (!others.length || (databaseUrl && blobsUrl)) return unlock; // nothing stays in the folder
  unlock();
  throw new CommandError(`the data folder ${dataDir} is not empty: set PLATEN_DATA_DIR to a new one`);
}

/**
 * Opens the database of the settings and keeps other nodes out of it until the end. A continued restore finds rows only if it was
 * complete, or if a service has used the database since; the content is then in use, and must not be cleared.
 */
async function openServer(settings: RestoreSettings, opened: AsyncDisposableStack): Promise<Database> {
  const database = opened.adopt(await openOrCreateDatabase(settings), (each) => each.close());
  const nodes = await database.joinNodes({ alone: true, onNotice() {} }).catch((error: unknown) => {
    if (hasCode(error, 'storage_failed') && !error.cause)
      throw new CommandError('a node uses the database of PLATEN_DATABASE_URL: stop it first');
    throw error;
  });
  opened.defer(() => nodes.close());
  if (!(await isEmpty(database.query)))
    throw new CommandError(
      'the database of PLATEN_DATABASE_URL is not empty: use a new one, or start the service if a restore has filled it',
    );
  return database;
}

/** A service that starts on the restored database would remove what its rows do not name. */
async function requireNoContent(blobs: Blobs): Promise<void> {
  const soon = Date.now() + 60_000; // the clock of the bucket may differ
  for await (const [name] of blobs.names(soon))
    throw new CommandError(`PLATEN_BLOBS_URL has content already (${name}): use a new bucket or prefix`);
}

async function removeLocal({ dataDir, blobsUrl }: RestoreSettings): Promise<void> {
  await rm(join(dataDir, WORK), { recursive: true, force: true });
  if (!blobsUrl) await rm(blobsFolder(dataDir), { recursive: true, force: true });
}
