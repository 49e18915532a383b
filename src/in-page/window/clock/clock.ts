/** The time of a window: its native functions, and how far the clocks that the document sees are ahead of real time. */
import { apply, type Call } from '../../dom/built-ins.ts';
import type { Natives } from '../../dom/prepared-window.ts';
import { createTaskQueue } from './task-queue.ts';
import type { Work } from './work.ts';

export interface Timer {
  handler: Call;
  args: unknown[];
  /** The time on the clock that the document sees. */
  dueMs: number;
  /** The period of an interval. */
  everyMs: number | undefined;
  /** Whether it navigates away, once that is known. */
  leaves?: boolean;
}

/** A callback for the next frame, or for when the browser is idle. */
export interface AwaitedCallback {
  callback: Call;
  revoke(): void;
  args(stamp: number): unknown[];
}

export interface Clock extends Work {
  native: Natives;
  /** How far the clocks of the document are ahead of real time. */
  aheadMs: number;
  timers: Map<number, Timer>;
  frames: Map<string, AwaitedCallback>;
  passes: number;
  /** Number of timers that were called. */
  calls: number;
  imports: number;
  /** Time that is left in the present pass. */
  leftMs: number;
  /** Frames that may still run after passes. */
  lastFrames: number;
  /** Whether the last pass has run completely. */
  isForward: boolean;
  /** Number of timers and frames whose mutations may not have been observed yet. */
  ticking: number;
  /** Resolves when the page has run its waiting tasks. */
  nextTask(): Promise<void>;
  /** Whether a timer runs. Timers that it sets get the minimum delay. */
  isNested: boolean;
}

/** Frames that run after a pass, for animations that count frames instead of time. The number is for all passes together. */
const MAX_LAST_FRAMES = 300;

export function createClock(): Clock {
  const native = saveNatives();
  return {
    native,
    aheadMs: 0,
    timers: new Map(),
    frames: new Map(),
    pending: 0,
    parts: 0,
    chainedAt: Number.NEGATIVE_INFINITY,
    sent: 0,
    passes: 0,
    calls: 0,
    imports: 0,
    leftMs: 0,
    lastFrames: MAX_LAST_FRAMES,
    isForward: false,
    ticking: 0,
    nextTask: createTaskQueue(native),
    isNested: false,
  };
}

function saveNatives(): Natives {
  return Object.freeze({
    setTimeout: window.setTimeout.bind(window),
    clearTimeout: window.clearTimeout.bind(window),
    requestAnimationFrame: window.requestAnimationFrame.bind(window),
    reportError: window.reportError.bind(window),
    Promise: window.Promise,
    MutationObserver: window.MutationObserver,
    now: performance.now.bind(performance),
  });
}

/** Counts a callback as ticking until its mutations have been observed, even if it defers them to a message, as frameworks do. */
export async function tick(clock: Clock, call: () => void): Promise<void> {
  clock.ticking++;
  try {
    call();
  } catch (error) {
    clock.native.reportError(error);
  }
  if (clock.isForward) await clock.nextTask();
  clock.ticking--;
}

/** Calls a function of the document, whose errors are reported as usual. */
export function callBack({ native }: Clock, handler: Call, args: unknown[]): void {
  try {
    apply(handler, window, args);
  } catch (error) {
    native.reportError(error);
  }
}
