/** Takes control of the time of a window, before any script of its document runs. */
import type { WindowClock } from '../../dom/prepared-window.ts';
import { createClock } from './clock.ts';
import { collectImages, watchLoads } from './load-watch.ts';
import { isDue, runForward } from './passes.ts';
import { replaceClocks, replaceFrames, replaceTimers } from './timers.ts';
import { watchWork } from './work.ts';

/** How long work is pending after a message handler has sent a message. A worker has answered by then. */
const CHAIN_MS = 20;

export function controlTime(): WindowClock {
  const clock = createClock();
  const { native, nextTask } = clock;
  replaceClocks(clock);
  replaceTimers(clock);
  replaceFrames(clock);
  const isTicking = () => clock.isForward && clock.ticking > 0;
  watchWork(clock, { now: native.now, isTicking, nextTask });
  const images = collectImages();
  let isMoving = false;
  preventNavigation(() => isMoving);
  return Object.freeze({
    native,
    async forward(withTimers: boolean) {
      isMoving = true;
      try {
        return await runForward(clock, withTimers, watchLoads(images));
      } finally {
        isMoving = false;
      }
    },
    isDue: (withTimers: boolean) => isDue(clock, withTimers),
    isPending: () => clock.pending + clock.parts > 0 || native.now() < clock.chainedAt + CHAIN_MS,
    isTicking,
    sent: () => clock.sent,
  });
}

/** Prevents navigations while time is run forward. */
function preventNavigation(isMoving: () => boolean): void {
  window.navigation?.addEventListener('navigate', (event) => {
    if (isMoving() && !event.destination.sameDocument) event.preventDefault();
  });
}
