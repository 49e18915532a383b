/**
 * Tells whether a renderer that is gone ran out of memory: the exit code that the browser reports for a page and what is known of
 * its end in, yes or no out. A neighbour that is lost at the same time has another exit code.
 */
import type { Events } from '../devtools/connection.ts';

export type Crash = Pick<Events['Target.targetCrashed'][0], 'status' | 'errorCode'>;

/** How a renderer can end for want of memory. */
type Cause = 'heapLimit' | 'terminated' | 'killed';

const SIGTRAP = 5;
const SIGKILL = 9;
const SIGTERM = 15;
/** In the sandbox a renderer is the first process of its namespace, which makes an exit status of the signal. */
const SIGTERM_IN_SANDBOX = 241 << 8;
/** V8 says so before it ends a renderer with a trap, as other faults do. */
const HEAP_LIMIT_REACHED = /^\[.*ERROR:.*\] V8 (?:javascript|process) OOM/;
const LINE_KEPT = 1_024;

export class CrashCauses {
  /** Ends that are known of and have not been reported yet. */
  readonly #expected: Record<Cause, number> = { heapLimit: 0, terminated: 0, killed: 0 };
  #unfinishedLine = '';

  /** The watchdog has sent a renderer this signal. */
  expect(cause: Exclude<Cause, 'heapLimit'>): void {
    this.#expected[cause]++;
  }

  /** What the browser and its renderers write to standard error. */
  readLog(text: string): void {
    const lines = (this.#unfinishedLine + text).split('\n');
    this.#unfinishedLine = (lines.pop() ?? '').slice(0, LINE_KEPT);
    this.#expected.heapLimit += lines.filter((line) => HEAP_LIMIT_REACHED.test(line)).length;
  }

  async isOutOfMemory({ status, errorCode }: Crash): Promise<boolean> {
    const cause = causeOf(status, errorCode);
    if (cause === 'heapLimit') await logIsRead();
    if (!cause || !this.#expected[cause]) return false;
    this.#expected[cause]--;
    return true;
  }
}

/** As V8 and Chromium's allocators end a renderer that gets no more memory, and as other faults do. */
export function isTrap({ status, errorCode }: Crash): boolean {
  return status === 'crashed' && errorCode === SIGTRAP;
}

function causeOf(status: string, errorCode: number): Cause | undefined {
  if (status === 'crashed') return errorCode === SIGTRAP ? 'heapLimit' : undefined;
  if (errorCode === SIGKILL) return 'killed';
  return errorCode === SIGTERM || errorCode === SIGTERM_IN_SANDBOX ? 'terminated' : undefined;
}

/** What was written before the crash was reported is read in this turn of the event loop or the next. */
async function logIsRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
