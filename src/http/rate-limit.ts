/** How often an account may ask for work: its plan's requests a minute, counted by a library, refused as our own 429. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { principalOf } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts towards the requests a minute of the plan: what renders, or works through a template. */
    rateLimited?: boolean;
  }
}

const WINDOW_MS = 60_000;
/** Accounts counted at one time; those that asked longest ago are forgotten first. */
const MAX_ACCOUNTS = 100_000;

/** For the `config` of a route. */
export const RATE_LIMITED = { rateLimited: true };

/** One count for all such routes together. To be registered after authentication. */
export async function limitRates(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    timeWindow: WINDOW_MS,
    cache: MAX_ACCOUNTS,
    max: (request: FastifyRequest) => principalOf(request).plan.requestsPerMinute ?? Number.MAX_SAFE_INTEGER,
    allowList: (request: FastifyRequest) => principalOf(request).plan.requestsPerMinute === null,
    keyGenerator: (request: FastifyRequest) => principalOf(request).accountId,
    enableDraftSpec: true,
    errorResponseBuilder: (_request, { max, ttl }) => refused(max, Math.max(1, Math.ceil(ttl / 1000))),
  });
  const count = app.rateLimit();
  app.addHook('onRequest', async function (request, reply) {
    if (request.routeOptions.config.rateLimited) await count.call(this, request, reply);
  });
}

function refused(limit: number, seconds: number): ServiceError {
  return new ServiceError(
    'rate_limited',
    `your plan allows ${limit} renders and template uploads a minute; try again in ${seconds} s`,
    {
      retryAfterSeconds: seconds,
      members: { limit, retry_after: seconds },
    },
  );
}
