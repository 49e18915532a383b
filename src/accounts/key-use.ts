/**
 * Records when keys were last used. A key is written at most once a minute, in one statement for all keys of the last second, so that
 * no request waits for it.
 */

import type { Clock } from '../clock.ts';
import type { Database } from '../storage/database.ts';

const PRECISION_MS = 60_000;
const GATHER_MS = 1_000;

export class KeyUse {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #used = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** `lastUsedAt` is the recorded time. */
  note(keyId: string, lastUsedAt: number | null): void {
    if (lastUsedAt !== null && this.#clock() - lastUsedAt < PRECISION_MS) return;
    this.#used.add(keyId);
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** A failure is not an error: the next use of the key is recorded. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const used = [...this.#used];
    this.#used.clear();
    if (!used.length) return;
    const update = this.#database.query.updateTable('api_keys').set({ last_used_at: this.#clock() }).where('id', 'in', used);
    await update.execute().catch(() => {});
  }
}
