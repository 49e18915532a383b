/**
 * Stores pictures of pages whose render has failed: a JPEG in, the name under which an entry of the request log finds it out. They are
 * removed with that entry, with the documents of the account, or when there are too many.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { createId } from '../ids.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Database } from '../storage/database.ts';

export interface FailurePicture {
  jpeg: Buffer;
  accountId: string;
  /** How long the plan keeps documents. */
  keptMs: number;
}

/** The newest pictures of an account are kept. Failed renders are not charged, so that nothing else limits their number. */
const MAX_KEPT = 200;
/** More pictures at once are not stored, because they wait in memory. */
const MAX_WRITING = 20;

/** The sweep removes what is due. */
export class FailurePictures {
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  readonly #writing = new Set<Promise<void>>();

  constructor(database: Database, blobs: Blobs, clock: Clock) {
    this.#database = database;
    this.#blobs = blobs;
    this.#clock = clock;
  }

  /** Begins to store a picture for at most `keptMs`. A picture that cannot be stored is lost, and nothing else. */
  keep(keyId: string, { jpeg, accountId, keptMs }: FailurePicture): string | undefined {
    if (this.#writing.size >= MAX_WRITING) return undefined;
    const blob = createId('pic');
    const created_at = this.#clock();
    const row = { blob, key_id: keyId, account_id: accountId, created_at, remove_at: created_at + keptMs };
    const writing: Promise<void> = this.#write(row, jpeg)
      .catch(() => {}) // the sweep removes content without a row
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    return blob;
  }

  /** Undefined if it is gone. */
  async read(keyId: string, blob: string): Promise<Readable | undefined> {
    await this.flush();
    const row = await this.#database.query
      .selectFrom('failure_pictures')
      .select('blob')
      .where('blob', '=', blob)
      .where('key_id', '=', keyId)
      .where('remove_at', '>', this.#clock())
      .executeTakeFirst();
    return row && this.#blobs.read(row.blob);
  }

  /** Which of these pictures can be read. */
  async existing(blobs: readonly string[]): Promise<Set<string>> {
    if (!blobs.length) return new Set();
    await this.flush();
    const rows = await this.#database.query
      .selectFrom('failure_pictures')
      .select('blob')
      .where('blob', 'in', blobs)
      .where('remove_at', '>', this.#clock())
      .execute();
    return new Set(rows.map(({ blob }) => blob));
  }

  /** Resolves when all pictures so far are stored, or lost. */
  async flush(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async dueContent(limit: number): Promise<string[]> {
    const due = this.#database.query.selectFrom('failure_pictures').select('blob').where('remove_at', '<=', this.#clock());
    return (await due.orderBy('remove_at').limit(limit).execute()).map(({ blob }) => blob);
  }

  async removeContent(blob: string): Promise<void> {
    await this.#blobs.remove(blob);
    await this.#database.query.deleteFrom('failure_pictures').where('blob', '=', blob).execute();
  }

  async #write(
    row: { blob: string; key_id: string; account_id: string; created_at: number; remove_at: number },
    jpeg: Buffer,
  ): Promise<void> {
    await this.#blobs.put(row.blob, [jpeg]);
    await this.#database.query.insertInto('failure_pictures').values(row).execute();
    await this.#database.query
      .updateTable('failure_pictures')
      .set({ remove_at: row.created_at })
      .where('account_id', '=', row.account_id)
      .where('created_at', '<', ({ selectFrom }) =>
        selectFrom('failure_pictures')
          .select('created_at')
          .where('account_id', '=', row.account_id)
          .orderBy('created_at', 'desc')
          .limit(1)
          .offset(MAX_KEPT - 1),
      )
      .execute();
  }
}
