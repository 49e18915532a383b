/**
 * Watches what the renderers of one browser take. A renderer past its limit is killed (its page fails with
 * `resource_limit`, the neighbours go on), and a browser that stops answering is reported.
 *
 * DevTools does not tell which process a page runs in. Processes are matched to pages by their order of birth, which is good
 * enough to choose pages to recycle; the limit needs no such guess.
 */
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
const MEMORY_PAGE_BYTES = 4_096;

/** Owner of a process whose page is closed: on its way out, not to be matched again. */
const NOBODY = {};

export class MemoryWatch {
  readonly #browser: Session;
  readonly #options: WatchOptions;
  readonly #renderers = new Map<number, Renderer>();
  /** Pages whose process is not known yet, oldest first. */
  readonly #unmatched = new Set<object>();
  /** Resident bytes of the browser process itself, without its renderers, when last seen. */
  browserBytes = 0;
  #busy = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #lastAnswer = performance.now();
  #lastKill = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(browser: Session, options: WatchOptions) {
    this.#browser = browser;
    this.#options = options;
    this.#schedule();
  }

  /** A page is about to be opened; pages must be announced in the order they are asked for. */
  announce(page: object): void {
    this.#unmatched.add(page);
  }

  /** Looks closely while at least one page is at work. */
  begin(): void {
    if (this.#busy++ === 0) this.#schedule();
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

  /** Ends the page's renderer when closing the page did not. */
  kill(page: object): void {
    for (const [pid, renderer] of this.#renderers) if (renderer.owner === page) endProcess(pid);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Asks which renderers there are, and matches new ones to pages. */
  async refresh(): Promise<void> {
    const { processInfo } = await this.#browser.send('SystemInfo.getProcessInfo');
    this.#lastAnswer = performance.now();
    const alive = new Set(processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id));
    for (const pid of this.#renderers.keys()) if (!alive.has(pid)) this.#renderers.delete(pid);
    for (const pid of alive) if (!this.#renderers.has(pid)) await this.#add(pid);
    this.#match();
  }

  async #add(pid: number): Promise<void> {
    const born = await birthOf(pid);
    if (born !== undefined && !this.#renderers.has(pid))
      this.#renderers.set(pid, { born, bytes: 0, killed: false, owner: undefined });
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
    this.#timer = setTimeout(() => this.#tick(), this.#busy ? BUSY_TICK_MS : IDLE_TICK_MS).unref();
  }

  /** Measures even when the browser itself is too busy to say which renderers it has. */
  async #tick(): Promise<void> {
    this.#asking ??= this.refresh()
      .catch(() => {})
      .finally(() => {
        this.#asking = undefined;
      });
    await Promise.all([...this.#renderers].map(([pid, renderer]) => this.#measure(pid, renderer)));
    this.browserBytes = (await residentBytes(this.#options.browserPid)) ?? 0;
    if (performance.now() - this.#lastAnswer > SILENT_MS) this.#options.onSilent();
    this.#schedule();
  }

  async #measure(pid: number, renderer: Renderer): Promise<void> {
    const bytes = await residentBytes(pid);
    if (bytes === undefined) return;
    renderer.bytes = bytes;
    if (bytes <= this.#options.limitBytes || renderer.killed) return;
    renderer.killed = true;
    this.#lastKill = performance.now();
    endProcess(pid);
  }
}

/** Resident set of a process in bytes; undefined when it is gone. */
async function residentBytes(pid: number): Promise<number | undefined> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  const pages = Number(statm.split(' ')[1]);
  return pages > 0 ? pages * MEMORY_PAGE_BYTES : undefined;
}

/** Start time of a process, field 22 of proc(5) `stat`; the second field may hold spaces. */
async function birthOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const born = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Number.isNaN(born) ? undefined : born;
}
