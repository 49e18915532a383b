/** Returns unused memory to the system. V8 alone would wait until it needs memory itself. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ByteBudget } from '../../queue/byte-budget.ts';

const INTERVAL_MS = 15_000;
/** A collection takes about 50 ms, and is not worth it for less than this. */
const WORTH_IT_BYTES = 64 * 1_048_576;

export function releaseUnusedMemory(budgets: ByteBudget[]): void {
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

/** Calls the function that Node hides without `--expose-gc`. Contexts that are created after the flag is set have it. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
