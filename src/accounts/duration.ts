/** Durations as people write them: `2s`, `30m`, `12h`, `1d`, `2w`, `1y` in, milliseconds out. */

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
/** Beyond it there are no dates to write. */
const MAX_MS = 1_000 * 365 * DAY;

/** Undefined for what is no duration, and for more than 1000 years. `0` needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, number = '', unit = ''] = SHAPE.exec(text) ?? [];
  const milliseconds = Number(number) * (UNITS[unit] ?? Number.NaN);
  return milliseconds <= MAX_MS ? milliseconds : undefined;
}
