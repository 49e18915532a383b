/**
 * Logs requests that failed because of the service: those with status 500, those whose storage failed, and those with a higher
 * status and a known cause.
 */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../errors.ts';
import { PROBLEMS } from './problem.ts';

export function logFailure(
  logger: Pick<FastifyBaseLogger, 'error' | 'info'>,
  request: FastifyRequest,
  problem: ServiceError,
): void {
  const { status } = PROBLEMS[problem.code];
  if (status === 500 || problem.code === 'storage_failed' || (status > 500 && problem.cause))
    logger.error({ err: problem.cause ?? problem, code: problem.code, request_id: request.id }, 'request failed');
}
