/**
 * Limits the memory of one browser. A renderer beyond its limit is ended, so that its page fails with `resource_limit` and the others
 * continue. If the browser itself uses too much, the page that caused it is ended. A browser that stops answering is ended, too.
 *
 * All figures come from /proc. Asking the browser would take a millisecond, and more with every warm page.
 */

import { proportionalBytes, residentBytes } from '../../host/proc.ts';
import { endProcess, lowerPriority } from '../../host/process-life.ts';
import type { Connection } from '../devtools/connection.ts';
import { BrowserMemoryLimit, type RunningPage } from './browser-memory-limit.ts';
import { CrashCauses } from './crash-causes.ts';
import type { ProcessKind, ProcessTree } from './process-tree.ts';
import { NOBODY, type Renderer, Renderers } from './renderers.ts';

interface WatchdogOptions {
  rendererLimitBytes: number;
  /** Limits the browser and its helper processes together, without renderers. */
  browserLimitBytes: number;
  /** Ends the browser if it has not answered for `SILENT_MS`, or uses too much memory while no page renders. */
  endBrowser: () => Promise<void>;
}

const BUSY_TICK_MS = 100;
const IDLE_TICK_MS = 2_000;
const SILENT_MS = 8_000;
const SILENT_TICKS = 3;
/** A renderer that has not ended after this time is killed. */
const TERMINATION_MS = 200;

export class MemoryWatchdog {
  readonly #connection: Connection;
  readonly #tree: ProcessTree;
  readonly #options: WatchdogOptions;
  readonly renderers: Renderers;
  readonly #relief: BrowserMemoryLimit;
  readonly crashes = new CrashCauses();
  /** Resident bytes of the browser and its helper processes at the last measurement. */
  browserBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The time at which the timer ends, on the clock of `performance`. */
  #due = 0;
  #stopped = false;
  /** The pending request that checks whether the browser answers. */
  #ping: { at: number; ticks: number } | undefined;

  constructor(connection: Connection, tree: ProcessTree, options: WatchdogOptions) {
    this.#connection = connection;
    this.#tree = tree;
    this.#options = options;
    this.renderers = new Renderers(tree);
    this.#relief = new BrowserMemoryLimit(options.browserLimitBytes, options.endBrowser);
    this.#schedule();
  }

  /** Measures more often while at least one page renders. */
  begin(page: RunningPage): void {
    this.#relief.begin(page);
    const soon = performance.now() + BUSY_TICK_MS;
    if (this.#due > soon) this.#schedule(); // an earlier timer stays, because short renders must not postpone it
  }

  end(page: RunningPage): void {
    this.#relief.end(page);
  }

  /**
   * The proportional set sizes of the browser with its helpers, and of all renderers, in bytes. They are for the operator: limits use
   * resident sizes, which take microseconds to read instead of milliseconds.
   */
  async measureProportional(): Promise<{ browser: number; renderers: number }> {
    const sum = async (isCounted: (kind: ProcessKind) => boolean) => {
      const counted = [...this.#tree.processes].filter(({ kind }) => isCounted(kind));
      const sizes = await Promise.all(counted.map(({ pid }) => proportionalBytes(pid)));
      return sizes.reduce((total, bytes) => total + bytes, 0);
    };
    const [browser, renderers] = await Promise.all([sum(isOfBrowser), sum((kind) => kind === 'renderer')]);
    return { browser, renderers };
  }

  /** Call it when the page is closed. */
  forget(targetId: string): void {
    this.renderers.forget(targetId);
    this.crashes.forget(targetId);
  }

  /** Lowers the CPU priority of the page's renderer. */
  lowerPriority(targetId: string): void {
    const pid = this.renderers.find(targetId)?.pid;
    if (pid) lowerPriority(pid);
  }

  /** Kills the page's renderer if closing the page did not end it. */
  kill(targetId: string): void {
    const pid = this.renderers.find(targetId)?.pid;
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
    this.#checkAnswers();
    await this.#measure().catch(() => {}); // no file handles are left, so that the last figures stay until the next measurement
    this.#schedule();
  }

  /**
   * Asks the browser for an answer, and ends it if no message of any kind came for too long after an earlier request, since an
   * answer may wait behind many other messages. Several ticks must also have passed, because after a pause of this process
   * the answer may simply not have been read yet.
   */
  #checkAnswers(): void {
    if (this.#ping) {
      this.#ping.ticks++;
      const heardAt = Math.max(this.#ping.at, this.#connection.heardAt);
      if (performance.now() - heardAt > SILENT_MS && this.#ping.ticks > SILENT_TICKS) void this.#options.endBrowser();
      return;
    }
    this.#ping = { at: performance.now(), ticks: 0 };
    const markAnswered = () => {
      this.#ping = undefined;
    };
    this.#connection.browser.send('Browser.getVersion').then(markAnswered, markAnswered);
  }

  async #measure(): Promise<void> {
    await this.renderers.refresh();
    for (const renderer of this.renderers) if (renderer.bytes > this.#options.rendererLimitBytes) this.#terminate(renderer);
    this.browserBytes = 0;
    for (const { pid, kind } of this.#tree.processes) if (isOfBrowser(kind)) this.browserBytes += residentBytes(pid) ?? 0;
    this.#relief.look(this.browserBytes);
  }

  /** Uses a signal that the exit code of the renderer shows, so that the page learns the cause. */
  #terminate(renderer: Renderer): void {
    const now = performance.now();
    const isOpen = renderer.owner !== NOBODY;
    if (renderer.ending === undefined) {
      renderer.ending = { since: now, killed: false };
      if (isOpen) this.crashes.expect('terminated', renderer.owner);
      endProcess(renderer.pid, 'SIGTERM');
    } else if (!renderer.ending.killed && now - renderer.ending.since > TERMINATION_MS) {
      renderer.ending.killed = true;
      if (isOpen) this.crashes.expect('killed', renderer.owner);
      endProcess(renderer.pid);
    }
  }
}

function isOfBrowser(kind: ProcessKind): boolean {
  return kind === 'browser' || kind === 'helper';
}
