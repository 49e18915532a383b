/** Locks that one tab of the browser holds at a time. Browsers have them only on https and localhost. */

/** Whether this browser has locks here. */
export const hasLocks = Boolean(navigator.locks);

/** Holds a lock until the tab is closed, or the returned function is called. Returns undefined if another tab holds it. */
export function holdLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    };
    void navigator.locks.request(name, { ifAvailable: true }, hold);
  });
}
