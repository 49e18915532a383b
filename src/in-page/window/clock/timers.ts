/** Replaces the clocks, timers and animation frames of a window, so that it is known which of them are due. */
import { apply, type Call, construct, replace } from '../../dom/built-ins.ts';
import { type AwaitedCallback, type Clock, type Timer, tick } from './clock.ts';

/** How far one pass runs forward. Timers with a longer delay are left alone. */
export const PASS_MS = 3_000;
/**
 * Minimum delay of a timer that a timer sets, and minimum period of an interval.
 * https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html#timer-initialisation-steps
 */
const NESTED_MS = 4;
/** How long an idle callback may take (https://w3c.github.io/requestidlecallback/#the-timeremaining-method). */
const IDLE_MS = 50;

export function replaceClocks(clock: Clock): void {
  replace(Performance.prototype, 'now', (now) => (now() as number) + clock.aheadMs);
  const { Date: NativeDate } = window as unknown as { Date: DateConstructor };
  replace(NativeDate, 'now', (now) => Math.floor((now() as number) + clock.aheadMs));
  const { now } = NativeDate;
  const ours = new Proxy(NativeDate, {
    construct: (native, args, target) => construct(native, args.length ? args : [now()], target),
    apply: (native) => `${new native(now())}`,
  });
  NativeDate.prototype.constructor = ours;
  globalThis.Date = ours;
}

export function replaceTimers(clock: Clock): void {
  const { timers } = clock;
  const now = () => clock.native.now() + clock.aheadMs;
  for (const name of ['setTimeout', 'setInterval']) {
    replace(window, name, (native, _, given) => {
      const [handler, delay, ...args] = given;
      const delayMs = Math.max(clock.isNested ? NESTED_MS : 0, (delay as number) | 0);
      if (typeof handler !== 'function' || delayMs > PASS_MS) return native(...given);
      const repeats = name === 'setInterval';
      const timer: Timer = {
        handler: handler as Call,
        args,
        dueMs: now() + delayMs,
        everyMs: repeats ? Math.max(NESTED_MS, delayMs) : undefined,
      };
      const id = native(() => {
        if (repeats) timer.dueMs = now() + (timer.everyMs ?? 0);
        else timers.delete(id);
        tick(clock, () => apply(handler, window, args));
      }, delayMs) as number;
      timers.set(id, timer);
      return id;
    });
  }
  for (const name of ['clearTimeout', 'clearInterval']) {
    replace(window, name, (native, _, given) => {
      timers.delete(Number(given[0]));
      return native(...given);
    });
  }
}

export function replaceFrames(clock: Clock): void {
  const { now } = clock.native;
  replaceCallbacks(clock, 'requestAnimationFrame', 'cancelAnimationFrame', (stamp) => [stamp]);
  replaceCallbacks(clock, 'requestIdleCallback', 'cancelIdleCallback', () => {
    const begun = now();
    return [{ didTimeout: false, timeRemaining: () => Math.max(0, begun + IDLE_MS - now()) }];
  });
}

function replaceCallbacks(clock: Clock, request: string, cancel: string, args: AwaitedCallback['args']): void {
  const { frames } = clock;
  const { [cancel]: revokeNative } = window as unknown as Record<string, Call>;
  replace(window, request, (native, _, given) => {
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
  replace(window, cancel, (native, _, given) => {
    frames.delete(`${request} ${Number(given[0])}`);
    return native(...given);
  });
}
