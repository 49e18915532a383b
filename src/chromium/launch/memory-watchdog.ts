/**
 * Limits the memory of one browser. A renderer past its limit is ended (its page fails with `resource_limit`, the neighbours go
 * on); when the browser itself holds too much, the page that made it so is; and a browser that stops answering is reported.
 *
 * Everything is read from /proc: asking the browser instead costs it a millisecond and more with every warm page.
 */

import type { Connection } from '../devtools/connection.ts';
import { BrowserRelief, type PageAtWork } from './browser-relief.ts';
import { CrashCauses } from './crash-causes.ts';
import { residentBytes } from './proc.ts';
import { endProcess, lowerPriority, terminateProcess } from './process-life.ts';
import type { ProcessTree } from './process-tree.ts';
import { NOBODY, type Renderer, Renderers } from './renderers.ts';

export type { PageAtWork };

interface WatchdogOptions {
  rendererLimitBytes: number;
  /** Of the browser and its helpers together, without renderers. */
  browserLimitBytes: number;
  /** Ends the browser, which gave no sign of life for `SILENT_MS`, or holds too much although no page is at work. */
  endBrowser: () => Promise<void>;
}

const BUSY_TICK_MS = 100;
const IDLE_TICK_MS = 2_000;
const SILENT_MS = 8_000;
const SILENT_TICKS = 3;
/** A renderer that has not ended by then is killed. */
const TERMINATION_MS = 200;

export class MemoryWatchdog {
  readonly #connection: Connection;
  readonly #tree: ProcessTree;
  readonly #options: WatchdogOptions;
  readonly #renderers: Renderers;
  readonly #relief: BrowserRelief;
  readonly crashes = new CrashCauses();
  /** Resident bytes of the browser and its helpers when last seen. */
  browserBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer ends, on the clock of `performance`. */
  #due = 0;
  #stopped = false;
  /** The question for a sign of life that has not been answered yet. */
  #asked: { at: number; ticks: number } | undefined;

  constructor(connection: Connection, tree: ProcessTree, options: WatchdogOptions) {
    this.#connection = connection;
    this.#tree = tree;
    this.#options = options;
    this.#renderers = new Renderers(tree);
    this.#relief = new BrowserRelief(options.browserLimitBytes, options.endBrowser);
    this.#schedule();
  }

  /** Creates a page and finds out its process. Resolves to its target id as soon as there is one. */
  create(create: () => Promise<string>): Promise<string> {
    return this.#renderers.create(create);
  }

  /** Resolves when the process of a new page is known, or cannot be told. */
  found(targetId: string): Promise<void> {
    return this.#renderers.found(targetId);
  }

  /** Looks closely while at least one page is at work. */
  begin(page: PageAtWork): void {
    this.#relief.begin(page);
    const soon = performance.now() + BUSY_TICK_MS;
    if (this.#due > soon) this.#schedule(); // one that is due sooner stays: short renders must not put it off
  }

  end(page: PageAtWork): void {
    this.#relief.end(page);
  }

  /** The pid of the page's renderer; undefined while it cannot be told. */
  processOf(targetId: string): number | undefined {
    return this.#renderers.of(targetId)?.pid;
  }

  /** Resident bytes of the page's renderer when last seen; undefined while its process cannot be told. */
  bytesOf(targetId: string): number | undefined {
    return this.#renderers.of(targetId)?.bytes;
  }

  /** The same of a page that may be gone: when its renderer was last seen alive. */
  lastBytesOf(targetId: string): number {
    return this.#renderers.lastBytesOf(targetId);
  }

  /** Bytes of all renderers when last seen. */
  get rendererBytes(): number {
    let total = 0;
    for (const { bytes } of this.#renderers) total += bytes;
    return total;
  }

  /** The page is closed. */
  forget(targetId: string): void {
    this.#renderers.forget(targetId);
    this.crashes.forget(targetId);
  }

  /** The page's renderer gives way to others. */
  giveWay(targetId: string): void {
    const pid = this.processOf(targetId);
    if (pid) lowerPriority(pid);
  }

  /** Ends the page's renderer when closing the page did not. */
  kill(targetId: string): void {
    const pid = this.processOf(targetId);
    if (pid) endProcess(pid);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#relief.stop();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const pause = this.#relief.isBusy ? BUSY_TICK_MS : IDLE_TICK_MS;
    this.#due = performance.now() + pause;
    this.#timer = setTimeout(() => this.#tick(), pause).unref();
  }

  async #tick(): Promise<void> {
    this.#listen();
    await this.#measure().catch(() => {}); // no file handles are left: what is known stays until the next look
    this.#schedule();
  }

  /**
   * Asks for a sign of life; ends the browser when nothing at all was heard of it for too long after an earlier question: an
   * answer may wait behind a flood of other messages. Several ticks must have passed as well: after a pause of this process
   * itself the answer is merely not read yet.
   */
  #listen(): void {
    if (this.#asked) {
      this.#asked.ticks++;
      const heardAt = Math.max(this.#asked.at, this.#connection.heardAt);
      if (performance.now() - heardAt > SILENT_MS && this.#asked.ticks > SILENT_TICKS) void this.#options.endBrowser();
      return;
    }
    this.#asked = { at: performance.now(), ticks: 0 };
    const answered = () => {
      this.#asked = undefined;
    };
    this.#connection.browser.send('Browser.getVersion').then(answered, answered);
  }

  async #measure(): Promise<void> {
    await this.#renderers.refresh();
    for (const renderer of this.#renderers) if (renderer.bytes > this.#options.rendererLimitBytes) this.#terminate(renderer);
    this.browserBytes = 0;
    for (const { pid, kind } of this.#tree.processes)
      if (kind === 'browser' || kind === 'helper') this.browserBytes += residentBytes(pid) ?? 0;
    this.#relief.look(this.browserBytes);
  }

  /** By the signal that is told in the exit code, so that the page knows. */
  #terminate(renderer: Renderer): void {
    const now = performance.now();
    if (renderer.ending === undefined) {
      renderer.ending = { since: now, killed: false };
      this.#tell('terminated', renderer);
      terminateProcess(renderer.pid);
    } else if (!renderer.ending.killed && now - renderer.ending.since > TERMINATION_MS) {
      renderer.ending.killed = true;
      this.#tell('killed', renderer);
      endProcess(renderer.pid);
    }
  }

  #tell(signal: 'terminated' | 'killed', { owner }: Renderer): void {
    if (owner !== NOBODY) this.crashes.expect(signal, owner);
  }
}
