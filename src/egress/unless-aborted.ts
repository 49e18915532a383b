/** Work that cannot be ended, given up. Rejects with the reason of the signal. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  work.catch(() => {}); // it may fail after it was given up
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end));
}
