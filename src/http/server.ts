/** Builds the HTTP server: its routes, and what applies to all of them. */
import type { Socket } from 'node:net';
import accepts from '@fastify/accepts';
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import { watchEventLoopDelay } from './metrics/event-loop-delay.ts';
import { answeredEarly, observeRequests } from './metrics/observe-requests.ts';
import { describeRoute } from './replies/describe-route.ts';
import { WEBHOOK_EVENTS } from './replies/webhook-events.ts';
import { requireUtf8 } from './requests/charset.ts';
import { rememberBody } from './requests/idempotent.ts';
import { parseJson } from './requests/json-body.ts';
import { readQuery } from './requests/listing.ts';
import { freeBuffer, memoryOfBody, readBody } from './requests/read-body.ts';
import { countMemory, requestMemory } from './requests/request-memory.ts';
import { accountRoutes } from './routes/account.ts';
import { adminRoutes } from './routes/admin/admin.ts';
import { assembleRoutes } from './routes/assemble.ts';
import { batchResultRoutes } from './routes/batch-results.ts';
import { batchRoutes } from './routes/batches.ts';
import { certificateRoutes } from './routes/certificates.ts';
import { documentPageRoutes } from './routes/document-pages.ts';
import { documentRoutes, linkRoutes } from './routes/documents.ts';
import { imageRoutes } from './routes/image.ts';
import { keyRoutes } from './routes/keys/keys.ts';
import { sessionRoutes, signOutRoute } from './routes/keys/session.ts';
import { operationRoutes } from './routes/operations.ts';
import { isInBrowser, pageRoutes, sendErrorPage } from './routes/pages.ts';
import { pdfRoutes } from './routes/pdf.ts';
import { type PlaygroundRouteOptions, playgroundRoutes } from './routes/playground.ts';
import { referenceRoutes } from './routes/reference.ts';
import { renderRoutes } from './routes/renders.ts';
import { requestRoutes } from './routes/requests.ts';
import type { RouteServices } from './routes/services.ts';
import { previewRoutes } from './routes/templates/preview.ts';
import { templateAssetRoutes } from './routes/templates/template-assets.ts';
import { templateRoutes } from './routes/templates/templates.ts';
import { compareRoutes } from './routes/uploads/compare.ts';
import { validateRoutes } from './routes/uploads/validate.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { answerOtherMethods } from './server/allowed-methods.ts';
import { authenticate, requirePrincipal } from './server/authenticate.ts';
import { allowOrigins } from './server/cors.ts';
import { handleExpectations } from './server/expect-continue.ts';
import { logFailure } from './server/log-failure.ts';
import { keepIds } from './server/openapi.ts';
import type { Plugin } from './server/plugin.ts';
import { PROBLEM_TYPE, PROBLEMS, type SendError, toProblem, toServiceError } from './server/problem.ts';
import { limitRates } from './server/rate-limit.ts';
import { unknownTransferEncoding } from './server/request-head.ts';
import { requestPath } from './server/request-path.ts';
import { requireScope } from './server/required-scope.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an empty body is valid. Many clients send a Content-Type without a body. */
    bodyOptional?: boolean;
  }
}

export interface ServerOptions extends PlaygroundRouteOptions {
  maxRequestBytes: number;
  requestTimeoutMs: number;
  maxRenderTimeoutMs: number;
  /** The origin under which clients reach the service. If it is empty, the origin comes from each request. */
  publicUrl: string;
  /** Origins of pages that may call the API. */
  corsOrigins: string[];
  version: string;
}

/** A socket may be silent for this time in addition to the longest render. */
const SOCKET_GRACE_MS = 60_000;
/** How often Node looks for requests that take too long. */
const TIMEOUT_CHECK_MS = 1_000;

