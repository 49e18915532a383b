/**
 * Turns the Authorization header into a principal before the body is read, or the session cookie of a page of this service if there
 * is no such header. All invalid keys and sessions get the same answer.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts, Principal } from '../../accounts/accounts.ts';
import { ServiceError } from '../../errors.ts';
import { OWN_PAGES_ONLY, readSessionId } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that requires a key. */
    principal?: Principal;
  }
  interface FastifyContextConfig {
    /** Finds the key of a request on routes that accept it elsewhere than in `Authorization: Bearer`. They accept no session. */
    secretOf?: (request: FastifyRequest) => string | undefined;
  }
}

/** The detail of the error for a request without a valid key. */
export const KEY_NEEDED = 'send a valid API key as `Authorization: Bearer plt_...`';

/** A hook for `onRequest`. Throws `unauthorized`. */
export function authenticate(accounts: Accounts): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const principal = await findPrincipal(accounts, request, reply);
    if (!principal) throw new ServiceError('unauthorized', KEY_NEEDED);
    request.principal = principal;
    Object.assign(request.workLog?.origin ?? {}, { key_id: principal.keyId, account_id: principal.accountId });
  };
}

async function findPrincipal(accounts: Accounts, request: FastifyRequest, reply: FastifyReply): Promise<Principal | undefined> {
  const { secretOf } = request.routeOptions.config;
  if (secretOf || request.headers.authorization !== undefined) {
    const secret = (secretOf ?? readBearer)(request);
    return secret ? accounts.authenticate(secret) : undefined;
  }
  const session = readSessionId(request);
  if (session === undefined) return undefined;
  reply.headers(OWN_PAGES_ONLY);
  return accounts.authenticateSession(session);
}

export function readBearer({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

export function requirePrincipal(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('this route does not authenticate its requests');
  return request.principal;
}
