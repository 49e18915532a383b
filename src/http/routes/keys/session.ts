/** `/v1/session`: signs the pages of this service in with a key, and out. They then call the API with a cookie. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../errors.ts';
import { readBearer, requirePrincipal } from '../../server/authenticate.ts';
import { getAndHead } from '../../server/get-and-head.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import { clearSessionCookie, isFromOwnPage, readSessionId, setSessionCookie } from '../../server/session-cookie.ts';
import type { RouteServices } from '../services.ts';

/** It is for the pages, and no part of the API for programs. */
const HIDDEN = { schema: { hide: true } };
const CONFIG = { needsNoScope: true, bodyOptional: true };

export function sessionRoutes(app: FastifyInstance, { accounts }: RouteServices): void {
  /** What the key of the session is. A key of any scope may know this about itself. */
  const describe = async (request: FastifyRequest) => {
    const { keyId, accountId, scopes, isTest, isAdministrator = false } = requirePrincipal(request);
    const { name } = await accounts.keys.find(keyId, keyId);
    return { key_id: keyId, account_id: accountId, name, scopes, test: isTest, administrator: isAdministrator };
  };

  /** A cookie cannot begin a session, so that an id from elsewhere is never taken over. */
  const config = { ...RATE_LIMITED, ...CONFIG, secretOf: readBearer };
  app.post('/v1/session', { ...HIDDEN, config }, async (request, reply) => {
    const secret = readBearer(request);
    if (secret === undefined) throw new Error('the request was authenticated without a key');
    if (!isFromOwnPageOrProgram(request))
      throw new ServiceError('unauthorized', 'only a page of this service can begin a session');
    const replaced = readSessionId(request);
    if (replaced) await accounts.sessions.end(replaced);
    setSessionCookie(request, reply, await accounts.sessions.begin(requirePrincipal(request).keyId, secret));
    return reply.code(201).send(await describe(request));
  });

  getAndHead(app, '/v1/session', { ...HIDDEN, config: CONFIG }, describe);
}

/** Outside of the routes that need a key: the one of the session may be revoked, or its account suspended. */
export function signOutRoute(app: FastifyInstance, { accounts }: RouteServices): void {
  app.delete('/v1/session', { ...HIDDEN, config: CONFIG }, async (request, reply): Promise<FastifyReply> => {
    if (!isFromOwnPage(request)) throw new ServiceError('unauthorized', 'only a page of this service can end a session');
    const id = readSessionId(request);
    if (id) await accounts.sessions.end(id);
    clearSessionCookie(request, reply);
    return reply.code(204).send();
  });
}

/** A program sends neither header. */
function isFromOwnPageOrProgram(request: FastifyRequest): boolean {
  const { headers } = request;
  return (headers['sec-fetch-site'] ?? headers.origin) === undefined || isFromOwnPage(request);
}
