/** Answers requests that match no route: 405 with the allowed methods if the address exists, otherwise 404. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { requestPath } from './request-path.ts';

/** Explains paths that have no endpoint. Returns undefined for those that it knows nothing about. */
export type ExplainMissing = (path: string) => string | undefined;

type Send = (request: FastifyRequest, reply: FastifyReply, error: ServiceError) => FastifyReply | Promise<FastifyReply>;

/** Call it before routes are registered. */
export function answerOtherMethods(app: FastifyInstance, explain: ExplainMissing, send: Send): void {
  const methodsOf = rememberRoutes(app);
  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const path = requestPath(request);
    const methods = methodsOf(path);
    if (!methods.length || methods.includes(request.method))
      return send(request, reply, new ServiceError('not_found', explain(path) ?? describeMissing(path, methodsOf)));
    reply.header('allow', methods.join(', '));
    return send(request, reply, new ServiceError('method_not_allowed', `use ${methods.join(' or ')}`));
  };
  app.setNotFoundHandler(answer); // routes that find nothing call it, too
  // This runs before the body is read, because no key has been checked and nothing will use the body.
  app.addHook('onRequest', async (request, reply) => (request.is404 ? answer(request, reply) : undefined));
}

/**
 * Collects routes as they are registered. The returned function gives the methods of an address, which are none if it does not
 * exist.
 */
function rememberRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (url === '*') return; // takes preflight requests for any URL
    const path = url.replace(/(?<=.)\/$/, '');
    const route = routes.get(path) ?? { pattern: toPattern(path), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(path, route);
  });
  return (path) => {
    const matching = [...routes].filter(([, { pattern }]) => pattern.test(path));
    const [nearest] = matching.sort(([a], [b]) => literalLength(b) - literalLength(a));
    return nearest ? [...nearest[1].methods].sort() : [];
  };
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}/?$`);
}

/** A pattern with more literal text is more specific: `/v1/batches/:id.zip` precedes `/v1/batches/:id`. */
function literalLength(path: string): number {
  return path.replace(/:\w+|\*/g, '').length;
}

function describeMissing(path: string, methodsOf: (path: string) => string[]): string {
  return `there is no endpoint at this URL${methodsOf(`/v1${path}`).length ? '; the paths of the API begin with /v1' : ''}`;
}
