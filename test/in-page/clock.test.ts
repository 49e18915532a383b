/** The clock of a page, tested in a window that has only timers and animation frames. */
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { bundleEntry } from '../../tools/bundle-in-page.ts';

/** Controls the time of a window, and keeps its clock as `clock`. */
const CONTROL_TIME = await bundleEntry(new URL('controlled-window.ts', import.meta.url));

/** The members of `WindowClock` that are tested. */
interface WindowClock {
  forward(withTimers: boolean): Promise<boolean>;
  isDue(withTimers: boolean): boolean;
  isPending(): boolean;
}

interface Window {
  /** Evaluates a script of the document. */
  run(source: string): unknown;
  clock: WindowClock;
  /** The values passed to `say`. */
  values: unknown[];
  reported: unknown[];
}

/** Opens a window whose time stands still. Timers and frames run only when the clock is moved forward. */
function openWindow({ isSynchronous = false } = {}): Window {
  const values: unknown[] = [];
  const reported: unknown[] = [];
  let [timers, frames] = [0, 0];
  class Performance {
    now() {
      return 1_000;
    }
  }
  class XMLHttpRequest extends EventTarget {
    /** A synchronous request has ended when this returns. */
    send() {
      if (isSynchronous) this.dispatchEvent(new Event('loadend'));
    }
  }
  const globals = {
    Performance,
    performance: new Performance(),
    XMLHttpRequest,
    MutationObserver: class {},
    Document: class {},
    document: {},
    EventTarget,
    MessageChannel,
    queueMicrotask,
    setTimeout: () => ++timers,
    setInterval: () => ++timers,
    MessagePort,
    Image: class {},
    clearTimeout: () => {},
    clearInterval: () => {},
    requestAnimationFrame: () => ++frames,
    cancelAnimationFrame: () => {},
    fetch: () => new Promise(() => {}),
    reportError: (error: unknown) => reported.push(error),
    say: (...words: unknown[]) => values.push(...words),
  };
  const context = createContext(globals);
  const run = (source: string) => runInContext(source, context);
  run('globalThis.window = globalThis');
  run(CONTROL_TIME);
  run(
    'const since = (() => { const begun = [performance.now(), Date.now()]; return () => [performance.now() - begun[0], Date.now() - begun[1]] })()',
  );
  return { run, values, reported, clock: run('clock') as WindowClock };
}

describe('timers', () => {
  test('run in the order in which they are due, each at its time', async () => {
    const { run, clock, values } = openWindow();
    run('for (const ms of [2000, 500, 1000]) setTimeout((word) => say(word, ...since()), ms, "after " + ms)');
    expect(await clock.forward(true)).toBe(true);
    expect(values.filter((word) => typeof word === 'string')).toEqual(['after 500', 'after 1000', 'after 2000']);
    const clocks = values.filter((word) => typeof word === 'number');
    for (const [n, due] of [500, 500, 1000, 1000, 2000, 2000].entries()) expect(clocks[n]).toBeGreaterThanOrEqual(due - 2);
  });

  test('run when timers start them, if they are due within three seconds', async () => {
    const { run, clock, values } = openWindow();
    run(
      'const again = (n) => { say(n); setTimeout(again, 1000, n + 1) }; setTimeout(again, 900, 1); setTimeout(say, 60000, "much later")',
    );
    await clock.forward(true);
    expect(values).toEqual([1, 2, 3]);
  });

  test('run repeatedly as intervals until they are cleared', async () => {
    const { run, clock, values } = openWindow();
    run(
      'let n = 0; setInterval(() => say("slow"), 1100); const id = setInterval(() => { say("quick"); if (++n === 3) clearInterval(id) }, 100)',
    );
    await clock.forward(true);
    expect(values).toEqual(['quick', 'quick', 'quick', 'slow', 'slow']);
  });

  test('do not run after they were cleared', async () => {
    const { run, clock, values } = openWindow();
    run('clearTimeout(setTimeout(say, 100, "x")); const id = setTimeout(say, 300, "y"); setTimeout(() => clearTimeout(id), 200)');
    await clock.forward(true);
    expect(values).toEqual([]);
  });

  test('do not run if they navigate away', async () => {
    const { run, clock, values } = openWindow();
    run(
      'setTimeout(() => { say("left"); location.href = "/next" }, 1000); setTimeout(function () { say("left"); document.forms[0].submit() }, 1000)',
    );
    expect(clock.isDue(true)).toBe(false);
    await clock.forward(true);
    expect(values).toEqual([]);
  });

  test('run if they only mention the location', async () => {
    const { run, clock, values } = openWindow();
    run('var location = { hash: "#7" }, history = { length: 1 }; setTimeout(() => say(location.hash, history.length), 300)');
    expect(await clock.forward(true)).toBe(true);
    expect(values).toEqual(['#7', 1]);
  });

  test('leave time to the work they wait for if they poll continuously', async () => {
    const { run, clock } = openWindow();
    run(
      'var done, drawn; (function wait() { if (done) drawn = true; else setTimeout(wait, 0) })(); setInterval(() => {}, 1); setTimeout(() => { done = true }, 1000)',
    );
    expect(await clock.forward(true)).toBe(true);
    expect(run('drawn')).toBe(true);
  });

  test('do not run where only frames run', async () => {
    const { run, clock, values } = openWindow();
    run('setTimeout(say, 100, "timer"); requestAnimationFrame(() => say("frame"))');
    await clock.forward(false);
    expect(values).toEqual(['frame']);
  });

  test('report their errors, and the next one runs', async () => {
    const { run, clock, values, reported } = openWindow();
    run('setTimeout(() => { throw "thrown" }, 10); setTimeout(say, 20, "next")');
    await clock.forward(true);
    expect(values).toEqual(['next']);
    expect(reported).toEqual(['thrown']);
  });

  test('are limited if they never stop', async () => {
    const { run, clock } = openWindow();
    run('let calls = 0; const on = () => { calls++; setTimeout(on); setTimeout(on) }; on()');
    expect(await clock.forward(true)).toBe(true);
    expect(run('calls')).toBeLessThan(1_100);
  });
});

