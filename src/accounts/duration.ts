/** Parses durations: `2s`, `30m`, `12h`, `1d`, `2w` or `1y` in, milliseconds out. */

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
/** A year is 365 days. */
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND,
  m: 60 * SECOND,
  h: 3_600 * SECOND,
  d: DAY,
  w: 7 * DAY,
  y: 365 * DAY,
};
const SHAPE = /^(\d{1,9}) ?(ms|s|m|h|d|w|y)$/;
/** Longer durations would lead to dates that cannot be represented. */
const MAX_MS = 1_000 * 365 * DAY;

/** Returns undefined for an invalid duration and for more than 1,000 years. `0` needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, number = '', unit = ''] = SHAPE.exec(text) ?? [];
  const milliseconds = Number(number) * (UNITS[unit] ?? Number.NaN);
  return milliseconds <= MAX_MS ? milliseconds : undefined;
}

/** The duration in the largest unit that gives a whole number, such as `12h`. */
export function formatDuration(milliseconds: number): string {
  const [unit = 'ms', length = 1] = Object.entries(UNITS).findLast(([, each]) => milliseconds % each === 0) ?? [];
  return `${milliseconds / length}${unit}`;
}
