/** Closed loops and their statistics, and the rows of results. */

/** One result. */
export interface Row {
  measure: string;
  value: string;
  /** Absent if the figure is only shown. */
  target?: string;
  met?: boolean;
  figures: Record<string, unknown>;
}

/** A document of a scenario that `--against` renders with two trees. */
export interface Comparison {
  name: string;
  body: object;
  /** Pairs of renders that are counted. */
  pairs: number;
}

export interface Figures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  renders: number;
}

/** Makes a row whose target is a limit of `limited`. */
export function rowWithLimit(
  measure: string,
  value: string,
  figures: Record<string, unknown>,
  {
    limited,
    most,
    least = Number.NEGATIVE_INFINITY,
    unit = '',
  }: { limited: number; most?: number; least?: number; unit?: string },
): Row {
  if (most === undefined) return { measure, value, target: `at least ${least}${unit}`, met: limited >= least, figures };
  return { measure, value, target: `at most ${most}${unit}`, met: limited <= most, figures };
}

/** Runs `work` in `workers` loops for `seconds`. */
export async function runClosedLoop(
  workers: number,
  seconds: number,
  work: (worker: number) => Promise<unknown>,
): Promise<Figures> {
  const latencies: number[] = [];
  const start = performance.now();
  const loop = async (_: unknown, worker: number) => {
    while (performance.now() < start + seconds * 1000) latencies.push(await time(() => work(worker)));
  };
  await Promise.all(Array.from({ length: workers }, loop));
  const perSecond = (latencies.length / (performance.now() - start)) * 1000;
  return { perSecond, p50Ms: median(latencies), p99Ms: quantile(latencies, 0.99), renders: latencies.length };
}

/** Calls the functions in turn, so that other load on the machine affects all of them, and returns the results of each. */
export async function alternate<Name extends string, Result>(
  rounds: number,
  ways: Record<Name, () => Promise<Result>>,
  { warmUp = 0 } = {},
): Promise<Record<Name, Result[]>> {
  const entries = Object.entries(ways) as Array<[Name, () => Promise<Result>]>;
  const results = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, way] of round % 2 ? entries.toReversed() : entries) {
      const result = await way();
      if (round >= 0) results[name].push(result);
    }
  }
  return results;
}

/** Returns milliseconds. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The arithmetic mean, for times that are counted in steps. */
export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

export function inMb(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