describe('frames', () => {
  test('get increasing timestamps, up to three seconds', async () => {
    const { run, clock, values } = openWindow();
    run(
      'const begun = performance.now(); const draw = (stamp) => { say(stamp - begun); if (stamp - begun < 2000) requestAnimationFrame(draw) }; requestAnimationFrame(draw)',
    );
    await clock.forward(true);
    const stamps = values as number[];
    expect(stamps).toEqual(stamps.toSorted((one, other) => one - other));
    expect(stamps[0]).toBeGreaterThanOrEqual(300);
    expect(stamps.at(-1)).toBeGreaterThanOrEqual(2_000);
    for (const [n, stamp] of stamps.entries()) expect(stamp - (stamps[n - 1] ?? 0)).toBeLessThan(500); // libraries treat a longer gap as a suspended page
    expect(clock.isDue(true)).toBe(false);
  });

  test('finish an animation that counts frames instead of time', async () => {
    const { run, clock } = openWindow();
    run('let left = 120; const draw = () => { if (--left) requestAnimationFrame(draw) }; draw()');
    expect(await clock.forward(true)).toBe(true);
    expect(run('left')).toBe(0);
  });

  test('stop after a few hundred if they never end', async () => {
    const { run, clock } = openWindow();
    run('let calls = 0; const draw = () => { calls++; requestAnimationFrame(draw) }; draw()');
    for (let pass = 0; pass < 10; pass++) expect(await clock.forward(true)).toBe(true);
    expect(run('calls')).toBe(1 + 3 * 10 + 300);
  });

  test('do not run after they were cancelled', async () => {
    const { run, clock, values } = openWindow();
    run(
      'cancelAnimationFrame(requestAnimationFrame(() => say("x"))); requestAnimationFrame(() => cancelAnimationFrame(id)); const id = requestAnimationFrame(() => say("y"))',
    );
    await clock.forward(true);
    expect(values).toEqual([]);
  });
});

describe('a request that starts meanwhile', () => {
  test.each(['fetch("/x")', 'new XMLHttpRequest().send()'])('delays later timers (%s)', async (request) => {
    const { run, clock, values } = openWindow();
    run(`setTimeout(() => { say("asked"); ${request} }, 500); setTimeout(say, 1000, "too late")`);
    expect(await clock.forward(true)).toBe(false);
    expect(values).toEqual(['asked']);
    expect(await clock.forward(true)).toBe(true); // called again after the request has ended or timed out
    expect(values).toEqual(['asked', 'too late']);
  });
});

test.each([true, false])('is pending until it ends, even if that is before the call returns (%s)', (isSynchronous) => {
  const { run, clock } = openWindow({ isSynchronous });
  run('new XMLHttpRequest().send()');
  expect(clock.isPending()).toBe(!isSynchronous);
});

test('replacement functions look like the original ones', () => {
  const { run } = openWindow();
  expect(
    run('[new Date().constructor === Date, new Date(0).getTime(), typeof Date(), new (class extends Date {})(5).getTime()]'),
  ).toEqual([true, 0, 'string', 5]);
  expect(run('[setTimeout, fetch, Date, performance.now].map((each) => typeof each)')).toEqual(Array(4).fill('function'));
  expect(run('String(Date)')).toContain('[native code]');
});
