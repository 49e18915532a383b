/**
 * Tells whether a renderer that is gone ran out of memory: the exit code that the browser reports for a page and what is known of
 * its end in, yes or no out. A neighbour that is lost at the same time has another target id, or another exit code.
 */
import type { Events } from '../devtools/connection.ts';

export type Crash = Pick<Events['Target.targetCrashed'][0], 'targetId' | 'status' | 'errorCode'>;

/** How the watchdog ends a renderer. */
type Signal = 'terminated' | 'killed';

const SIGTRAP = 5;
const SIGKILL = 9;
const SIGTERM = 15;
/** In the sandbox a renderer is the first process of its namespace, which makes an exit status of the signal. */
const SIGTERM_IN_SANDBOX = 241 << 8;
/** V8 says so before it ends a renderer with a trap, as other faults do. */
const HEAP_LIMIT_REACHED = /^\[.*ERROR:.*\] V8 (?:javascript|process) OOM/;
const LINE_KEPT = 1_024;

export class CrashCauses {
  /** What was sent to the renderer of each page, by target id; under undefined, to those of which it could not be told whose they were. */
  readonly #signalled = new Map<string | undefined, Signal[]>();
  /** Said by renderers of which nothing else is known, and not reported yet. */
  #heapLimits = 0;
  #unfinishedLine = '';

  /** The watchdog has sent the renderer of this page a signal. */
  expect(signal: Signal, targetId: string | undefined): void {
    this.#signalled.set(targetId, [...(this.#signalled.get(targetId) ?? []), signal]);
  }

  /** The page is closed: nothing more is reported of it. */
  forget(targetId: string): void {
    this.#signalled.delete(targetId);
  }

  /** What the browser and its renderers write to standard error. */
  readLog(text: string): void {
    const lines = (this.#unfinishedLine + text).split('\n');
    this.#unfinishedLine = (lines.pop() ?? '').slice(0, LINE_KEPT);
    this.#heapLimits += lines.filter((line) => HEAP_LIMIT_REACHED.test(line)).length;
  }

  async isOutOfMemory(crash: Crash): Promise<boolean> {
    if (isTrap(crash)) {
      await logIsRead();
      if (!this.#heapLimits) return false;
      this.#heapLimits--;
      return true;
    }
    const signal = signalOf(crash);
    return signal !== undefined && (this.#take(signal, crash.targetId) || this.#take(signal, undefined));
  }

  #take(signal: Signal, targetId: string | undefined): boolean {
    const signalled = this.#signalled.get(targetId) ?? [];
    const at = signalled.indexOf(signal);
    return at >= 0 && signalled.splice(at, 1).length > 0;
  }
}

/** As V8 and Chromium's allocators end a renderer that gets no more memory, and as other faults do. */
export function isTrap({ status, errorCode }: Omit<Crash, 'targetId'>): boolean {
  return status === 'crashed' && errorCode === SIGTRAP;
}

function signalOf({ status, errorCode }: Crash): Signal | undefined {
  if (status === 'crashed') return undefined;
  if (errorCode === SIGKILL) return 'killed';
  return errorCode === SIGTERM || errorCode === SIGTERM_IN_SANDBOX ? 'terminated' : undefined;
}

/** What was written before the crash was reported is read in this turn of the event loop or the next. */
async function logIsRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
