/** Runs the timers and frames of a window forward, in passes. */
import { apply, type Call } from '../../dom/built-ins.ts';
import { type Clock, callBack, type Timer } from './clock.ts';
import type { LoadWatch } from './load-watch.ts';
import { PASS_MS } from './timers.ts';

/** Time between two frames of a pass. Libraries that check their clock treat a gap of half a second as a machine that was asleep. */
const FRAME_MS = 300;
/** Limits the last frames of each pass, in real time. */
const MAX_LAST_FRAMES_MS = 250;
/** New work, such as that of a response, gets a new pass. */
const MAX_PASSES = 3;
/** Limits the calls of timers in all passes together. */
const MAX_CALLS = 1_000;
/** Limits one pass in real time. */
const MAX_PASS_MS = 1_000;
/** How many timers that call `import()` end a pass. There is a limit, because an interval could repeat such a call for ever. */
const MAX_IMPORTS = 10;
/** Matches the source of a timer that navigates. Such timers are meant for readers, and do not run. */
const NAVIGATES =
  /\blocation(?:\.href)?\s*=(?!=)|\b(?:location|navigation)\??\.(?:assign|replace|reload|navigate)\b|\bhistory\??\.(?:go|back|forward)\b|\breload\(|submit\(/i;

const toSource = Function.prototype.toString;

/** One pass, with the limits that apply to it. */
interface Pass {
  withTimers: boolean;
  /** Whether a request or the limit of time ends the pass. */
  isToStop(): boolean;
  /** Whether an image or a script has begun to load. Not called after each timer, because there may be many. */
  hasBegun: LoadWatch;
}

/** Runs what is due. Resolves to whether all of it has run. */
export async function runForward(clock: Clock, withTimers: boolean, hasBegun: LoadWatch): Promise<boolean> {
  if (clock.leftMs <= 0 && clock.passes++ < MAX_PASSES) clock.leftMs = PASS_MS;
  const latest = clock.native.now() + MAX_PASS_MS;
  const before = clock.pending;
  const isToStop = () => clock.pending > before || clock.native.now() > latest;
  const isWhole = await runPass(clock, { withTimers, isToStop, hasBegun });
  clock.isForward = isWhole && clock.calls < MAX_CALLS;
  return isWhole;
}

/** Whether a frame or a timer is due within this time. */
export function isDue(clock: Clock, withTimers: boolean, withinMs = PASS_MS): boolean {
  return clock.frames.size > 0 || !!nextTimer(clock, clock.native.now() + clock.aheadMs + withinMs, withTimers);
}

async function runPass(clock: Clock, pass: Pass): Promise<boolean> {
  const { native, nextTask } = clock;
  while (clock.leftMs > 0) {
    const stepMs = Math.min(FRAME_MS, clock.leftMs);
    const until = native.now() + clock.aheadMs + stepMs;
    if (!isDue(clock, pass.withTimers, clock.leftMs)) return true;
    if (!(await runTimers(clock, until, pass))) return clock.calls >= MAX_CALLS;
    clock.leftMs -= stepMs;
    clock.aheadMs = Math.max(clock.aheadMs, until - native.now());
    runFrames(clock);
    await nextTask();
    if (pass.isToStop() || pass.hasBegun()) return false;
  }
  return runLastFrames(clock, pass);
}

/** Runs timers in the order in which they are due, up to a time on the document's clock. Returns false if it stops early. */
async function runTimers(clock: Clock, until: number, pass: Pass): Promise<boolean> {
  const { native, timers, nextTask } = clock;
  const next = () => nextTimer(clock, until, pass.withTimers);
  for (let due = next(); due; due = next()) {
    const [id, timer] = due;
    if (clock.calls++ >= MAX_CALLS) return false;
    clock.aheadMs = Math.max(clock.aheadMs, timer.dueMs - native.now());
    if (timer.everyMs === undefined) {
      timers.delete(id);
      native.clearTimeout(id);
    } else timer.dueMs += timer.everyMs;
    clock.isNested = true;
    callBack(clock, timer.handler, timer.args);
    await nextTask();
    clock.isNested = false;
    if (pass.isToStop() || importsModule(clock, timer)) return false;
  }
  return true;
}

function nextTimer({ timers }: Clock, latest: number, withTimers: boolean): [id: number, timer: Timer] | undefined {
  let next: [number, Timer] | undefined;
  if (!withTimers) return undefined;
  for (const entry of timers) {
    const isSooner = next ? entry[1].dueMs < next[1].dueMs : entry[1].dueMs <= latest;
    if (isSooner && !navigates(entry[1])) next = entry;
  }
  return next;
}

function runFrames(clock: Clock): void {
  const { native, frames, aheadMs } = clock;
  const stamp = native.now() + aheadMs;
  for (const [key, { callback, revoke, args }] of [...frames]) {
    if (!frames.delete(key)) continue; // another callback has cancelled it
    revoke();
    callBack(clock, callback, args(stamp));
  }
}

/** Runs more frames. If some are left at the limit, they go on for ever. Returns false if it stops early, as after a request. */
async function runLastFrames(clock: Clock, pass: Pass): Promise<boolean> {
  const latest = clock.native.now() + MAX_LAST_FRAMES_MS;
  while (clock.frames.size > 0 && clock.lastFrames > 0 && clock.native.now() < latest) {
    clock.lastFrames--;
    clock.aheadMs += 16;
    runFrames(clock);
    const isTurn = clock.lastFrames % 16 === 0;
    await (isTurn ? clock.nextTask() : undefined);
    if (pass.isToStop() || (isTurn && pass.hasBegun())) return false;
  }
  return true;
}

/** Whether a timer navigates, judging by its source. */
function navigates(timer: Timer): boolean {
  timer.leaves ??= NAVIGATES.test(functionSource(timer.handler));
  return timer.leaves;
}

/** Whether the timer imports a module, for which there is no event. */
function importsModule(clock: Clock, { handler }: Timer): boolean {
  return clock.imports < MAX_IMPORTS && /\bimport\s*\(/.test(functionSource(handler)) && ++clock.imports > 0;
}

function functionSource(handler: Call): string {
  return apply(toSource, handler, []);
}
