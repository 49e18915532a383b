/**
 * Determines whether a renderer ran out of memory, from the exit code that the browser reports for its page, the signals that the
 * watchdog sent, and the log. Other renderers that end at the same time have another target id or another exit code.
 */
import type { Events } from '../devtools/connection.ts';

export type Crash = Pick<Events['Target.targetCrashed'][0], 'targetId' | 'status' | 'errorCode'>;

/** How the watchdog ends a renderer. */
type Signal = 'terminated' | 'killed';

const SIGTRAP = 5;
const SIGKILL = 9;
const SIGTERM = 15;
/** In the sandbox, a renderer is the first process of its namespace, which turns the signal into an exit status. */
const SIGTERM_IN_SANDBOX = 241 << 8;
/**
 * Chromium logs this when V8 is out of memory, before it ends the renderer with a trap. Other faults end with a trap too
 * (`ReportV8OOMError`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/bindings/core/v8/v8_oom.cc).
 */
const HEAP_LIMIT_REACHED = /^\[[^\]]*\] V8 (?:javascript|process) OOM/;
const LINE_KEPT = 1_024;

export class CrashCauses {
  /** Signals sent to the renderer of each page, by target id. Those to renderers whose page is unknown are under undefined. */
  readonly #signalled = new Map<string | undefined, Signal[]>();
  /** Number of messages about heap limits in the log that no crash has been attributed to yet. */
  #heapLimits = 0;
  #unfinishedLine = '';

  /** Call it when the watchdog has sent a signal to the renderer of this page. */
  expect(signal: Signal, targetId: string | undefined): void {
    this.#signalled.set(targetId, [...(this.#signalled.get(targetId) ?? []), signal]);
  }

  /** Call it when the page is closed, because no crash of it is reported any more. */
  forget(targetId: string): void {
    this.#signalled.delete(targetId);
  }

  /** Call it with the standard error output of the browser and its renderers. */
  readLog(text: string): void {
    const lines = (this.#unfinishedLine + text).split('\n');
    this.#unfinishedLine = (lines.pop() ?? '').slice(0, LINE_KEPT);
    this.#heapLimits += lines.filter((line) => HEAP_LIMIT_REACHED.test(line) && line.includes('ERROR:')).length;
  }

  async isOutOfMemory(crash: Crash): Promise<boolean> {
    if (isTrap(crash)) {
      await logIsRead();
      if (!this.#heapLimits) return false;
      this.#heapLimits--;
      return true;
    }
    const signal = crashSignal(crash);
    return signal !== undefined && (this.#take(signal, crash.targetId) || this.#take(signal, undefined));
  }

  #take(signal: Signal, targetId: string | undefined): boolean {
    const signalled = this.#signalled.get(targetId) ?? [];
    const at = signalled.indexOf(signal);
    return at >= 0 && signalled.splice(at, 1).length > 0;
  }
}

/**
 * Whether the renderer ended with a trap, as V8 and Chromium's allocators do when they get no more memory. Other faults do so
 * too.
 */
export function isTrap({ status, errorCode }: Omit<Crash, 'targetId'>): boolean {
  return status === 'crashed' && errorCode === SIGTRAP;
}

function crashSignal({ status, errorCode }: Crash): Signal | undefined {
  if (status === 'crashed') return undefined;
  if (errorCode === SIGKILL) return 'killed';
  return errorCode === SIGTERM || errorCode === SIGTERM_IN_SANDBOX ? 'terminated' : undefined;
}

/** Waits two turns of the event loop. Log lines from before the report of the crash have been read by then. */
async function logIsRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
