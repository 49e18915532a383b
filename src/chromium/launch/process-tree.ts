/**
 * The processes of one browser: the process that was started in, all its descendants by kind out. Whether that process is the
 * browser or a script that has started it makes no difference.
 */

import { childrenOf, commandLineOf, startOf, threadsOf } from './proc.ts';
import { endProcess } from './process-life.ts';

/** `browser` is the browser itself and whatever has started it, `helper` a process for the network, graphics or storage. */
export type ProcessKind = 'browser' | 'zygote' | 'renderer' | 'helper';

export interface BrowserProcess {
  readonly pid: number;
  readonly kind: ProcessKind;
  /** When it was started, in ticks since the machine was. */
  readonly born: number;
}

/** How often all threads are asked for children; in between, those that are known to have some. */
const THOROUGH_EVERY_MS = 2_000;

export class ProcessTree {
  readonly #root: number;
  #processes = new Map<number, BrowserProcess>();
  /** Threads other than the first that have started processes. */
  readonly #forkingThreads = new Map<number, number[]>();
  #thoroughAt = Number.NEGATIVE_INFINITY;

  constructor(root: number) {
    this.#root = root;
  }

  /** Those found by the last look. */
  get processes(): Iterable<BrowserProcess> {
    return this.#processes.values();
  }

  has(pid: number): boolean {
    return this.#processes.has(pid);
  }

  /** Looks which processes there are. Rejects when that cannot be told; what was found before then stays. */
  async look(now = performance.now()): Promise<void> {
    const thorough = now - this.#thoroughAt > THOROUGH_EVERY_MS;
    if (thorough) this.#thoroughAt = now;
    const found = new Map<number, BrowserProcess>();
    await this.#visit(this.#root, found, thorough);
    if (!found.size) return; // what the process leaves behind is still to be ended
    this.#processes = found;
    for (const pid of this.#forkingThreads.keys()) if (!found.has(pid)) this.#forkingThreads.delete(pid);
  }

  /** Ends every process the last look has found, wherever it has moved: to another session or process group. */
  end(): void {
    for (const { pid, born } of this.#processes.values()) if (startOf(pid) === born) endProcess(pid);
  }

  async #visit(pid: number, found: Map<number, BrowserProcess>, thorough: boolean): Promise<void> {
    const process = await this.#identify(pid);
    if (!process || found.has(pid)) return;
    found.set(pid, process);
    if (process.kind === 'renderer' || process.kind === 'helper') return;
    const children = this.#threadsToAsk(pid, thorough).flatMap((thread) => childrenOf(pid, thread));
    await Promise.all(children.map((child) => this.#visit(child, found, thorough)));
  }

  #threadsToAsk(pid: number, thorough: boolean): number[] {
    if (!thorough) return [pid, ...(this.#forkingThreads.get(pid) ?? [])];
    const threads = threadsOf(pid);
    const forking = threads.filter((thread) => thread !== pid && childrenOf(pid, thread).length > 0);
    this.#forkingThreads.set(pid, forking);
    return threads;
  }

  /** A process that has just been forked bears the command line of the one that forked it: it is read again until it is its own. */
  async #identify(pid: number): Promise<BrowserProcess | undefined> {
    const born = startOf(pid);
    if (born === undefined) return undefined;
    const known = this.#processes.get(pid);
    const isItself = known?.kind === 'renderer' || known?.kind === 'helper' || childrenOf(pid, pid).length > 0;
    if (known?.born === born && isItself) return known;
    const commandLine = await commandLineOf(pid);
    return commandLine ? { pid, born, kind: kindOf(commandLine) } : undefined;
  }
}

function kindOf(commandLine: string): ProcessKind {
  const [, type] = /--type=([a-z-]+)/.exec(commandLine) ?? [];
  if (type === undefined) return 'browser';
  return type === 'zygote' || type === 'renderer' ? type : 'helper';
}
