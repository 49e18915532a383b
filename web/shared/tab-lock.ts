/** Locks that one tab of the browser holds at a time. Browsers have them only on https and localhost. */

/** Whether this browser has locks here. */
export const hasLocks = Boolean(navigator.locks);

/**
 * Holds a lock until the tab is closed, or the returned function is called. Returns undefined if another tab holds it. With `waitMs`, it
 * waits so long for the page that this tab has just left.
 */
export function holdLock(name: string, waitMs?: number): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    };
    const options = waitMs === undefined ? { ifAvailable: true } : { signal: AbortSignal.timeout(waitMs) };
    navigator.locks.request(name, options, hold).catch(() => resolve(undefined));
  });
}
