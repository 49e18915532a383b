/** Gives memory back to the system when requests that held much of it are over: V8 alone waits until it needs some for itself. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ByteBudget } from '../queue/byte-budget.ts';

/** A collection takes some 50 ms: not between two requests, and not while others are coming. */
const QUIET_MS = 5_000;

export function giveBackMemory(budget: ByteBudget): void {
  let timer: NodeJS.Timeout | undefined;
  budget.watchQuiet(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (budget.isQuiet) collectGarbage();
    }, QUIET_MS).unref();
  });
}

/** The function that Node hides without --expose-gc: contexts made from now on have it. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
