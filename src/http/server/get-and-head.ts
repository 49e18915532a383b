/** Adds routes whose replies to HEAD have the headers of GET. Those that fastify adds itself lack the length of an empty reply. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface, RouteShorthandOptions } from 'fastify';

/** `handler` must send no content if the method is HEAD. */
export function getAndHead<R extends RouteGenericInterface>(
  app: FastifyInstance,
  url: string,
  options: Pick<RouteShorthandOptions, 'schema' | 'config' | 'errorHandler'>,
  handler: (request: FastifyRequest<R>, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route<R>({ method: ['GET', 'HEAD'], url, ...options, handler: handler as never });
}
