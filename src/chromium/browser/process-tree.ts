/**
 * Finds the processes of one browser: the started process in, all its descendants by kind out. The started process may be the
 * browser or a script that starts it.
 */

import { listChildren, listThreads, readCommandLine, readStart } from '../../host/proc.ts';
import { endProcess } from '../../host/process-life.ts';

/** `browser` is the browser itself or a script that started it. `helper` is a process for the network, graphics or storage. */
export type ProcessKind = 'browser' | 'zygote' | 'renderer' | 'helper';

export interface BrowserProcess {
  readonly pid: number;
  readonly kind: ProcessKind;
  /** The start time in ticks since boot. */
  readonly startTime: number;
}

export class ProcessTree {
  readonly #root: number;
  #processes = new Map<number, BrowserProcess>();

  constructor(root: number) {
    this.#root = root;
  }

  /** The processes found by the last call of `look`. */
  get processes(): Iterable<BrowserProcess> {
    return this.#processes.values();
  }

  has(pid: number): boolean {
    return this.#processes.has(pid);
  }

  /** Finds the present processes. If it rejects, the previous result stays. */
  async look(): Promise<void> {
    const found = new Map<number, BrowserProcess>();
    await this.#visit(this.#root, found);
    if (found.size) this.#processes = found; // otherwise, orphans of the process must still be ended
  }

  /** Kills every process that `look` has found, even if it has moved to another session or process group. */
  end(): void {
    for (const { pid, startTime } of this.#processes.values()) if (readStart(pid) === startTime) endProcess(pid);
  }

  async #visit(pid: number, found: Map<number, BrowserProcess>): Promise<void> {
    const process = await this.#identify(pid);
    if (!process || found.has(pid)) return;
    found.set(pid, process);
    if (process.kind === 'renderer' || process.kind === 'helper') return;
    const children = listThreads(pid).flatMap((thread) => listChildren(pid, thread));
    await Promise.all(children.map((child) => this.#visit(child, found)));
  }

  /** A process that has just been forked has the command line of its parent, so that it is read again until it differs. */
  async #identify(pid: number): Promise<BrowserProcess | undefined> {
    const startTime = readStart(pid);
    if (startTime === undefined) return undefined;
    const known = this.#processes.get(pid);
    const isItself = known?.kind === 'renderer' || known?.kind === 'helper' || listChildren(pid, pid).length > 0;
    if (known?.startTime === startTime && isItself) return known;
    const commandLine = await readCommandLine(pid);
    return commandLine ? { pid, startTime, kind: processKind(commandLine) } : undefined;
  }
}

function processKind(commandLine: string): ProcessKind {
  const [, type] = /--type=([a-z-]+)/.exec(commandLine) ?? [];
  if (type === undefined) return 'browser';
  return type === 'zygote' || type === 'renderer' ? type : 'helper';
}
