/** `POST /v1/pdf`: a document in, PDF bytes out. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { PdfRequestBody } from '../../render/options-schema.ts';
import type { RenderedPdf } from '../../render/render.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../../render/render-request.ts';
import { principalOf } from '../authenticate.ts';
import type { Metrics } from '../metrics.ts';
import { toServiceError } from '../problem.ts';
import { problemResponses } from './problem-responses.ts';

export interface PdfRouteServices {
  limits: RenderLimits;
  metrics: Metrics;
  /** See `render/render.ts`. */
  render(request: RenderRequest, owner: string, client: AbortSignal): Promise<RenderedPdf>;
}

const PDF = 'application/pdf';

export function pdfRoutes(app: FastifyInstance, services: PdfRouteServices): void {
  app.post('/v1/pdf', { schema: SCHEMA }, async (request, reply) => {
    requireAcceptable(request);
    const renderRequest = parseRenderRequest(request.body, services.limits);
    const pdf = await measured(services.metrics, () =>
      services.render(renderRequest, principalOf(request).keyId, whenClientLeaves(reply)),
    );
    return sendPdf(reply, pdf);
  });
}

async function measured(metrics: Metrics, render: () => Promise<RenderedPdf>): Promise<RenderedPdf> {
  try {
    const pdf = await render();
    metrics.renderSucceeded(pdf);
    return pdf;
  } catch (error) {
    metrics.renderFailed(toServiceError(error).code);
    throw error;
  }
}

function requireAcceptable(request: FastifyRequest): void {
  if (request.headers.accept === undefined || request.accepts().type([PDF])) return;
  throw new ServiceError('not_acceptable', `this address answers with ${PDF}; the Accept header does not allow it`);
}

/** Aborts when the connection closes before the reply was sent. */
function whenClientLeaves(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  if (reply.raw.destroyed || reply.raw.closed) controller.abort();
  return controller.signal;
}

function sendPdf(reply: FastifyReply, pdf: RenderedPdf): FastifyReply {
  reply
    .type(PDF)
    .header('content-length', pdf.bytes)
    .header('content-disposition', 'inline')
    .header('platen-pages', pdf.pages)
    .header('server-timing', serverTiming(pdf));
  const [only, ...more] = pdf.chunks;
  return reply.send(more.length || !only ? Readable.from(pdf.chunks, { objectMode: false }) : only);
}

function serverTiming({ timings }: RenderedPdf): string {
  return Object.entries(timings)
    .map(([phase, milliseconds]) => `${phase};dur=${milliseconds.toFixed(1)}`)
    .join(', ');
}

const SCHEMA = {
  summary: 'Render a document',
  description: 'Renders an HTML document to PDF. Background prints by default; A4 is the default paper.',
  tags: ['Rendering'],
  security: [{ bearer: [] }],
  body: PdfRequestBody,
  response: {
    200: {
      description: 'The PDF.',
      headers: {
        'Platen-Pages': { schema: { type: 'integer' }, description: 'Number of pages.' },
        'Server-Timing': { schema: { type: 'string' }, description: 'Milliseconds in queue, load, print, finish.' },
        'X-Request-Id': { schema: { type: 'string' }, description: 'Names this request in the logs.' },
      },
      content: { [PDF]: { schema: { type: 'string', contentMediaType: PDF } } },
    },
    ...problemResponses(400, 401, 406, 408, 413, 415, 422, 429, 500, 503, 504),
  },
};
