/** The script that waits for the end of what a document does, and runs its time forward. It runs in the page, sent as text. */
import { type AnimatedPage, FINISH_ANIMATIONS, type finishAnimations as Finish } from './page-animations.ts';
import { type PageTime, TIME } from './page-clock.ts';
import { OBSERVERS, type ShowAll } from './page-observers.ts';
import { NAMES_OF_READINESS, READINESS, type readiness as Readiness } from './page-waits.ts';

export interface EndOptions {
  /** Whether what the document does is waited for, and its timers are run. */
  waits: boolean;
  /** Whether time is run forward. */
  finishes: boolean;
  /** Milliseconds for what says that it is not ready. */
  readyMs: number;
  /** Milliseconds for what does not stop changing. */
  restlessMs: number;
}

export interface End {
  /** Whether all that was to be run was: otherwise to be asked again, when requests have ended. */
  whole: boolean;
  /** What it is waiting for: `NAMES_OF_READINESS`, or `changes`. */
  waitsFor: string;
}

/** Without a change. */
const QUIET_MS = 30;
const MAX_ROUNDS = 3;

/** Its promise resolves to an `End`. */
export function awaitEndExpression(options: EndOptions): string {
  const functions = [...FINISH_ANIMATIONS, ...READINESS, windowsOf, nextFrame, moveWindow, runForward, watchChanges, awaitEnd];
  const wait: Wait = { ...options, time: TIME, observers: OBSERVERS, quietMs: QUIET_MS, maxRounds: MAX_ROUNDS };
  return `(() => { ${functions.join('\n')} return awaitEnd(${JSON.stringify(wait)}) })()`;
}

/** What the page says of it, which may be anything. */
export function readEnd(value: unknown): End {
  const { whole, waitsFor } = Object(value) as Partial<End>;
  const known = [...NAMES_OF_READINESS, 'changes'].find((name) => name === waitsFor);
  return { whole: whole !== false, waitsFor: known ?? '' };
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageDocument extends AnimatedPage {
  defaultView: PageWindow | null;
}
interface PageWindow {
  document: PageDocument;
  [key: symbol]: unknown;
}
declare const finishAnimations: typeof Finish;
declare const readiness: typeof Readiness;
declare const document: PageDocument;
declare const window: PageWindow;
declare const Document: { prototype: { querySelectorAll(selector: string): Iterable<{ contentDocument: PageDocument | null }> } };

interface Wait extends EndOptions {
  time: string;
  observers: string;
  quietMs: number;
  maxRounds: number;
}

/** Of the document and of the frames that can be looked into. */
function windowsOf(page: PageDocument, depth = 0): PageWindow[] {
  const frames = depth < 5 ? [...Document.prototype.querySelectorAll.call(page, 'iframe, frame')] : [];
  const inner = frames.map(({ contentDocument }) => contentDocument).filter((each) => each !== null);
  const own = page.defaultView ? [page.defaultView] : [];
  return [...own, ...inner.flatMap((each) => windowsOf(each, depth + 1))];
}

function nextFrame({ setTimeout, requestAnimationFrame, Promise: NativePromise }: PageTime['native']): Promise<void> {
  return new NativePromise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, 100); // where none comes
  });
}

/** What is due, once; then what is shown and finished of one window. Undefined where not all of it could be run. */
async function moveWindow(page: PageWindow, { waits, time, observers }: Wait, isFirst: boolean): Promise<number | undefined> {
  const clock = page[Symbol.for(time)] as PageTime | undefined;
  const isDue = clock?.isDue(waits) ?? false;
  if (isDue && !(await clock?.forward(waits))) return undefined;
  const shown = (page[Symbol.for(observers)] as ShowAll | undefined)?.() ?? 0;
  return Number(isDue && isFirst) + shown + finishAnimations(page.document);
}

/** Until nothing that came of it moves any more. Whether all of it could be run. */
async function runForward({ native }: PageTime, wait: Wait): Promise<boolean> {
  for (let round = 0; round < wait.maxRounds; round++) {
    let moved = 0;
    for (const page of windowsOf(document)) {
      const more = await moveWindow(page, wait, round === 0);
      if (more === undefined) return false;
      moved += more;
    }
    if (!moved) return true;
    await nextFrame(native);
  }
  return true;
}

/** Asked again and again: the milliseconds since the document last changed. */
function watchChanges({ MutationObserver, now }: PageTime['native']): { quietMs(): number; end(): void } {
  let changedAt = now();
  const observer = new MutationObserver(() => {
    changedAt = now();
  });
  observer.observe(document, { childList: true, characterData: true, subtree: true });
  return { quietMs: () => now() - changedAt, end: () => observer.disconnect() };
}

async function awaitEnd(wait: Wait): Promise<End> {
  const time = window[Symbol.for(wait.time)] as PageTime;
  const { now } = time.native;
  const waitsFor = wait.waits ? readiness() : () => undefined;
  const changes = watchChanges(time.native);
  const isRestless = () => wait.waits && changes.quietMs() < wait.quietMs;
  try {
    const readyBy = now() + wait.readyMs;
    while (waitsFor() && now() < readyBy) await nextFrame(time.native);
    for (let frame = 0; frame < 2; frame++) await nextFrame(time.native); // what is observed is told by then
    if (wait.finishes && !(await runForward(time, wait))) return { whole: false, waitsFor: '' };
    const restlessBy = now() + wait.restlessMs;
    while (isRestless() && now() < restlessBy) await nextFrame(time.native);
    return { whole: true, waitsFor: waitsFor() ?? (isRestless() ? 'changes' : '') };
  } finally {
    changes.end();
  }
}
