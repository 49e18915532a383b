/** Retry rules for errors that the item did not cause: which errors are retried, how often, and after which pause. */
import { type ErrorCode, hasCode, type ServiceError } from '../errors.ts';

/** Errors that are temporary and not caused by the item. */
const TRANSIENT: readonly ErrorCode[] = [
  'queue_full',
  'concurrency_limited',
  'browser_unavailable',
  'storage_failed',
  'secret_key_missing',
  'timestamp_failed',
  'revocation_failed',
];
/** After this many attempts, the item fails with the error. */
export const MAX_ATTEMPTS = 10;
/** An item that was claimed this often without an outcome may be crashing the service. */
export const MAX_CLAIMS = 50;
const FIRST_PAUSE_MS = 500;
export const MAX_PAUSE_MS = 30_000;

/** Whether the error is temporary. A render that timed out while it was still queued counts as well. */
export function isTransient({ code, members }: ServiceError): boolean {
  return TRANSIENT.includes(code) || (code === 'render_timeout' && members.phase === 'queue');
}

/** Whether the error is a fault of the service and goes to the log. */
export function isServiceFault(error: ServiceError): boolean {
  return hasCode(error, 'internal_error', 'browser_unavailable', 'storage_failed', 'secret_key_missing', 'timestamp_failed');
}

export function pauseAfter(attempts: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 10));
}
