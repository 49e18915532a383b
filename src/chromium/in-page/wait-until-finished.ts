/** The script that waits until a document has finished its work, and runs its time forward. It runs in the page, sent as text. */
import { Type } from 'typebox';
import { shape } from '../devtools/evaluate.ts';
import { type AnimatedPage, FINISH_ANIMATIONS, type finishAnimations as Finish } from './page-animations.ts';
import { type PageTime, TIME } from './page-clock.ts';
import { FRAMES, type framed as Framed, type withShadows as WithShadows } from './page-frames.ts';
import { OBSERVERS, type ShowAll } from './page-observers.ts';
import type { ListShadows } from './page-shadows.ts';
import { NAMES_OF_READINESS, READINESS, type readiness as Readiness } from './page-waits.ts';

export interface WaitUntilFinishedOptions {
  /** Whether to wait for the work of the document and to run its timers. */
  waits: boolean;
  /** Whether to run time forward and to finish animations. */
  finishes: boolean;
  /** Whether the markup may declare shadow roots. */
  declaresShadows: boolean;
  /** How long to wait for a document that signals that it is not ready. */
  readyMs: number;
  /** How long to wait for a document that keeps changing. */
  quietByMs: number;
}

export interface FinishState {
  /** Whether everything that was due has run. If not, evaluate the script again when the pending requests have ended. */
  whole: boolean;
  /** One of `NAMES_OF_READINESS`, `changes` if the document keeps changing, `work` if some is pending, or empty. */
  waitsFor: string;
  /** Number of messages that its windows have sent so far. */
  sent: number;
}

/** How long, and for how many turns, a quiet document has not changed. */
const QUIET_MS = 20;
const QUIET_TURNS = 1;
const MAX_ROUNDS = 3;

const FUNCTIONS = [
  ...FRAMES,
  ...FINISH_ANIMATIONS,
  ...READINESS,
  windowsOf,
  nextFrame,
  moveWindow,
  runForward,
  isPending,
  watchChanges,
  untilQuiet,
  whatGoesOn,
  messagesSent,
  waitUntilFinished,
].join('\n');

/** Evaluates to a promise of an `FinishState`. */
export function waitUntilFinishedExpression(options: WaitUntilFinishedOptions): string {
  const wait: Wait = {
    ...options,
    time: TIME,
    observers: OBSERVERS,
    quietMs: QUIET_MS,
    quietTurns: QUIET_TURNS,
    maxRounds: MAX_ROUNDS,
  };
  return `(() => { ${FUNCTIONS} return waitUntilFinished(${JSON.stringify(wait)}) })()`;
}

export const FINISH_STATE = shape(
  Type.Object({
    whole: Type.Boolean(),
    waitsFor: Type.Enum(['', ...NAMES_OF_READINESS, 'changes', 'work']),
    sent: Type.Integer({ minimum: 0 }),
  }),
);
/** The state of a document that gives no valid answer. */
export const NO_FINISH_STATE: FinishState = { whole: true, waitsFor: '', sent: 0 };

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageDocument extends AnimatedPage {
  defaultView: PageWindow | null;
}
interface PageWindow {
  document: PageDocument;
  [key: symbol | string]: unknown;
}
declare const shadowRegister: () => { key: string; secret: string };
declare const framed: typeof Framed;
declare const withShadows: typeof WithShadows;
declare const finishAnimations: typeof Finish;
declare const readiness: typeof Readiness;
declare const document: PageDocument;
declare const window: PageWindow;

interface Wait extends WaitUntilFinishedOptions {
  time: string;
  observers: string;
  quietMs: number;
  quietTurns: number;
  maxRounds: number;
}

interface Moved {
  isWhole: boolean;
  isDue: boolean;
  /** Number of targets that were shown to observers and of animations that were finished. */
  seen: number;
}

interface Watch {
  /** Resolves after a frame and the tasks that were waiting. */
  turn(): Promise<void>;
  /** Number of batches of mutations so far. */
  changes(): number;
  isQuiet(): boolean;
  end(): void;
}

/** Returns the windows of the document and of the frames that it can access. */
function windowsOf(page: PageDocument, depth = 0): PageWindow[] {
  const inner = depth < 5 ? framed(page) : [];
  const own = page.defaultView ? [page.defaultView] : [];
  return [...own, ...inner.flatMap((each) => windowsOf(each, depth + 1))];
}

function nextFrame({ setTimeout, requestAnimationFrame, Promise: NativePromise }: PageTime['native']): Promise<void> {
  return new NativePromise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, 100); // if no frame comes
  });
}

/**
 * Runs the callbacks of one window that are due, if `runs` is set. Then shows its observers everything and finishes its
 * animations.
 */
