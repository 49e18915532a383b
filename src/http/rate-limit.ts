/** How often somebody may ask for work in a minute, counted by a library, refused as our own 429. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { principalOf } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts towards the requests a minute: what renders, or works through a template. */
    rateLimited?: boolean;
  }
}

interface Rate {
  keyOf(request: FastifyRequest): string;
  /** Requests a minute; null: no limit. */
  limitOf(request: FastifyRequest): number | null;
  /** Says that the limit is reached: "... 60 ... a minute". */
  refusal(limit: number): string;
}

const WINDOW_MS = 60_000;
/** Accounts, or visitors, counted at one time; those that asked longest ago are forgotten first. */
const MAX_COUNTED = 100_000;

/** For the `config` of a route. */
export const RATE_LIMITED = { rateLimited: true };

/** By the plan of the account. To be registered after authentication. */
export async function limitRates(app: FastifyInstance): Promise<void> {
  await limit(app, {
    keyOf: (request) => principalOf(request).accountId,
    limitOf: (request) => principalOf(request).plan.requestsPerMinute,
    refusal: (most) => `your plan allows ${most} renders and template uploads a minute`,
  });
}

/** By who sends the request, where no key is asked for. */
export async function limitVisitors(
  app: FastifyInstance,
  perMinute: number,
  visitorOf: (request: FastifyRequest) => string,
): Promise<void> {
  await limit(app, {
    keyOf: visitorOf,
    limitOf: () => perMinute,
    refusal: (most) => `the playground allows ${most} renders a minute`,
  });
}

/** One count for all such routes of `app` together. */
async function limit(app: FastifyInstance, { keyOf, limitOf, refusal }: Rate): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    timeWindow: WINDOW_MS,
    cache: MAX_COUNTED,
    max: (request: FastifyRequest) => limitOf(request) ?? Number.MAX_SAFE_INTEGER,
    allowList: (request: FastifyRequest) => limitOf(request) === null,
    keyGenerator: keyOf,
    enableDraftSpec: true,
    errorResponseBuilder: (_request, { max, ttl }) => refused(refusal(max), max, Math.max(1, Math.ceil(ttl / 1000))),
  });
  const count = app.rateLimit();
  app.addHook('onRequest', async function (request, reply) {
    if (request.routeOptions.config.rateLimited) await count.call(this, request, reply);
  });
}

function refused(what: string, limit: number, seconds: number): ServiceError {
  return new ServiceError('rate_limited', `${what}; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
    members: { limit, retry_after: seconds },
  });
}
