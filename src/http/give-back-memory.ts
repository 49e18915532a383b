/** Gives memory back to the system that no request holds: V8 alone waits until it needs some for itself. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ByteBudget } from '../queue/byte-budget.ts';

const INTERVAL_MS = 15_000;
/** A collection takes some 50 ms: not for less than this. */
const WORTH_IT_BYTES = 64 * 1_048_576;

export function giveBackMemory(budgets: ByteBudget[]): void {
  let least = process.memoryUsage.rss();
  setInterval(() => {
    const now = process.memoryUsage.rss();
    least = Math.min(least, now);
    const held = budgets.reduce((sum, budget) => sum + budget.held, 0);
    if (now < least + held + WORTH_IT_BYTES) return;
    collectGarbage();
    least = process.memoryUsage.rss();
  }, INTERVAL_MS).unref();
}

/** The function that Node hides without --expose-gc: contexts made from now on have it. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
