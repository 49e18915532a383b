/**
 * Replaces the clocks, timers and animation frames of a window, so that time in it can be run forward. The functions below run in
 * the page before any script of a document, sent as text, so they may use only each other.
 */
import { type keepWork as KeepWork, type replace as Replace, WORK, type Work } from './page-work.ts';

/** The symbol under which a window keeps its `PageTime`. */
export const TIME = 'platen.time';
/** How far one pass runs forward. Timers with a longer delay are left alone. */
const PASS_MS = 3_000;
/**
 * Time between two frames of a pass. Libraries that check their clock treat a gap of half a second as a machine that was asleep.
 */
const FRAME_MS = 300;
/** Frames that run after a pass, for animations that count frames instead of time. The number is for all passes together. */
const MAX_LAST_FRAMES = 300;
/** Limits the last frames of each pass, in real time. */
const MAX_LAST_FRAMES_MS = 250;
/** New work, such as that of a response, gets a new pass. */
const MAX_PASSES = 3;
/** Limits the calls of timers in all passes together. */
const MAX_CALLS = 1_000;
/** Minimum delay of a timer that a timer sets, and minimum period of an interval, as in the HTML standard. */
const NESTED_MS = 4;
/** Limits one pass in real time. */
const MAX_PASS_MS = 1_000;
/** How many timers that call `import()` end a pass. There is a limit, because an interval could repeat such a call for ever. */
const MAX_IMPORTS = 10;
/** How long work is pending after a message handler has sent a message. A worker has answered by then. */
const CHAIN_MS = 20;
/** How long an idle callback may take. */
const IDLE_MS = 50;
/** Limits the images created by scripts that are watched. The oldest are dropped first. */
const MAX_IMAGES = 200;

/** Must be evaluated in a window before any script of a document. */
export const PAGE_CLOCK = `(() => { ${[tick, keepClocks, keepTimers, keepCallbacks, keepFrames, ...WORK, keepImages, taskQueue, sendsElsewhere, loadWatch, nextTimer, runTimers, runFrames, runLastFrames, runPass, stayWhile, takeNatives, newClock, keepTime].join('\n')}
keepTime(${JSON.stringify(TIME)}, { passMs: ${PASS_MS}, frameMs: ${FRAME_MS}, lastFrames: ${MAX_LAST_FRAMES}, lastFramesMs: ${MAX_LAST_FRAMES_MS}, nestedMs: ${NESTED_MS}, maxPasses: ${MAX_PASSES}, maxCalls: ${MAX_CALLS}, maxPassMs: ${MAX_PASS_MS}, maxImports: ${MAX_IMPORTS}, maxImages: ${MAX_IMAGES}, chainMs: ${CHAIN_MS}, idleMs: ${IDLE_MS} }) })()`;

/** Controls the time of a window, once its document has loaded. */
export interface PageTime {
  /** Native functions from before any script of the document could replace them. */
  native: Natives;
  /**
   * Runs the frames, and optionally the timers, that are due within a pass. Resolves to whether all of them have run. A request that
   * begins in the meantime ends the pass early.
   */
  forward(withTimers: boolean): Promise<boolean>;
  /** Whether a frame or a timer is due within a pass. */
  isDue(withTimers: boolean): boolean;
  /** Whether work is pending that the document has begun, such as a request. */
  isPending(): boolean;
  /** Number of messages that the window has sent. */
  sent(): number;
  /** Whether a timer or frame runs although time was run forward completely. Such timers and frames go on for ever. */
  isTicking(): boolean;
}

export interface Limits {
  passMs: number;
  frameMs: number;
  lastFrames: number;
  lastFramesMs: number;
  nestedMs: number;
  maxPasses: number;
  maxCalls: number;
  maxPassMs: number;
  maxImports: number;
  maxImages: number;
  chainMs: number;
  idleMs: number;
}

