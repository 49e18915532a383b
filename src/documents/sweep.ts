/**
 * The sweep removes expired content in the background, in small batches. It can be interrupted at any point: the next sweep finds
 * the rest through the rows and, once an hour, by looking for content without a row.
 */
import type { ClaimResult, Task } from '../jobs/jobs.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Database } from '../storage/database.ts';

/** Objects whose content must be removed when it expires. */
export interface ExpiringContent {
  /** Returns the names of up to `limit` objects that are due, oldest first. */
  dueContent(limit: number): Promise<string[]>;
  removeContent(name: string): Promise<void>;
}

export interface SweepOptions {
  everyMs: number;
  /** Called before content is removed. */
  prepare(): Promise<void>;
  expiringContent: ExpiringContent[];
  /** Further tasks of each sweep. */
  cleanupTasks: Array<() => Promise<unknown>>;
  /** Returns the blobs that rows still refer to; undefined if only a newer version can tell. */
  named(blobs: string[]): Promise<Set<string> | undefined>;
  onFailure(error: unknown): void;
  /** Called when orphaned content is left to nodes of a newer version. */
  onOutdated(): void;
  onRemoved(what: 'content' | 'orphans', count: number): void;
}

const BATCH = 50;
const ORPHANS_EVERY_MS = 3_600_000;
/** Content without a row that is older than this will never get a row. */
const ORPHAN_AGE_MS = 3_600_000;
/** The kernel stamps files with the time of its last tick, which may lie this far before the time at which they were written. */
const TICK_MS = 20;

export class Sweep implements Task {
  readonly limit = 1;
  readonly everyMs: number;
  readonly #database: Database;
  readonly #blobs: Blobs;
  readonly #options: SweepOptions;
  readonly #madeAt = Date.now() - TICK_MS;
  #running: Promise<void> | undefined;
  #orphansLookedForAt = 0;
  #stopped = false;

  constructor(database: Database, blobs: Blobs, options: SweepOptions) {
    this.#database = database;
    this.#blobs = blobs;
    this.#options = options;
    this.everyMs = options.everyMs;
  }

  async take(): Promise<ClaimResult> {
    return { kind: 'claimed', work: () => this.run() };
  }

  /** Runs a sweep, or waits for the current one. Failures are reported and left to the next sweep. Everything else continues. */
  run(): Promise<void> {
    const sweep = () => this.#database.exclusively('sweep', () => this.#removeAll(this.#orphansDue()));
    this.#running ??= this.#runUnlessStopped(sweep).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Stops the current sweep before its next step. */
  stop(): void {
    this.#stopped = true;
  }

  /**
   * The first sweep also removes content left by processes that died. If this is the only process that writes content, everything
   * without a row that is older than this object, which is created before the first request, is such content.
   */
  #orphansDue(): number | undefined {
    if (Date.now() - this.#orphansLookedForAt < ORPHANS_EVERY_MS) return undefined;
    const isFirst = this.#orphansLookedForAt === 0;
    return isFirst && !this.#blobs.isShared ? this.#madeAt : Date.now() - ORPHAN_AGE_MS;
  }

  async #removeAll(orphansBefore: number | undefined): Promise<void> {
    if (orphansBefore !== undefined) await this.#runUnlessStopped(() => this.#removeOrphans(orphansBefore));
    await this.#runUnlessStopped(() => this.#options.prepare());
    for (const expiring of this.#options.expiringContent) await this.#runUnlessStopped(() => this.#removeDue(expiring));
    for (const task of this.#options.cleanupTasks) await this.#runUnlessStopped(task);
    await this.#runUnlessStopped(() => this.#database.scrub());
  }

  async #runUnlessStopped(work: () => Promise<unknown>): Promise<void> {
    try {
      if (!this.#stopped) await work();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  async #removeDue(expiring: ExpiringContent): Promise<void> {
    const stuck = new Set<string>();
    let removed = 0;
    for (;;) {
      const due = await expiring.dueContent(BATCH + stuck.size);
      const names = due.filter((name) => !stuck.has(name));
      if (!names.length || this.#stopped) break;
      for (const name of names) {
        stuck.add(name); // stays in the set if the removal fails, so that it is not tried again in this sweep
        await this.#runUnlessStopped(async () => {
          await expiring.removeContent(name);
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
      if (!named) return this.#options.onOutdated();
      for (const name of names) {
        if (this.#stopped) return;
        if (named.has(name)) continue;
        await this.#runUnlessStopped(async () => {
          await this.#blobs.remove(name);
          removed++;
        });
      }
    }
    if (removed) this.#options.onRemoved('orphans', removed);
  }
}
