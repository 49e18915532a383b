/** Lets pages of the origins that the operator names call the API (CORS): their origins in, headers and answers to preflight requests out. */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const MAX_AGE_SECONDS = 600;
/** Metrics, health and the pages of the service itself are not for other origins. */
const SHARED = /^\/(?:v1|links)\//;

/** Keys are sent in a header that the page sets. The session cookie is for the pages of this service, so that no credentials are allowed. */
const HEADERS = {
  credentials: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    ...['Accept', 'Authorization', 'Content-Type', 'Content-Encoding', 'Idempotency-Key', 'Prefer'],
    ...['If-Match', 'If-None-Match', 'If-Range', 'Range', 'Last-Event-ID'],
  ],
  exposedHeaders: [
    ...['Accept-Ranges', 'Allow', 'Content-Disposition', 'Content-Length', 'Content-Range', 'ETag', 'Idempotency-Replayed'],
    ...['Location', 'Platen-Document-Id', 'Platen-Pages', 'Platen-Quota-Remaining', 'Platen-Warnings', 'Preference-Applied'],
    ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'Server-Timing', 'X-Request-Id'],
  ],
  maxAge: MAX_AGE_SECONDS,
};

/** Call it before routes are registered, and before requests are authenticated: a preflight request has no key. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (!origins.length) return;
  await app.register(cors, {
    delegator: async (request: FastifyRequest) => ({ ...HEADERS, origin: allowedOrigin(request, origins) ?? false }),
  });
}

function allowedOrigin({ method, url, headers }: FastifyRequest, origins: readonly string[]): string | undefined {
  const isPlainOptions = method === 'OPTIONS' && headers['access-control-request-method'] === undefined;
  if (!SHARED.test(url) || isPlainOptions) return undefined;
  return origins.find((origin) => origin === headers.origin);
}
