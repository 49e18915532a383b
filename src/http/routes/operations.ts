/** Health, readiness and metrics for operators. These routes need no key and reveal nothing about customers. */
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';

export interface OperationServices {
  metrics: Metrics;
  /** Renders a small document, unless another was rendered a moment ago. Rejects if it fails. */
  checkReady(): Promise<void>;
  log: { warn(details: object, message: string): void };
}

const HIDDEN = { schema: { hide: true } };

export function operationRoutes(app: FastifyInstance, services: OperationServices): void {
  app.get('/healthz', HIDDEN, async () => ({ status: 'ok' }));

  app.get('/readyz', HIDDEN, async (_request, reply) => {
    try {
      await services.checkReady();
      return { status: 'ready' };
    } catch (error) {
      services.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'not ready' });
    }
  });

  app.get('/metrics', HIDDEN, async (request, reply) => {
    const acceptsOpenMetrics = request.headers.accept?.includes('application/openmetrics-text');
    const { text, type } = await services.metrics.expose(acceptsOpenMetrics ? 'openmetrics' : 'prometheus');
    return reply.type(type).send(text);
  });
}
