/** Measures how long the event loop is blocked, which answers all requests. Each delay is reported once, however long it was. */

const INTERVAL_MS = 100;

/** Returns the function that ends it. */
export function watchEventLoopDelay(observeSeconds: (seconds: number) => void): () => void {
  let dueMs = performance.now() + INTERVAL_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    observeSeconds(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + INTERVAL_MS;
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
