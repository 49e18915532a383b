/** Stops waiting for work that cannot be cancelled when the signal aborts, and rejects with its reason. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  work.catch(() => {}); // it may fail after nothing waits for it any more
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end));
}
