/** The Authorization header in, the principal out. Decided before the body is read; all ways to be wrong look the same. */
import type { FastifyRequest } from 'fastify';
import type { Accounts, Principal } from '../accounts/accounts.ts';
import { ServiceError } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that asks for a key. */
    principal?: Principal;
  }
}

/** A hook for `onRequest`. Throws `unauthorized`. */
export function authenticate(accounts: Accounts): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const secret = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const principal = secret && (await accounts.authenticate(secret));
    if (!principal) throw new ServiceError('unauthorized', 'send a valid API key as `Authorization: Bearer plt_...`');
    request.principal = principal;
  };
}

/** The principal of an authenticated request. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('this route does not authenticate its requests');
  return request.principal;
}
