/** Finds the valid name that a misspelt one is likely to mean. */
import { closest, distance } from 'fastest-levenshtein';

/** A similar name is suggested if at most this share of its letters differs. */
const NEAR = 0.5;

/** The known name that `name` is likely to mean, if any. */
export function nearest(name: string, known: string[]): string | undefined {
  const given = name.slice(0, 64);
  const exact = known.find((candidate) => candidate.toLowerCase() === given.toLowerCase());
  if (exact) return exact;
  const near = closest(given, known);
  return distance(given, near) <= NEAR * near.length ? near : undefined;
}
