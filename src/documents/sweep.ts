/**
 * The sweep: removes what is over, in small batches, in the background. It can end at any point: the next one finds what is
 * left, from the rows, and now and then from the content that no row names.
 */
import type { Blobs } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';

/** Something whose content has to go when its time is over. */
export interface Perishable {
  /** What is due, those first that are due longest. */
  dueContent(limit: number): Promise<string[]>;
  removeContent(name: string): Promise<void>;
}

export interface SweepOptions {
  everyMs: number;
  perishables: Perishable[];
  /** What else is to be tidied up each time. */
  chores: Array<() => Promise<unknown>>;
  /** Which of these blobs something still names. */
  named(blobs: string[]): Promise<Set<string>>;
  onFailure(error: unknown): void;
  onRemoved(what: 'content' | 'orphans', count: number): void;
}

const BATCH = 50;
const ORPHANS_EVERY_MS = 3_600_000;
/** Content without a row that is older than this is not on its way to get one. */
const ORPHAN_AGE_MS = 3_600_000;

export class Sweep {
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #options: SweepOptions;
  readonly #madeAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #orphansLookedForAt = 0;
  #stopped = false;

  constructor(database: Database, blobs: Blobs, options: SweepOptions) {
    this.#database = database;
    this.#blobs = blobs;
    this.#options = options;
  }

  /**
   * Begins with what a process that died has left. The folder is this process's alone, so content that is older than this
   * sweep, made before the first request, and has no row will never get one.
   */
  start(): void {
    this.#running = this.#sweep(this.#madeAt);
    this.#timer = setInterval(() => void this.run(), this.#options.everyMs).unref();
  }

  /** One sweep; joins the one under way. */
  run(): Promise<void> {
    const orphansDue = Date.now() - this.#orphansLookedForAt >= ORPHANS_EVERY_MS;
    this.#running ??= this.#sweep(orphansDue ? Date.now() - ORPHAN_AGE_MS : undefined);
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** What fails is told and left to the next sweep; everything else goes on. */
  async #sweep(orphansBefore: number | undefined): Promise<void> {
    if (orphansBefore !== undefined) await this.#guarded(() => this.#removeOrphans(orphansBefore));
    for (const perishable of this.#options.perishables) await this.#guarded(() => this.#removeDue(perishable));
    for (const chore of this.#options.chores) await this.#guarded(chore);
    await this.#guarded(() => this.#database.scrub());
    this.#running = undefined;
  }

  async #guarded(work: () => Promise<unknown>): Promise<void> {
    try {
      if (!this.#stopped) await work();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  async #removeDue(perishable: Perishable): Promise<void> {
    const stuck = new Set<string>();
    let removed = 0;
    for (;;) {
      const due = await perishable.dueContent(BATCH + stuck.size);
      const names = due.filter((name) => !stuck.has(name));
      if (!names.length || this.#stopped) break;
      for (const name of names) {
        stuck.add(name); // until it is gone
        await this.#guarded(async () => {
          await perishable.removeContent(name);
          stuck.delete(name);
          removed++;
        });
      }
    }
    if (removed) this.#options.onRemoved('content', removed);
  }

  async #removeOrphans(writtenBefore: number): Promise<void> {
    this.#orphansLookedForAt = Date.now();
    let removed = await this.#blobs.removeUnfinished(writtenBefore);
    for await (const names of this.#blobs.names(writtenBefore)) {
      const named = await this.#options.named(names);
      for (const name of names) {
        if (this.#stopped) return;
        if (named.has(name)) continue;
        await this.#guarded(async () => {
          await this.#blobs.remove(name);
          removed++;
        });
      }
    }
    if (removed) this.#options.onRemoved('orphans', removed);
  }
}
