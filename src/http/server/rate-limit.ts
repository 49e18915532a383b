/** Limits requests per minute. A library counts them; refusals are `ServiceError`s. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VisitorRequests } from '../../accounts/visitor-requests.ts';
import { ServiceError } from '../../errors.ts';
import { requirePrincipal } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests of this route count: those that render or parse a template do. */
    rateLimited?: boolean;
  }
}

interface Rate {
  keyOf(request: FastifyRequest): string;
  /** Requests per minute, or null for no limit. */
  limitOf(request: FastifyRequest): number | null;
  /** Returns the error text, which names the limit. */
  refusal(limit: number): string;
  /** Counts the requests that this node allows on all nodes. Undefined if there is only one. */
  allNodes?: VisitorRequests | undefined;
}

const WINDOW_MS = 60_000;
/** Number of accounts or visitors that are counted at the same time. The least recent one is forgotten first. */
const MAX_COUNTED = 100_000;

/** The `config` of a route whose requests count. */
export const RATE_LIMITED = { rateLimited: true };
/** The `config` of a route that renders. */
export const RENDERS = { ...RATE_LIMITED, isRender: true };

/** Applies the limit of the account's plan. Register it after authentication. */
export async function limitRates(app: FastifyInstance): Promise<void> {
  await limit(app, {
    keyOf: (request) => requirePrincipal(request).accountId,
    limitOf: (request) => requirePrincipal(request).plan.requestsPerMinute,
    refusal: (most) => `your plan allows ${most} renders and template uploads a minute`,
  });
}

/** Applies a limit to each visitor, on routes without a key. */
export async function limitVisitors(
  app: FastifyInstance,
  { perMinute, visitorOf, allNodes }: { perMinute: number; visitorOf: Rate['keyOf']; allNodes: VisitorRequests | undefined },
): Promise<void> {
  await limit(app, {
    keyOf: visitorOf,
    limitOf: () => perMinute,
    refusal: (most) => `the playground allows ${most} requests a minute`,
    allNodes,
  });
}

/** All routes of `app` share one count. */
async function limit(app: FastifyInstance, rate: Rate): Promise<void> {
  const { keyOf, limitOf, refusal } = rate;
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
    if (!request.routeOptions.config.rateLimited) return;
    await count.call(this, request, reply);
    await limitOnAllNodes(rate, request, reply);
  });
}

async function limitOnAllNodes({ keyOf, limitOf, refusal, allNodes }: Rate, request: FastifyRequest, reply: FastifyReply) {
  const most = limitOf(request);
  if (!allNodes || most === null) return;
  const { requests, endsInMs } = await allNodes.count(keyOf(request));
  const seconds = Math.max(1, Math.ceil(endsInMs / 1000));
  reply.header('ratelimit-remaining', Math.max(0, most - requests)).header('ratelimit-reset', seconds);
  if (requests > most) throw refused(refusal(most), most, seconds);
}

function refused(what: string, limit: number, seconds: number): ServiceError {
  return new ServiceError('rate_limited', `${what}; try again in ${seconds} s`, {
    retryAfterSeconds: seconds,
    members: { limit, retry_after: seconds },
  });
}
