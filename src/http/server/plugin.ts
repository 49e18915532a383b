/** What an API beside our own gives to the server, so that `http` knows nothing of it. */
import type { FastifyInstance } from 'fastify';
import type { ExplainMissing } from './allowed-methods.ts';
import type { SendError } from './problem.ts';

export interface Plugin {
  /** Sends every error of the server, in the format of the path. */
  sendError: SendError;
  explainMissing: ExplainMissing;
  /** Adds routes to a scope that has authenticated the request. */
  addRoutes(scope: FastifyInstance): Promise<void>;
  addOpenRoutes(app: FastifyInstance): void;
}
