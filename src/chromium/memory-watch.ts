/**
 * Watches what the renderers of one browser take. A renderer past its limit is killed (its page fails with
 * `resource_limit`, the neighbours go on), and a browser that stops answering is reported.
 *
 * DevTools does not tell which process a page runs in, so processes are matched to pages by their order of birth. That is
 * good enough to choose pages to recycle; the limit needs no such guess. All is read from /proc: asking the browser instead
 * costs it a millisecond and more with every warm page.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Session } from './connection.ts';
import { endProcess } from './process-life.ts';

interface WatchOptions {
  browserPid: number;
  limitBytes: number;
  /** The browser gave no sign of life for `SILENT_MS`. */
  onSilent: () => void;
}

interface Renderer {
  /** When the process was started, in ticks since the machine was. */
  born: number;
  bytes: number;
  killed: boolean;
  owner: object | undefined;
}

const BUSY_TICK_MS = 100;
const IDLE_TICK_MS = 2_000;
const SILENT_MS = 8_000;
const SILENT_TICKS = 3;
const MEMORY_PAGE_BYTES = 4_096;

/** Owner of a process whose page is closed: on its way out, not to be matched again. */
const NOBODY = {};

export class MemoryWatch {
  readonly #browser: Session;
  readonly #options: WatchOptions;
  readonly #renderers = new Map<number, Renderer>();
  /** Processes of the browser that are neither renderers nor zygotes. */
  readonly #others = new Set<number>();
  /** Those that have been seen with children: what a zygote has just forked bears its name, too. */
  readonly #zygotes = new Set<number>();
  /** Pages whose process is not known yet, oldest first. */
  readonly #unmatched = new Set<object>();
  /** Resident bytes of the browser process itself, without its renderers, when last seen. */
  browserBytes = 0;
  #busy = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer ends, on the clock of `performance`. */
  #due = 0;
  #stopped = false;
  /** The question for a sign of life that has not been answered yet. */
  #asked: { at: number; ticks: number } | undefined;
  #lastKill = Number.NEGATIVE_INFINITY;

  constructor(browser: Session, options: WatchOptions) {
    this.#browser = browser;
    this.#options = options;
    this.#schedule();
  }

  /** A page is being opened; pages are announced in the order they were made. */
  announce(page: object): void {
    this.#unmatched.add(page);
  }

