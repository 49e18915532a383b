/** Reproducible random numbers, derived from the seed `PLATEN_TEST_CRASH_SEED` and from their purpose. */
import { randomInt } from 'node:crypto';
import { sha256 } from '../support/sha256.ts';

export const SEED = Number(process.env.PLATEN_TEST_CRASH_SEED) || randomInt(2 ** 31);

/** Returns the next number, from 0 to 1. */
export type Random = () => number;

/** mulberry32. */
export function randomOf(...path: number[]): Random {
  let state = Number.parseInt(sha256(Buffer.from([SEED, ...path].join())).slice(0, 8), 16);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}
