/** `/v1/playground`: renders for visitors without a key, and the limits that apply to them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Playground } from '../../playground/playground.ts';
import {
  MAX_PLAYGROUND_BODY_BYTES,
  MAX_PLAYGROUND_HTML_BYTES,
  PlaygroundBody,
  parsePlaygroundRequest,
  playgroundLimits,
} from '../../playground/playground-request.ts';
import type { PageDrawing } from '../../uploads/draw-pages.ts';
import { countOutcome } from '../metrics/count-outcomes.ts';
import { binary, header, pathId, recordSchema, withExample } from '../replies/response-schema.ts';
import { PNG, readPageNumber, sendDrawnPage } from '../replies/send-drawn-page.ts';
import { sendUncharged, UNCHARGED } from '../replies/send-uncharged.ts';
import { makeRoomFor, spoolPdf } from '../replies/spool-pdf.ts';
import { readQuery } from '../requests/listing.ts';
import { countMemory, requestMemory, requestUsage, takeBody } from '../requests/request-memory.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';
import { getAndHead } from '../server/get-and-head.ts';
import { JSON_TYPE, PDF, requireAcceptable } from '../server/negotiation.ts';
import { limitVisitors, RATE_LIMITED } from '../server/rate-limit.ts';
import { identifyVisitor } from '../server/visitor.ts';
import type { RouteServices } from './services.ts';

export interface PlaygroundRouteOptions {
  playgroundRequestsPerMinute: number;
  playgroundSecondsPerMinute: number;
  trustedProxies: Parameters<typeof identifyVisitor>[1];
}

export function playgroundRoutes(
  app: FastifyInstance,
  { playground, visitorRequests, metrics, blobs, playgroundBudgets, pageDrawing, ...services }: RouteServices,
  { playgroundRequestsPerMinute, playgroundSecondsPerMinute, trustedProxies }: PlaygroundRouteOptions,
): void {
  const limits = playgroundLimits(services.limits);
  app.get('/v1/playground', { schema: READ }, async () => {
    playground?.prepare(); // a visitor who asks for the limits is about to render
    return {
      enabled: playground !== undefined,
      limits: {
        html_bytes: MAX_PLAYGROUND_HTML_BYTES,
        assets_bytes: limits.maxAssetsBytes,
        timeout_ms: limits.maxRenderTimeoutMs,
        requests_per_minute: playgroundRequestsPerMinute,
        seconds_per_minute: playgroundSecondsPerMinute,
      },
    };
  });
  if (!playground) return;
  const visitorName = (request: FastifyRequest) => identifyVisitor(request, trustedProxies);
  app.register(async (routes) => {
    await limitVisitors(routes, {
      perMinute: playgroundRequestsPerMinute,
      visitorOf: visitorName,
      allNodes: visitorRequests,
    });
    countMemory(routes, playgroundBudgets, visitorName);
    // Visitors who find no place are refused before their bodies are read.
    const onRequest = async (request: FastifyRequest) => {
      const visitor = visitorName(request);
      await playground.refreshTime(visitor);
      playground.requireRoom(visitor);
    };
    const route = { schema: RENDER, config: RATE_LIMITED, bodyLimit: MAX_PLAYGROUND_BODY_BYTES, onRequest };
    routes.post('/v1/playground/pdf', route, async (request, reply) => {
      readQuery(request, {});
      const renderRequest = parsePlaygroundRequest(takeBody(request), limits);
      requireAcceptable(request, PDF, JSON_TYPE);
      const client = disconnectSignal(reply);
      const pdf = await countOutcome(() => playground.render(renderRequest, visitorName(request), client), {
        succeeded: () => metrics.playgroundEnded('ok'),
        failed: metrics.playgroundEnded,
      });
      const result = renderRequest.finish.password ? undefined : playground.results.keep(pdf); // it cannot be drawn without
      if (result) reply.header('platen-result', result);
      const usage = requestUsage(request);
      makeRoomFor(pdf.bytes, usage);
      return sendUncharged(request, reply, pdf, await spoolPdf(pdf, usage, blobs));
    });
    resultPageRoute(routes, playground, pageDrawing);
  });
}

interface OfResult {
  Params: { id: string; n: string };
}

/** All visitors together take turns with keys, as in the other queues. */
const OWNER = 'playground';
/** Small enough to be seen before the rest of the page has been transferred. */
const RESULT_WIDTH = 420;

function resultPageRoute(app: FastifyInstance, { results }: Playground, pageDrawing: PageDrawing): void {
  const options = { schema: RESULT_PAGE, config: RATE_LIMITED };
  getAndHead<OfResult>(app, '/v1/playground/results/:id/pages/:n.png', options, async (request, reply) => {
    readQuery(request, {});
    requireAcceptable(request, PNG);
    const { id, n } = request.params;
    const result = results.find(id);
    if (!result)
      throw new ServiceError('not_found', 'there is no such result; results of the playground are kept for two minutes');
    const page = readPageNumber(n, result.pages);
    reply.header('cache-control', 'private, no-store').header('content-security-policy', "default-src 'none'");
    if (request.method === 'HEAD') return reply.type(PNG).send();
    const read = async () => Buffer.concat(result.chunks);
    return sendDrawnPage(
      pageDrawing,
      OWNER,
      { bytes: result.bytes, read, page, width: RESULT_WIDTH, mayShrink: true },
      requestMemory(request),
      reply,
    );
  });
}

const READ = {
  security: [],
  operationId: 'readPlayground',
  summary: 'Read the limits of the playground',
  response: {
    200: {
      description: 'Whether it is switched on, and its limits.',
      ...recordSchema('Playground', {
        enabled: { type: 'boolean' },
        limits: recordSchema('PlaygroundLimits', {
          html_bytes: { type: 'integer', description: 'Largest size of the HTML, and of the document that a template becomes.' },
          assets_bytes: { type: 'integer', description: 'Largest size of all `assets` together.' },
          timeout_ms: { type: 'integer', description: 'Time limit of a render, including the time in the queue.' },
          requests_per_minute: { type: 'integer', description: 'Requests per minute that one client IP address may send.' },
          seconds_per_minute: {
            type: 'integer',
            description: 'Seconds of rendering per minute that one client IP address may use. Time in the queue does not count.',
          },
        }),
      }),
    },
  },
};

const RENDER = {
  security: [],
  operationId: 'renderInPlayground',
  summary: 'Render a document without a key',
  description: `For evaluation: neither charged nor stored, limited per client IP address, and after renders with keys. GET /v1/playground lists its limits. The body may have ${MAX_PLAYGROUND_BODY_BYTES} bytes.`,
  body: withExample(PlaygroundBody, { html: '<h1>Hello, paper</h1>' }),
  response: {
    200: {
      ...UNCHARGED,
      headers: {
        ...UNCHARGED.headers,
        'Platen-Result': header(
          'string',
          'Names the PDF for two minutes, to draw its pages. Missing for PDFs of more than 4 MiB.',
        ),
      },
    },
  },
  errors: [404, 406, 422, 504],
};

const RESULT_PAGE = {
  security: [],
  operationId: 'drawPlaygroundPage',
  summary: 'Draw a page of a PDF of the playground',
  description:
    'A PNG that is 420 pixels wide. `id` is Platen-Result of a render of the last two minutes, on the same node. Older PDFs make room for new ones, and those with a password cannot be drawn.',
  params: pathId('PlaygroundResult', 'pgr', { n: { type: 'integer', minimum: 1, description: 'The page, from 1.' } }),
  response: { 200: { description: 'The page.', content: binary(PNG) } },
  errors: [404, 406, 422, 429],
};
