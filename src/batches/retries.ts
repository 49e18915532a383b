/** Faults that are not an item's own: which pass, how often an item is tried, and when again. */
import { type ErrorCode, hasCode, type ServiceError } from '../errors.ts';

/** What is not the item's fault and passes. */
const PASSING: readonly ErrorCode[] = [
  'queue_full',
  'concurrency_limited',
  'browser_unavailable',
  'storage_failed',
  'secret_key_missing',
  'timestamp_failed',
  'revocation_failed',
];
/** An item that meets such a fault so many times fails with it. */
export const MAX_ATTEMPTS = 10;
/** An item that was taken up so many times, and never ended, may be what ends the service. */
export const MAX_CLAIMS = 50;
const FIRST_PAUSE_MS = 500;
export const MAX_PAUSE_MS = 30_000;

/** A render that was waiting still when its time was over may be luckier. */
export function passes({ code, members }: ServiceError): boolean {
  return PASSING.includes(code) || (code === 'render_timeout' && members.phase === 'queue');
}

/** What the log is told of. */
export function isOurs(error: ServiceError): boolean {
  return hasCode(error, 'internal_error', 'browser_unavailable', 'storage_failed', 'secret_key_missing', 'timestamp_failed');
}

export function pauseAfter(attempts: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10));
}
