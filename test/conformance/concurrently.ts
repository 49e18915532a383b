const CONCURRENCY = 3;

/** Works on a few items at a time. */
export async function concurrently<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const workThrough = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, workThrough));
}