export async function createServer(options: ServerOptions, services: RouteServices, plugin: Plugin): Promise<FastifyInstance> {
  const send = plugin.sendError;
  const app = createFastify(options, services, send);
  app.decorate('publicUrl', options.publicUrl.replace(/(?<!\/)\/+$/, ''));
  app.setValidatorCompiler(() => () => true); // modules parse their own requests; the schemas here are documentation
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  handleExpectations(app.server);
  readJsonOnly(app);
  handleErrors(app, services, send);
  observeRequests(app, services);
  app.addHook('onListen', async () => {
    const endWatch = watchEventLoopDelay(services.metrics.eventLoopDelayed);
    app.server.once('close', endWatch);
  });
  answerOtherMethods(app, plugin.explainMissing, (request, reply, error) =>
    isPageMissing(request, error) ? sendErrorPage(request, reply, services.pages, error) : send(request, reply, error),
  );
  await allowOrigins(app, options.corsOrigins);
  await app.register(accepts);
  await registerOpenApi(app, options);
  await app.register(async (routes) => {
    routes.addHook('onRequest', authenticate(services.accounts));
    routes.addHook('onRequest', requireScope);
    await limitRates(routes);
    refuseParameters(routes);
    countMemory(routes, services.budgets, (request) => requirePrincipal(request).accountId);
    await pdfRoutes(routes, services);
    await assembleRoutes(routes, services);
    await validateRoutes(routes, services);
    await compareRoutes(routes, services);
    await imageRoutes(routes, services);
    renderRoutes(routes, services);
    requestRoutes(routes, services);
    certificateRoutes(routes, services);
    await templateRoutes(routes, services);
    await templateAssetRoutes(routes, services);
    previewRoutes(routes, services);
    documentRoutes(routes, services);
    documentPageRoutes(routes, services);
    batchRoutes(routes, services);
    batchResultRoutes(routes, services);
    accountRoutes(routes, services);
    webhookRoutes(routes, services);
    await plugin.addRoutes(routes);
    keyRoutes(routes, services);
    sessionRoutes(routes, services);
    adminRoutes(routes, services);
  });
  signOutRoute(app, services);
  playgroundRoutes(app, services, options);
  pageRoutes(app, services);
  linkRoutes(app, services);
  operationRoutes(app, services);
  plugin.addOpenRoutes(app);
  referenceRoutes(app, services);
  return app;
}

/** Whether a person has asked for a page that does not exist. */
function isPageMissing(request: FastifyRequest, { code }: ServiceError): boolean {
  return code === 'not_found' && isInBrowser(request) && !requestPath(request).startsWith('/v1/');
}

function createFastify(options: ServerOptions, { logger }: RouteServices, send: SendError): FastifyInstance {
  return fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // `observe` logs one line per request, without its query
    bodyLimit: options.maxRequestBytes,
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: options.maxRenderTimeoutMs + SOCKET_GRACE_MS,
    // Node enforces the time-out of a request only if that of its headers is not longer.
    http: {
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      headersTimeout: options.requestTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      requireHostHeader: false, // `checkHead` sends a better error
    },
    genReqId: () => createId('req'),
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => void send(request, reply, toServiceError(error)),
    routerOptions: { ignoreTrailingSlash: true },
  });
}

/** Refuses query parameters on routes that have none. Other routes check theirs themselves. */
function refuseParameters(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.schema?.querystring) readQuery(request, {});
  });
}

function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    requireUtf8(request);
    const body = await readBody(request);
    try {
      rememberBody(request, body);
      if (!body.length && request.routeOptions.config.bodyOptional) return undefined;
      return parseJson(body, (values) => requestMemory(request).atLeast(memoryOfBody(body.length, values)));
    } finally {
      freeBuffer(body);
    }
  });
}

function handleErrors(app: FastifyInstance, services: RouteServices, send: SendError): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toServiceError(error, request);
    logFailure(services.logger, request, problem);
    return send(request, reply, problem);
  });
}

async function registerOpenApi(app: FastifyInstance, { version, publicUrl }: ServerOptions): Promise<void> {
  await app.register(swagger, {
    transform: ({ schema, url }) => ({ schema: keepIds(describeRoute(schema, url)), url }),
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Platen',
        version,
        description:
          'Platen renders HTML to PDF. Try it in the [playground](/). The [dashboard](/dashboard) shows the data of a key. Every GET endpoint also answers HEAD. Lists begin with the newest. Each reply has an `X-Request-Id`, which names the request in the logs.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      security: [{ bearer: [] }],
      servers: [{ url: publicUrl || '/', description: 'This service.' }],
      webhooks: WEBHOOK_EVENTS,
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`plt_...`).' } } },
    },
  });
}

/** Answers input that Node's parser did not accept as a request: too slow, too large, or not HTTP. */
function answerBrokenRequest(this: FastifyInstance, error: BrokenRequest, socket: Socket): void {
  if (socket.destroyed || !socket.writable) return;
  if (answeredEarly.has(socket)) {
    socket.destroy();
    return;
  }
  const problem = brokenRequest(error);
  const id = createId('req');
  this.log.info({ request_id: id, status: PROBLEMS[problem.code].status, code: problem.code }, 'request');
  const body = JSON.stringify(toProblem(problem, id, ''));
  const { status, title } = PROBLEMS[problem.code];
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  );
}

interface BrokenRequest {
  code?: string;
  reason?: string;
}

function brokenRequest({ code, reason = '' }: BrokenRequest): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('request_timeout', 'the request did not arrive completely within the time limit');
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('headers_too_large', 'the request headers are too large');
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && /invalid/i.test(reason)) return unknownTransferEncoding();
  return new ServiceError('invalid_request', 'this is not an HTTP request', { members: { errors: [] } });
}
