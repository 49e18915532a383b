/** Lowers the CPU priority of the calling thread below that of the main thread, so that finishing a PDF does not delay requests. */
import { setPriority } from 'node:os';

const FINISHING_NICENESS = 5;

/** On Linux, `setPriority` with id 0 applies to the calling thread. */
export function yieldToOthers(): void {
  try {
    setPriority(FINISHING_NICENESS);
  } catch {
    // The system does not allow it. Finishing works without it.
  }
}
