/** Work with a limit of time that V8 itself keeps: a process whose service was killed does not work on for ever. */
import { Script } from 'node:vm';

const CALL = new Script('work()');

/** Throws ERR_SCRIPT_EXECUTION_TIMEOUT, and what `work` throws. */
export function runWithin<T>(timeout: number, work: () => T): T {
  Object.assign(globalThis, { work });
  return CALL.runInThisContext({ timeout });
}
