/** Checks that the key has the scope that its route requires, before the body is read. */
import type { FastifyRequest } from 'fastify';
import { includesScope, type Scope } from '../../accounts/scopes.ts';
import { ServiceError } from '../../errors.ts';
import { requirePrincipal } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a key of any scope may call the route. */
    needsNoScope?: boolean;
  }
}

/** Required scopes by the first path segment, not counting `v1`. Other routes require full access. */
const SCOPE_OF: Readonly<Record<string, Scope>> = {
  pdf: 'render',
  image: 'render',
  renders: 'render',
  requests: 'render',
  forms: 'render',
  batches: 'render',
  documents: 'documents',
  templates: 'templates',
  certificates: 'certificates',
  webhooks: 'webhooks',
  account: 'account',
  usage: 'account',
  keys: 'keys',
};

/** The first segment of the routes that no scope allows, only the mark of an administrator's key. */
const ADMIN = 'admin';

/** A hook for `onRequest`. Throws `insufficient_scope`. */
export async function requireScope(request: FastifyRequest): Promise<void> {
  if (request.routeOptions.config.needsNoScope) return;
  const [, name = ''] = /^\/(?:v1\/)?(\w+)/.exec(request.routeOptions.url ?? '') ?? [];
  if (name === ADMIN) return requireAdministrator(request);
  const scope = Object.hasOwn(SCOPE_OF, name) ? SCOPE_OF[name] : undefined;
  if (!includesScope(requirePrincipal(request).scopes, scope)) throw insufficientScope(scope ?? null);
}

function requireAdministrator(request: FastifyRequest): void {
  if (requirePrincipal(request).isAdministrator) return;
  const detail = 'this is not the key of an administrator; `platen keys create --administrator` creates one';
  throw new ServiceError('insufficient_scope', detail);
}

/** `scope` is null if full access is required. */
export function insufficientScope(scope: Scope | null): ServiceError {
  const what = scope === null ? 'full access' : `the scope ${scope}`;
  return new ServiceError('insufficient_scope', `this key does not have ${what}`, {
    members: scope === null ? {} : { required_scope: scope },
  });
}
