/** Which errors are retried, and which are reported to the operator. */
import { expect, test } from 'vitest';
import { isServiceFault, isTransient } from '../../src/batches/retries.ts';
import { type ErrorCode, ServiceError } from '../../src/errors.ts';

test.each<[ErrorCode, boolean, boolean]>([
  ['timestamp_failed', true, true],
  ['revocation_failed', true, false],
  ['secret_key_missing', true, true],
  ['storage_failed', true, true],
  ['queue_full', true, false],
  ['certificate_expired', false, false],
])('classifies %s (retried: %s, reported: %s)', (code, isRetried, isReported) => {
  const error = new ServiceError(code, 'x');
  expect([isTransient(error), isServiceFault(error)]).toEqual([isRetried, isReported]);
});
