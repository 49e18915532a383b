/** Waits until a document has finished its work, and runs its time forward. */

import type { FinishOptions, FinishState, WaitsFor } from '../contract/questions.ts';
import { type Natives, type PreparedWindow, preparedWindow, type WindowClock } from '../dom/prepared-window.ts';
import { framedDocuments, withShadows } from '../dom/roots.ts';
import { finishAnimations } from './animations.ts';
import { watchReadiness } from './readiness.ts';

/** How long, and for how many turns, a quiet document has not changed. */
const QUIET_MS = 20;
const QUIET_TURNS = 1;
const MAX_ROUNDS = 3;
const MAX_FRAME_DEPTH = 5;
/** How long to wait for a frame, in case that none comes. */
const MAX_FRAME_MS = 100;

type Watch = ReturnType<typeof watchChanges>;

/** The window must be prepared. */
export async function waitUntilFinished(options: FinishOptions): Promise<FinishState> {
  const { clock, listShadows } = preparedWindow(window) ?? {};
  if (!clock || !listShadows) throw new Error('the window is not prepared');
  const { waits } = options;
  const { now } = clock.native;
  if (options.declaresShadows) listShadows(SETTINGS.secret, withShadows(document));
  const waitsFor = waits ? watchReadiness() : () => undefined;
  const watch = watchChanges(clock);
  try {
    const readyBy = now() + options.readyMs;
    while (waitsFor() && now() < readyBy) await watch.turn();
    await watch.turn(); // observers have been called by then
    const quietBy = now() + options.quietByMs;
    while (waits && isPending() && now() < quietBy) await watch.turn();
    if (!(await untilQuiet(clock, watch, options, quietBy))) return { whole: false, waitsFor: '', sent: 0, workers: 0 };
    const [sent, workers] = [sum(({ clock: { sent } }) => sent()), sum(({ startedWorkers }) => startedWorkers())];
    return { whole: true, waitsFor: waitsFor() ?? currentActivity(options, watch), sent, workers };
  } finally {
    watch.end();
  }
}

/** Runs time forward, waits for quiet, and repeats both after a change. Returns false if something that was due could not run. */
async function untilQuiet({ native }: WindowClock, watch: Watch, options: FinishOptions, quietBy: number): Promise<boolean> {
  const { waits, finishesAnimations } = options;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (finishesAnimations && !(await runForward(native, waits))) return false;
    const before = watch.changes();
    await watch.turn();
    while (waits && (isPending() || !watch.isQuiet()) && native.now() < quietBy) await watch.turn();
    if (!(waits && finishesAnimations) || watch.changes() === before) return true;
  }
  return true;
}

/** Runs time forward until there is nothing more to show or finish. Returns false if something that was due could not run. */
async function runForward(native: Natives, withTimers: boolean): Promise<boolean> {
  let [runs, isDue] = [true, false];
  for (let round = 0; round < MAX_ROUNDS && (runs || isDue); round++) {
    let seen = 0;
    isDue = false;
    for (const view of listWindows(document)) {
      const moved = await moveWindow(view, withTimers, runs);
      if (!moved) return false;
      isDue ||= moved.isDue;
      seen += moved.seen;
    }
    runs = seen > 0;
    if (runs || isDue) await nextFrame(native);
  }
  return true;
}

/**
 * Runs the callbacks of one window that are due, if `runs` is set. Returns undefined if not all of them could run. Otherwise, shows its
 * observers everything, finishes its animations, and returns how many there were of both.
 */
async function moveWindow(view: Window, withTimers: boolean, runs: boolean) {
  const { clock, showAll } = preparedWindow(view) ?? {};
  const isDue = runs && clock?.isDue(withTimers) === true;
  if (isDue && !(await clock.forward(withTimers))) return undefined;
  return { isDue, seen: (showAll?.() ?? 0) + finishAnimations(view.document) };
}

/** Returns the windows of the document and of the frames that it can access. */
function listWindows(page: Document, depth = 0): Window[] {
  const inner = depth < MAX_FRAME_DEPTH ? framedDocuments(page) : [];
  const own = page.defaultView ? [page.defaultView] : [];
  return [...own, ...inner.flatMap((each) => listWindows(each, depth + 1))];
}

function nextFrame({ setTimeout, requestAnimationFrame, Promise: NativePromise }: Natives): Promise<void> {
  return new NativePromise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, MAX_FRAME_MS);
  });
}

/** Whether work is pending in any window. */
function isPending(): boolean {
  return listWindows(document).some((view) => preparedWindow(view)?.clock.isPending());
}

/** Returns the sum of what is counted in each window. */
function sum(countIn: (view: PreparedWindow) => number): number {
  return listWindows(document).reduce((total, view) => {
    const prepared = preparedWindow(view);
    return total + (prepared ? countIn(prepared) : 0);
  }, 0);
}

function currentActivity({ waits }: FinishOptions, watch: Watch): WaitsFor {
  if (!waits) return '';
  if (!watch.isQuiet()) return 'changes';
  return isPending() ? 'work' : '';
}

/** Watches for mutations. It also counts turns without one, because a page that is too busy to change anything is not quiet. */
function watchChanges({ native, isTicking }: WindowClock) {
  const { MutationObserver, Promise: NativePromise, setTimeout, now } = native;
  let [changedAt, changes, seen, quietTurns] = [now(), 0, 0, 0];
  const observer = new MutationObserver(() => {
    if (isTicking()) return;
    changes++;
    changedAt = now();
  });
  const observed = new Set<object>();
  const observeAll = () => {
    for (const root of withShadows(document, false)) {
      if (!observed.has(root)) observer.observe(root, { childList: true, characterData: true, subtree: true });
      observed.add(root);
    }
  };
  observeAll();
  return {
    /** Resolves after a frame and the tasks that were waiting. */
    async turn() {
      await nextFrame(native);
      await new NativePromise<void>((resolve) => void setTimeout(resolve, 0)); // tasks that were due before have run by then
      observeAll();
      quietTurns = changes === seen ? quietTurns + 1 : 0;
      seen = changes;
    },
    /** Number of batches of mutations so far. */
    changes: () => changes,
    isQuiet: () => quietTurns >= QUIET_TURNS && changes === seen && now() >= changedAt + QUIET_MS,
    end: () => observer.disconnect(),
  };
}
