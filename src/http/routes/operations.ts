/** Health, readiness and metrics for operators. These routes need no key and reveal nothing about customers. */
import type { FastifyInstance } from 'fastify';
import type { RouteServices } from './services.ts';

const HIDDEN = { schema: { hide: true } };

export function operationRoutes(app: FastifyInstance, services: RouteServices): void {
  app.get('/healthz', HIDDEN, async () => ({ status: 'ok' }));

  app.get('/readyz', HIDDEN, async (_request, reply) => {
    try {
      await services.checkReady();
      return { status: 'ready' };
    } catch (error) {
      services.logger.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'not ready' });
    }
  });

  app.get('/metrics', HIDDEN, async (request, reply) => {
    const acceptsOpenMetrics = request.headers.accept?.includes('application/openmetrics-text');
    const { text, type } = await services.metrics.expose(acceptsOpenMetrics ? 'openmetrics' : 'prometheus');
    return reply.type(type).send(text);
  });
}