  /** Looks closely while at least one page is at work. */
  begin(): void {
    const soon = performance.now() + BUSY_TICK_MS;
    if (this.#busy++ === 0 && this.#due > soon) this.#schedule(); // one that is due sooner stays: short renders must not put it off
  }

  end(): void {
    this.#busy--;
  }

  /** Resident bytes of the page's renderer when last seen; undefined when its process is not known. */
  bytesOf(page: object): number | undefined {
    for (const renderer of this.#renderers.values()) if (renderer.owner === page) return renderer.bytes;
    return undefined;
  }

  /** Bytes of all renderers when last seen. */
  get totalBytes(): number {
    let total = 0;
    for (const { bytes } of this.#renderers.values()) total += bytes;
    return total;
  }

  /** Whether this watch ended a renderer within the last `ms`. */
  killedWithin(ms: number): boolean {
    return performance.now() - this.#lastKill < ms;
  }

  forget(page: object): void {
    this.#unmatched.delete(page);
    for (const renderer of this.#renderers.values()) if (renderer.owner === page) renderer.owner = NOBODY;
  }

  /** Forgets a page that could not be opened, with the renderer it may have been given: the next page must not take it for its own. */
  async lose(page: object): Promise<void> {
    await this.refresh().catch(() => {});
    this.forget(page);
  }

  /** Ends the page's renderer when closing the page did not. */
  kill(page: object): void {
    for (const [pid, renderer] of this.#renderers) if (renderer.owner === page) endProcess(pid);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Looks which renderers there are, and matches new ones to pages. */
  async refresh(): Promise<void> {
    const alive = await this.#descendants(this.#options.browserPid);
    for (const pid of this.#renderers.keys()) if (!alive.has(pid)) this.#renderers.delete(pid);
    for (const pid of this.#others) if (!alive.has(pid)) this.#others.delete(pid);
    for (const pid of this.#zygotes) if (!alive.has(pid)) this.#zygotes.delete(pid);
    this.#match();
  }

  /** Renderers are children of zygotes, which may be children of zygotes. */
  async #descendants(parent: number): Promise<Set<number>> {
    const children = childrenOf(parent);
    const below = await Promise.all(children.map(async (pid) => ((await this.#isZygote(pid)) ? this.#descendants(pid) : [])));
    return new Set([...children, ...below.flatMap((pids) => [...pids])]);
  }

  /** Notes on the way what a process is that was not seen before. A zygote's new child bears its name for a moment. */
  async #isZygote(pid: number): Promise<boolean> {
    if (this.#zygotes.has(pid)) return true;
    if (this.#renderers.has(pid) || this.#others.has(pid)) return false;
    const commandLine = await commandLineOf(pid);
    if (commandLine.includes('--type=zygote')) {
      if (childrenOf(pid).length) this.#zygotes.add(pid);
      return true;
    }
    const born = birthOf(pid);
    if (!commandLine || born === undefined) return false; // gone meanwhile
    if (!commandLine.includes('--type=renderer')) this.#others.add(pid);
    else if (!this.#renderers.has(pid)) this.#renderers.set(pid, { born, bytes: 0, killed: false, owner: undefined });
    return false;
  }

  #match(): void {
    const free = [...this.#renderers]
      .filter(([, { owner }]) => !owner)
      .sort(([a, first], [b, second]) => first.born - second.born || a - b);
    for (const page of this.#unmatched) {
      const [, renderer] = free.shift() ?? [];
      if (!renderer) return;
      renderer.owner = page;
      this.#unmatched.delete(page);
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const pause = this.#busy ? BUSY_TICK_MS : IDLE_TICK_MS;
    this.#due = performance.now() + pause;
    this.#timer = setTimeout(() => this.#tick(), pause).unref();
  }

  async #tick(): Promise<void> {
    this.#listen();
    await this.refresh();
    for (const [pid, renderer] of this.#renderers) this.#measure(pid, renderer);
    this.browserBytes = residentBytes(this.#options.browserPid) ?? 0;
    this.#schedule();
  }

  /**
   * Asks for a sign of life; reports when an earlier question has gone unanswered for too long. Several ticks must have
   * passed as well: after a pause of this process itself the answer is merely not read yet.
   */
  #listen(): void {
    if (this.#asked) {
      this.#asked.ticks++;
      if (performance.now() - this.#asked.at > SILENT_MS && this.#asked.ticks > SILENT_TICKS) this.#options.onSilent();
      return;
    }
    this.#asked = { at: performance.now(), ticks: 0 };
    const answered = () => {
      this.#asked = undefined;
    };
    this.#browser.send('Browser.getVersion').then(answered, answered);
  }

  #measure(pid: number, renderer: Renderer): void {
    const bytes = residentBytes(pid);
    if (bytes === undefined) return;
    renderer.bytes = bytes;
    if (bytes <= this.#options.limitBytes || renderer.killed) return;
    renderer.killed = true;
    this.#lastKill = performance.now();
    endProcess(pid);
  }
}

/** Resident set of a process in bytes; undefined when it is gone. */
function residentBytes(pid: number): number | undefined {
  const pages = Number(readProc(pid, 'statm').split(' ')[1]);
  return pages > 0 ? pages * MEMORY_PAGE_BYTES : undefined;
}

/** Children of a process's first thread, which is the one Chromium forks from. */
function childrenOf(pid: number): number[] {
  return readProc(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Start time of a process, field 22 of proc(5) `stat`; the second field may hold spaces. */
function birthOf(pid: number): number | undefined {
  const stat = readProc(pid, 'stat');
  const born = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Number.isNaN(born) ? undefined : born;
}

/** At once: the kernel has these at hand and answers in 5 µs, where a way through the thread pool takes 100. */
function readProc(pid: number, file: 'statm' | 'stat' | `task/${number}/children`): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** It is in the memory of the process, which may have to be waited for. */
function commandLineOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}
