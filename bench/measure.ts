/** Closed loops and their statistics. */

export interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  count: number;
}

/** Runs `work` in `workers` loops for `seconds`. Each worker gets its own context from `setUp`. */
export async function closedLoop<C>(
  workers: number,
  seconds: number,
  setUp: () => Promise<C>,
  work: (context: C) => Promise<void>,
): Promise<Figures> {
  const contexts = await Promise.all(Array.from({ length: workers }, setUp));
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    contexts.map(async (context) => {
      while (performance.now() < end) {
        const startedAt = performance.now();
        await work(context);
        latencies.push(performance.now() - startedAt);
      }
    }),
  );
  return figures(latencies, performance.now() - start);
}

export function figures(latencies: number[], elapsedMs: number): Figures {
  return {
    perSecond: (latencies.length / elapsedMs) * 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    count: latencies.length,
  };
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}
