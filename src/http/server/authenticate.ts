/** Turns the Authorization header into a principal before the body is read. All invalid keys get the same answer. */
import type { FastifyRequest } from 'fastify';
import type { Accounts, Principal } from '../../accounts/accounts.ts';
import { ServiceError } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that requires a key. */
    principal?: Principal;
  }
  interface FastifyContextConfig {
    /** Finds the key of a request on routes that accept it elsewhere than in `Authorization: Bearer`. */
    secretOf?: (request: FastifyRequest) => string | undefined;
  }
}

/** The detail of the error for a request without a valid key. */
export const KEY_NEEDED = 'send a valid API key as `Authorization: Bearer plt_...`';

/** A hook for `onRequest`. Throws `unauthorized`. */
export function authenticate(accounts: Accounts): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { secretOf = readBearer } = request.routeOptions.config;
    const secret = secretOf(request);
    const principal = secret && (await accounts.authenticate(secret));
    if (!principal) throw new ServiceError('unauthorized', KEY_NEEDED);
    request.principal = principal;
    Object.assign(request.workLog?.origin ?? {}, { key_id: principal.keyId, account_id: principal.accountId });
  };
}

export function readBearer({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

export function requirePrincipal(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('this route does not authenticate its requests');
  return request.principal;
}