async function moveWindow(page: PageWindow, { waits, time, observers }: Wait, runs: boolean): Promise<Moved> {
  const clock = page[Symbol.for(time)] as PageTime | undefined;
  const isDue = runs && (clock?.isDue(waits) ?? false);
  if (isDue && !(await clock?.forward(waits))) return { isWhole: false, isDue, seen: 0 };
  const shown = (page[Symbol.for(observers)] as ShowAll | undefined)?.() ?? 0;
  return { isWhole: true, isDue, seen: shown + finishAnimations(page.document) };
}

/** Runs time forward until there is nothing more to show or finish. Returns false if something that was due could not run. */
async function runForward({ native }: PageTime, wait: Wait): Promise<boolean> {
  let [runs, isDue] = [true, false];
  for (let round = 0; round < wait.maxRounds && (runs || isDue); round++) {
    let seen = 0;
    isDue = false;
    for (const page of windowsOf(document)) {
      const moved = await moveWindow(page, wait, runs);
      if (!moved.isWhole) return false;
      isDue ||= moved.isDue;
      seen += moved.seen;
    }
    runs = seen > 0;
    if (runs || isDue) await nextFrame(native);
  }
  return true;
}

/** Whether work is pending in any window. */
function isPending({ time }: Wait): boolean {
  return windowsOf(document).some((page) => (page[Symbol.for(time)] as PageTime | undefined)?.isPending());
}

/** Watches for mutations. It also counts turns without one, because a page that is too busy to change anything is not quiet. */
function watchChanges({ native, isTicking }: PageTime, turns: number, quietMs: number): Watch {
  const { MutationObserver, Promise: NativePromise, setTimeout, now } = native;
  let [changedAt, changes, seen, still] = [now(), 0, 0, 0];
  const observer = new MutationObserver(() => {
    if (isTicking()) return;
    changes++;
    changedAt = now();
  });
  const observed = new Set<object>();
  const observeAll = () => {
    for (const root of withShadows<object>(document, false)) {
      if (!observed.has(root)) observer.observe(root, { childList: true, characterData: true, subtree: true });
      observed.add(root);
    }
  };
  observeAll();
  return {
    async turn() {
      await nextFrame(native);
      await new NativePromise<void>((resolve) => void setTimeout(resolve, 0)); // tasks that were due before have run by then
      observeAll();
      still = changes === seen ? still + 1 : 0;
      seen = changes;
    },
    changes: () => changes,
    isQuiet: () => still >= turns && changes === seen && now() >= changedAt + quietMs,
    end: () => observer.disconnect(),
  };
}

/** Runs time forward, waits for quiet, and repeats both after a change. Returns false if something that was due could not run. */
async function untilQuiet(time: PageTime, watch: Watch, wait: Wait, quietBy: number): Promise<boolean> {
  const { waits, finishes, maxRounds } = wait;
  for (let round = 0; round < maxRounds; round++) {
    if (finishes && !(await runForward(time, wait))) return false;
    const before = watch.changes();
    await watch.turn();
    while (waits && (isPending(wait) || !watch.isQuiet()) && time.native.now() < quietBy) await watch.turn();
    if (!(waits && finishes) || watch.changes() === before) return true;
  }
  return true;
}

function whatGoesOn(wait: Wait, watch: Watch): string {
  if (!wait.waits) return '';
  if (!watch.isQuiet()) return 'changes';
  return isPending(wait) ? 'work' : '';
}

function messagesSent({ time }: Wait): number {
  return windowsOf(document).reduce((sum, page) => sum + ((page[Symbol.for(time)] as PageTime | undefined)?.sent() ?? 0), 0);
}

async function waitUntilFinished(wait: Wait): Promise<FinishState> {
  const time = window[Symbol.for(wait.time)] as PageTime;
  const { now } = time.native;
  const { key, secret } = shadowRegister();
  if (wait.declaresShadows) (window[key] as ListShadows | undefined)?.(secret, withShadows<object>(document));
  const waitsFor = wait.waits ? readiness() : () => undefined;
  const watch = watchChanges(time, wait.quietTurns, wait.quietMs);
  try {
    const readyBy = now() + wait.readyMs;
    while (waitsFor() && now() < readyBy) await watch.turn();
    await watch.turn(); // observers have been called by then
    const quietBy = now() + wait.quietByMs;
    while (wait.waits && isPending(wait) && now() < quietBy) await watch.turn();
    if (!(await untilQuiet(time, watch, wait, quietBy))) return { whole: false, waitsFor: '', sent: 0 };
    return { whole: true, waitsFor: waitsFor() ?? whatGoesOn(wait, watch), sent: messagesSent(wait) };
  } finally {
    watch.end();
  }
}
