/** Requests that no route answers: a path and a method in, 404 or 405 out, the latter with the methods the address has. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { sendProblem } from './problem.ts';

/** To be called before routes are registered. */
export function answerOtherMethods(app: FastifyInstance): void {
  const methodsOf = rememberRoutes(app);
  const answer = (request: FastifyRequest, reply: FastifyReply) =>
    sendProblem(request, reply, notFound(request.method, methodsOf(pathOf(request)), reply));
  app.setNotFoundHandler(answer); // for routes that find nothing, too
  // Before a body is read: nobody has shown a key for it, and nobody will look at it.
  app.addHook('onRequest', async (request, reply) => (request.is404 ? answer(request, reply) : undefined));
}

/** The methods of an address; none where there is nothing. Collects the routes as they are registered. */
function rememberRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = url.replace(/(?<=.)\/$/, '');
    const route = routes.get(path) ?? { pattern: patternOf(path), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(path, route);
  });
  return (path) => {
    const matching = [...routes].filter(([, { pattern }]) => pattern.test(path));
    const [nearest] = matching.sort(([a], [b]) => literalLength(b) - literalLength(a));
    return nearest ? [...nearest[1].methods].sort() : [];
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}/?$`);
}

/** `/v1/batches/:id.zip` says more about an address than `/v1/batches/:id`. */
function literalLength(path: string): number {
  return path.replace(/:\w+|\*/g, '').length;
}

/** As the router reads it. */
function pathOf({ url }: FastifyRequest): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** 405 where the address exists for another method. */
function notFound(method: string, methods: string[], reply: FastifyReply): ServiceError {
  if (!methods.length || methods.includes(method)) return new ServiceError('not_found', 'there is no endpoint at this address');
  reply.header('allow', methods.join(', '));
  return new ServiceError('method_not_allowed', `use ${methods.join(' or ')}`);
}
