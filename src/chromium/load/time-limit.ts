/** Waits for work, but only for a time: a promise and milliseconds in, its value or another one out. */
export async function withinTime<T, O>(work: Promise<T>, milliseconds: number, otherwise: O): Promise<T | O> {
  const { promise, resolve } = Promise.withResolvers<O>();
  const timer = setTimeout(() => resolve(otherwise), Math.max(0, milliseconds));
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
