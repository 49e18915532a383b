/**
 * The sweep: removes what is over, in small batches, in the background. It can end at any point: the next one finds what is
 * left, from the rows, and after a start also from the content that no row names.
 */
import type { Clock } from '../accounts/leases.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';

/** Removes up to `limit` of what is over; returns how many. */
type Remover = (limit: number) => Promise<number>;

export interface SweepOptions {
  everyMs: number;
  /** What is called in turn, each until it finds less than a batch. */
  removers: Remover[];
  /** Which of these blobs something still names. */
  named(blobs: string[]): Promise<Set<string>>;
  onFailure(error: unknown): void;
  onRemoved(what: 'content' | 'orphans', count: number): void;
}

const BATCH = 50;

export class Sweep {
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #options: SweepOptions;
  readonly #startedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(database: Database, blobs: Blobs, clock: Clock, options: SweepOptions) {
    this.#database = database;
    this.#blobs = blobs;
    this.#options = options;
    this.#startedAt = clock();
  }

  /** Begins with what a process that died has left. */
  start(): void {
    this.#running = this.#guarded(async () => {
      await this.#removeOrphans();
      await this.#removeDue();
    });
    this.#timer = setInterval(() => void this.run(), this.#options.everyMs).unref();
  }

  /** One sweep; joins the one under way. */
  run(): Promise<void> {
    this.#running ??= this.#guarded(() => this.#removeDue());
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onFailure(error);
    } finally {
      this.#running = undefined;
    }
  }

  async #removeDue(): Promise<void> {
    let removed = 0;
    for (const remove of this.#options.removers) {
      for (let count = BATCH; count === BATCH && !this.#stopped; ) {
        count = await remove(BATCH);
        removed += count;
      }
    }
    if (removed) this.#options.onRemoved('content', removed);
    if (!this.#stopped) await this.#database.scrub();
  }

  /** Content is written before its row: what is older than this process and has no row will never get one. */
  async #removeOrphans(): Promise<void> {
    let removed = await this.#blobs.removeUnfinished(this.#startedAt);
    for await (const names of this.#blobs.names(this.#startedAt)) {
      const named = await this.#options.named(names);
      for (const name of names) {
        if (this.#stopped) return;
        if (named.has(name)) continue;
        await this.#blobs.remove(name);
        removed++;
      }
    }
    if (removed) this.#options.onRemoved('orphans', removed);
  }
}
