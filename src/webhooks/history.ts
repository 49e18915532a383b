/** The last attempts of a webhook, which its row keeps as JSON for its owner. */
import type { AttemptResult } from './attempt.ts';

export interface PastAttempt extends Pick<AttemptResult, 'status' | 'beginning' | 'error'> {
  startedAt: number;
  milliseconds: number;
}

const MAX_KEPT = 20;

/** Oldest first. */
export function readHistory(history: string | null): PastAttempt[] {
  return history === null ? [] : (JSON.parse(history) as PastAttempt[]);
}

export function addToHistory(history: string | null, attempt: PastAttempt): string {
  return JSON.stringify([...readHistory(history), attempt].slice(-MAX_KEPT));
}
