/**
 * Sessions of the dashboard: the secret of a key in, a random id out that stands for the key until it is ended, or has not been used
 * for twelve hours. Only a hash of the id is stored. `Accounts` finds the key of a session.
 */

import type { Clock } from '../clock.ts';
import { randomBase62 } from '../ids.ts';
import type { Database } from '../storage/database.ts';
import { hashSecret } from './secret.ts';

/** How long a session lives without being used. */
const LIFETIME_MS = 12 * 3_600_000;
/** The end of a session in use is moved no more often than this. */
const MOVED_EVERY_MS = 600_000;
/** 256 bits. */
const ID_CHARACTERS = 43;
const ID = new RegExp(`^[0-9A-Za-z]{${ID_CHARACTERS}}$`);
/** Older sessions of a key end when it begins another. */
const MAX_SESSIONS = 50;

export class Sessions {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** `secret` is the valid secret of the key. */
  async begin(keyId: string, secret: string): Promise<string> {
    const id = randomBase62(ID_CHARACTERS);
    const row = { id_hash: hashSecret(id), key_id: keyId, begun_with: hashSecret(secret), ends_at: this.#clock() + LIFETIME_MS };
    await this.#database.transaction(async (query) => {
      await query.insertInto('sessions').values(row).execute();
      const kept = query.selectFrom('sessions').select('id_hash').where('key_id', '=', keyId);
      await query
        .deleteFrom('sessions')
        .where('key_id', '=', keyId)
        .where('id_hash', '!=', row.id_hash)
        .where('id_hash', 'not in', kept.orderBy('ends_at', 'desc').limit(MAX_SESSIONS))
        .execute();
    });
    await this.#database.flush();
    return id;
  }

  /** Does nothing if there is no such session. */
  async end(id: string): Promise<void> {
    await this.#database.query.deleteFrom('sessions').where('id_hash', '=', hashSecret(id)).execute();
    await this.#database.flush();
  }

  /** Moves the end of a session that is in use. If that fails, the next use moves it. */
  async keep(idHash: string, endsAt: number): Promise<void> {
    const latest = this.#clock() + LIFETIME_MS;
    if (latest - endsAt < MOVED_EVERY_MS) return;
    const update = this.#database.query.updateTable('sessions').set({ ends_at: latest }).where('id_hash', '=', idHash);
    await update.execute().catch(() => {});
  }

  async removeEnded(): Promise<void> {
    await this.#database.query.deleteFrom('sessions').where('ends_at', '<=', this.#clock()).execute();
  }
}

/** Whether a text has the form of an id. */
export function isSessionId(text: string): boolean {
  return ID.test(text);
}
