/** `/v1/admin`: what administrators read and change about all accounts, without anything that their customers rendered. */
import type { FastifyInstance } from 'fastify';
import type { RouteServices } from '../services.ts';
import { adminAccountRoutes } from './accounts.ts';
import { auditRoutes } from './audit.ts';
import { adminKeyRoutes } from './keys.ts';
import { serviceRoutes } from './service.ts';

export function adminRoutes(app: FastifyInstance, services: RouteServices): void {
  adminAccountRoutes(app, services);
  adminKeyRoutes(app, services);
  serviceRoutes(app, services);
  auditRoutes(app, services);
}