type Call = (...args: unknown[]) => unknown;
interface Natives {
  setTimeout(handler: () => void, milliseconds: number): number;
  clearTimeout(id: number): void;
  requestAnimationFrame(callback: (stamp: number) => void): number;
  reportError(error: unknown): void;
  queueMicrotask(callback: () => void): void;
  Promise: PromiseConstructor;
  MutationObserver: new (
    callback: (changes: unknown[]) => void,
  ) => { observe(node: unknown, what: object): void; disconnect(): void };
  /** Returns the real time. */
  now(): number;
}
interface Timer {
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
interface Awaited {
  callback: Call;
  revoke(): void;
  args(stamp: number): unknown[];
}
interface Clock extends Limits, Work {
  native: Natives;
  /** How far the clocks of the document are ahead of real time. */
  aheadMs: number;
  timers: Map<number, Timer>;
  frames: Map<string, Awaited>;
  passes: number;
  calls: number;
  imports: number;
  /** Time that is left in the present pass. */
  leftMs: number;
  /** Whether the last pass has run completely. */
  isForward: boolean;
  /** Number of timers and frames whose mutations may not have been observed yet. */
  ticking: number;
  /** Resolves when the page has run its waiting tasks. */
  nextTask(): Promise<void>;
  /** Whether a timer runs. Timers that it sets get the minimum delay. */
  isNested: boolean;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageWindow extends Omit<Natives, 'now'> {
  [name: string]: unknown;
}
interface NavigationTarget {
  addEventListener(
    type: 'navigate',
    listener: (event: { destination: { sameDocument: boolean }; preventDefault(): void }) => void,
  ): void;
}
declare const Performance: { prototype: { now(): number } };
declare const keepWork: typeof KeepWork;
declare const replace: typeof Replace;
interface Loadable {
  src: string;
  loading: string;
  complete: boolean;
}
declare let Image: new () => Loadable;
/** The properties of the prototype are used, because an element whose name is that of a property would hide it. */
declare const Document: { prototype: object } | undefined;
declare const document: object;
declare const MessageChannel: new () => { port1: object; port2: object };
declare const MessagePort: { prototype: { postMessage: Call } };

function keepClocks(clock: Clock): void {
  replace(Performance.prototype, 'now', (now) => (now() as number) + clock.aheadMs);
  const { Date: NativeDate } = globalThis;
  const { construct } = Reflect;
  replace(NativeDate, 'now', (now) => Math.floor((now() as number) + clock.aheadMs));
  const { now } = NativeDate;
  const ours = new Proxy(NativeDate, {
    construct: (native, args, target) => construct(native, args.length ? args : [now()], target),
    apply: (native) => `${new native(now())}`,
  });
  NativeDate.prototype.constructor = ours;
  globalThis.Date = ours;
}

/** Counts a callback as ticking until its mutations have been observed, even if it defers them to a message, as frameworks do. */
async function tick(clock: Clock, call: () => void): Promise<void> {
  clock.ticking++;
  try {
    call();
  } catch (error) {
    clock.native.reportError(error);
  }
  if (clock.isForward) await clock.nextTask();
  clock.ticking--;
}

function keepTimers(clock: Clock, now: () => number): void {
  const { timers, passMs } = clock;
  const { apply } = Reflect;
  for (const name of ['setTimeout', 'setInterval']) {
    replace(globalThis, name, (native, _, given) => {
      const [handler, delay, ...args] = given;
      const delayMs = Math.max(clock.isNested ? clock.nestedMs : 0, (delay as number) | 0);
      if (typeof handler !== 'function' || delayMs > passMs) return native(...given);
      const repeats = name === 'setInterval';
      const timer: Timer = {
        handler: handler as Call,
        args,
        dueMs: now() + delayMs,
        everyMs: repeats ? Math.max(clock.nestedMs, delayMs) : undefined,
      };
      const id = native(() => {
        if (repeats) timer.dueMs = now() + (timer.everyMs ?? 0);
        else timers.delete(id);
        tick(clock, () => apply(handler, globalThis, args));
      }, delayMs) as number;
      timers.set(id, timer);
      return id;
    });
  }
  for (const name of ['clearTimeout', 'clearInterval']) {
    replace(globalThis, name, (native, _, given) => {
      timers.delete(Number(given[0]));
      return native(...given);
    });
  }
}

function keepCallbacks(clock: Clock, request: string, cancel: string, args: Awaited['args']): void {
  const { frames } = clock;
  const { [cancel]: revokeNative } = globalThis as unknown as Record<string, Call>;
  replace(globalThis, request, (native, _, given) => {
    const [callback, ...rest] = given;
    if (typeof callback !== 'function') return native(...given);
    const call = (stamp: unknown) => {
      frames.delete(key);
      tick(clock, () => callback(typeof stamp === 'number' ? stamp + clock.aheadMs : stamp));
    };
    const id = native(call, ...rest);
    const key = `${request} ${id}`;
    frames.set(key, { callback: callback as Call, revoke: () => revokeNative?.(id), args });
    return id;
  });
  replace(globalThis, cancel, (native, _, given) => {
    frames.delete(`${request} ${Number(given[0])}`);
    return native(...given);
  });
}

function keepFrames(clock: Clock): void {
  const { now } = clock.native;
  keepCallbacks(clock, 'requestAnimationFrame', 'cancelAnimationFrame', (stamp) => [stamp]);
  keepCallbacks(clock, 'requestIdleCallback', 'cancelIdleCallback', () => {
    const begun = now();
    return [{ didTimeout: false, timeRemaining: () => Math.max(0, begun + clock.idleMs - now()) }];
  });
}

/** Collects the images of `new Image()`. The document lists only images that were inserted into it. */
function keepImages(atMost: number): Set<Loadable> {
  const made = new Set<Loadable>();
  const { construct } = Reflect;
  Image = new Proxy(Image, {
    construct(native, args, target) {
      const image: Loadable = construct(native, args, target);
      const [oldest] = made.add(image);
      if (oldest && made.size > atMost) made.delete(oldest);
      return image;
    },
  });
  return made;
}

/** Returns a function that resolves when the page has run its waiting tasks. It opens a channel only when it is called. */
function taskQueue({ Promise: NativePromise }: Natives): () => Promise<void> {
  const { apply } = Reflect;
  const Channel = MessageChannel;
  const { postMessage } = MessagePort.prototype;
  const onMessage = Reflect.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')?.set as Call;
  const waiting: Array<() => void> = [];
  let port: object | undefined;
  const open = () => {
    const { port1, port2 } = new Channel();
    apply(onMessage, port1, [() => waiting.shift()?.()]);
    return port2;
  };
  return () =>
    new NativePromise((resolve) => {
      port ??= open();
      waiting.push(resolve);
      apply(postMessage, port, [0]);
    });
}

/** Returns a function that tells whether an image or a script has begun to load from the network since. */
function loadWatch(made: Set<Loadable>): () => boolean {
  const listed = (name: string): Loadable[] => {
    const list = typeof Document !== 'undefined' && Reflect.getOwnPropertyDescriptor(Document.prototype, name)?.get;
    return list ? [...(Reflect.apply(list, document, []) as Iterable<Loadable>)] : [];
  };
  const isOfNetwork = ({ src }: Loadable) => /^https?:/.test(src);
  const images = () => new Set([...listed('images'), ...made]);
  const loading = () => [...images()].filter((each) => !each.complete && each.loading !== 'lazy' && isOfNetwork(each));
  const scripts = () => listed('scripts').filter(isOfNetwork);
  const known = new Set([...loading(), ...scripts()]);
  return () => [...loading(), ...scripts()].some((each) => !known.has(each));
}

/** Whether a timer navigates, judging by its source. Such timers are meant for readers, and do not run. */
function sendsElsewhere(timer: Timer, source: Call): boolean {
  const leaves =
    /\blocation(?:\.href)?\s*=(?!=)|\b(?:location|navigation)\??\.(?:assign|replace|reload|navigate)\b|\bhistory\??\.(?:go|back|forward)\b|\breload\(|submit\(/i;
  timer.leaves ??= leaves.test(source(timer.handler) as string);
  return timer.leaves;
}

function nextTimer({ timers }: Clock, latest: number, isLeft: (timer: Timer) => boolean): [id: number, timer: Timer] | undefined {
  let next: [number, Timer] | undefined;
  for (const entry of timers) {
    const isSooner = next ? entry[1].dueMs < next[1].dueMs : entry[1].dueMs <= latest;
    if (isSooner && !isLeft(entry[1])) next = entry;
  }
  return next;
}

/** Runs timers in the order in which they are due, up to a time on the document's clock. Returns false if it stops early. */
async function runTimers(clock: Clock, until: number, tools: Tools): Promise<boolean> {
  const { native, timers, maxCalls } = clock;
  for (let next = nextTimer(clock, until, tools.isLeft); next; next = nextTimer(clock, until, tools.isLeft)) {
    const [id, timer] = next;
    if (clock.calls++ >= maxCalls) return false;
    clock.aheadMs = Math.max(clock.aheadMs, timer.dueMs - native.now());
    if (timer.everyMs === undefined) {
      timers.delete(id);
      native.clearTimeout(id);
    } else timer.dueMs += timer.everyMs;
    clock.isNested = true;
    tools.call(timer.handler, timer.args);
    await tools.nextTask();
    clock.isNested = false;
    if (tools.isToStop() || tools.imports(timer)) return false;
  }
  return true;
}

function runFrames({ native, frames, aheadMs }: Clock, tools: Tools): void {
  const stamp = native.now() + aheadMs;
  for (const [key, { callback, revoke, args }] of [...frames]) {
    if (!frames.delete(key)) continue; // another callback has cancelled it
    revoke();
    tools.call(callback, args(stamp));
  }
}

interface Tools {
  isDue(withinMs: number): boolean;
  call(handler: Call, args: unknown[]): void;
  isLeft(timer: Timer): boolean;
  isToStop(): boolean;
  /** Whether the timer imports a module, for which there is no event. */
  imports(timer: Timer): boolean;
  /** Whether an image or a script has begun to load. Not called after each timer, because there may be many. */
  hasBegun(): boolean;
  nextTask(): Promise<void>;
}

/** Runs more frames. If some are left at the limit, they go on for ever. Returns false if it stops early, as after a request. */
async function runLastFrames(clock: Clock, tools: Tools): Promise<boolean> {
  const latest = clock.native.now() + clock.lastFramesMs;
  while (clock.frames.size > 0 && clock.lastFrames > 0 && clock.native.now() < latest) {
    clock.lastFrames--;
    clock.aheadMs += 16;
    runFrames(clock, tools);
    const isTurn = clock.lastFrames % 16 === 0;
    await (isTurn ? tools.nextTask() : undefined);
    if (tools.isToStop() || (isTurn && tools.hasBegun())) return false;
  }
  return true;
}

async function runPass(clock: Clock, tools: Tools): Promise<boolean> {
  const { native, frameMs } = clock;
  while (clock.leftMs > 0) {
    const stepMs = Math.min(frameMs, clock.leftMs);
    const until = native.now() + clock.aheadMs + stepMs;
    if (!tools.isDue(clock.leftMs)) return true;
    if (!(await runTimers(clock, until, tools))) return clock.calls >= clock.maxCalls;
    clock.leftMs -= stepMs;
    clock.aheadMs = Math.max(clock.aheadMs, until - native.now());
    runFrames(clock, tools);
    await tools.nextTask();
    if (tools.isToStop() || tools.hasBegun()) return false;
  }
  return runLastFrames(clock, tools);
}

/** Prevents navigations while time is run forward. */
function stayWhile(isMoving: () => boolean): void {
  const { navigation } = globalThis as unknown as { navigation?: NavigationTarget };
  navigation?.addEventListener('navigate', (event) => {
    if (isMoving() && !event.destination.sameDocument) event.preventDefault();
  });
}

/** Keeps the functions that are replaced for the document. */
function takeNatives(self: PageWindow): Natives {
  return {
    setTimeout: self.setTimeout.bind(self),
    clearTimeout: self.clearTimeout.bind(self),
    requestAnimationFrame: self.requestAnimationFrame.bind(self),
    reportError: self.reportError.bind(self),
    queueMicrotask: self.queueMicrotask.bind(self),
    Promise: self.Promise,
    MutationObserver: self.MutationObserver,
    now: performance.now.bind(performance),
  };
}

function newClock(limits: Limits, native: Natives): Clock {
  return {
    ...limits,
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
    isForward: false,
    ticking: 0,
    nextTask: taskQueue(native),
    isNested: false,
  };
}

function keepTime(key: string, limits: Limits): void {
  if (Symbol.for(key) in globalThis) return; // the script runs again when a document is written into the window
  const self = globalThis as unknown as PageWindow;
  const { apply } = Reflect;
  const native = takeNatives(self);
  const realNow = native.now;
  const toSource = Function.prototype.toString;
  const clock = newClock(limits, native);
  keepClocks(clock);
  keepTimers(clock, () => realNow() + clock.aheadMs);
  keepFrames(clock);
  const isTicking = () => clock.isForward && clock.ticking > 0;
  const { nextTask } = clock;
  keepWork(clock, { now: realNow, isTicking, nextTask });
  const images = keepImages(limits.maxImages);
  let isMoving = false;
  stayWhile(() => isMoving);
  const sourceOf = (handler: unknown) => apply(toSource, handler, []) as string;
  const sends = (timer: Timer) => sendsElsewhere(timer, sourceOf);
  const imports = ({ handler }: Timer) =>
    clock.imports < limits.maxImports && /\bimport\s*\(/.test(sourceOf(handler)) && ++clock.imports > 0;
  const call = (handler: Call, args: unknown[]) => {
    try {
      apply(handler, self, args);
    } catch (error) {
      native.reportError(error);
    }
  };
  const toolsFor = (withTimers: boolean): Tools => {
    const latest = realNow() + limits.maxPassMs;
    const before = clock.pending;
    const hasBegun = loadWatch(images);
    const isLeft = (timer: Timer) => !withTimers || sends(timer);
    const isDue = (withinMs: number) => clock.frames.size > 0 || !!nextTimer(clock, realNow() + clock.aheadMs + withinMs, isLeft);
    return { call, isLeft, isDue, nextTask, imports, hasBegun, isToStop: () => clock.pending > before || realNow() > latest };
  };
  const forward = async (withTimers: boolean) => {
    if (clock.leftMs <= 0 && clock.passes++ < limits.maxPasses) clock.leftMs = limits.passMs;
    isMoving = true;
    const isWhole = await runPass(clock, toolsFor(withTimers)).finally(() => {
      isMoving = false;
    });
    clock.isForward = isWhole && clock.calls < limits.maxCalls;
    return isWhole;
  };
  const isDue = (withTimers: boolean) => toolsFor(withTimers).isDue(limits.passMs);
  const isPending = () => clock.pending + clock.parts > 0 || realNow() < clock.chainedAt + limits.chainMs;
  const sent = () => clock.sent;
  const time: PageTime = Object.freeze({ native: Object.freeze(native), forward, isDue, isPending, isTicking, sent });
  Object.defineProperty(globalThis, Symbol.for(key), { value: time });
}
