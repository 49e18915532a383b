/** Builds the OpenAPI document from the routes without starting the service: as fastify collects it, and as it is published. */
import { loadConfig } from '../../src/config.ts';
import { gotenbergPlugin } from '../../src/gotenberg/plugin.ts';
import type { GotenbergServices } from '../../src/gotenberg/routes.ts';
import { publishedDocument } from '../../src/http/server/openapi.ts';
import { createServer } from '../../src/http/server.ts';
import type { Schema } from './schema.ts';
import { standIn } from './stand-in.ts';

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

type Content = Record<string, { schema?: Schema }>;

export interface Operation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  responses?: Record<string, { description?: string; headers?: Record<string, { description?: string }>; content?: Content }>;
}

export interface OpenApi {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
}

export async function publishedOpenApi(): Promise<OpenApi> {
  return publishedDocument(await readOpenApi());
}

export async function readOpenApi(): Promise<OpenApi> {
  const config = loadConfig({});
  // Routes are registered and described, and none of them is ever called.
  const services = { logger: SILENT, limits: config.limits, playground: standIn() } as unknown as GotenbergServices;
  const plugin = gotenbergPlugin(services, { ...config.gotenberg, version: '' });
  const app = await createServer({ ...config.http, version: '' }, services, plugin);
  await app.ready();
  const document = app.swagger() as unknown as OpenApi;
  await app.close();
  return document;
}

const nothing = () => {};
const SILENT = {
  ...{ trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing, silent: nothing },
  level: 'silent',
  child: () => SILENT,
};
