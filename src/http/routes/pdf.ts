/** `POST /v1/pdf`: renders a document, and sends the PDF or the record of the stored document. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import type { Answer, Claim } from '../../idempotency/idempotency.ts';
import type { CommitHook, Delivery, RenderMemory } from '../../render/render.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../../render/request/render-request.ts';
import { PdfRequestBody } from '../../render/request/schemas/options-schema.ts';
import type { UploadTarget } from '../../webhooks/upload-target.ts';
import { countDelivery, countOutcome } from '../metrics/count-outcomes.ts';
import { documentRecord } from '../replies/records.ts';
import { rememberPdf } from '../replies/remember-render.ts';
import { binary, header } from '../replies/response-schema.ts';
import { CREATED, RESULT_HEADERS, replayStored, setCreated, setResultHeaders } from '../replies/send-delivery.ts';
import { DRY_RUN_SCHEMA, sendDryRun } from '../replies/send-dry-run.ts';
import { sendRendered, sendStream, serverTiming } from '../replies/send-pdf.ts';
import { REPORTED_SCHEMA, sendReported, sendReportedStream } from '../replies/send-report.ts';
import { memoryOfRender, spoolPdf } from '../replies/spool-pdf.ts';
import { idempotent, markReplayed } from '../requests/idempotent.ts';
import { PDF_PARAMETERS, PDF_PARAMETERS_SCHEMA } from '../requests/parameters.ts';
import { requestUsage } from '../requests/request-memory.ts';
import { parseBody, readSourceBodies, SOURCE_CONTENT, takeSourceBody } from '../requests/source-bodies.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';
import { JSON_TYPE, PDF, prefersType, requireAcceptable } from '../server/negotiation.ts';
import { requestOrigin } from '../server/origin.ts';
import { RATE_LIMITED } from '../server/rate-limit.ts';
import {
  ACCEPTED,
  isAsync,
  type RenderNowServices,
  START_HEADERS,
  startRender,
  takeUploadTarget,
  withResultFields,
} from './renders.ts';

export interface PdfRouteServices extends RenderNowServices {
  /** See `render/render.ts`. */
  render(
    request: RenderRequest,
    principal: Principal,
    client: AbortSignal,
    commitHook?: CommitHook,
    memory?: RenderMemory,
  ): Promise<Delivery>;
  violationsOf(request: RenderRequest, principal: Principal, client: AbortSignal, memory?: RenderMemory): Promise<unknown[]>;
}

export async function pdfRoutes(app: FastifyInstance, services: PdfRouteServices): Promise<void> {
  await app.register(async (scope) => {
    readSourceBodies(scope, services.limits, PDF_PARAMETERS);
    scope.post('/v1/pdf', { schema: SCHEMA, config: RATE_LIMITED }, async (request, reply) => {
      if (isAsync(request)) return startRender(services, 'pdf', request, reply);
      const { renderRequest, deliverTo } = readRenderRequest(request, services.limits);
      requireAcceptable(request, PDF, JSON_TYPE);
      if (renderRequest.isDryRun) return sendDryRun(services, { ...renderRequest, deliverTo }, request, reply);
      if (renderRequest.reportsConformance) return reportConformance(services, renderRequest, request, reply);
      return idempotent(
        request,
        services.idempotency,
        (claim) => renderNow(services, renderRequest, request, reply, claim),
        (answer, name) => replay(services, answer, name, request, reply),
      );
    });
  });
}

function readRenderRequest(
  request: FastifyRequest,
  limits: RenderLimits,
): { renderRequest: RenderRequest; deliverTo: UploadTarget | undefined } {
  const body = takeSourceBody(request);
  const deliverTo = takeUploadTarget(body);
  return { renderRequest: parseBody(body, limits, parseRenderRequest), deliverTo };
}

/** The list of violations is neither charged nor remembered, so the Idempotency-Key has no effect on it. */
async function reportConformance(
  { metrics, violationsOf }: PdfRouteServices,
  renderRequest: RenderRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const memory = memoryOfRender(requestUsage(request), false);
  const client = disconnectSignal(reply);
  const violations = await countOutcome(() => violationsOf(renderRequest, requirePrincipal(request), client, memory), {
    succeeded() {},
    failed: metrics.renderFailed,
  });
  return reply.type(JSON_TYPE).send({ violations });
}

async function renderNow(
  { metrics, render, idempotency, blobs }: PdfRouteServices,
  renderRequest: RenderRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  claim: Claim | undefined,
): Promise<FastifyReply> {
  const principal = requirePrincipal(request);
  const usage = requestUsage(request);
  const sendsPdf = !renderRequest.store || prefersType(request, PDF, JSON_TYPE);
  const memory = memoryOfRender(usage, sendsPdf);
  const commitHook = claim && rememberPdf(idempotency, claim, renderRequest, principal.plan);
  const client = disconnectSignal(reply);
  const delivery = await countDelivery(metrics, () => render(renderRequest, principal, client, commitHook, memory));
  const { pdf, document } = delivery;
  setResultHeaders(reply, { ...delivery, warnings: pdf.report.warning_count }).header('server-timing', serverTiming(pdf));
  if (!renderRequest.store || !document) {
    const send = prefersType(request, JSON_TYPE, PDF) ? sendReported : sendRendered;
    return send(reply, { ...pdf, documentId: document?.id }, renderRequest.filename, await spoolPdf(pdf, usage, blobs));
  }
  setCreated(request, reply, document);
  if (sendsPdf) return sendRendered(reply, pdf, document.filename, await spoolPdf(pdf, usage, blobs));
  return reply.send(documentRecord(document, requestOrigin(request)));
}

/** Repeats the first reply. */
async function replay(
  { documents, idempotency }: PdfRouteServices,
  answer: Answer,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  markReplayed(reply);
  if (answer.kind !== 'pdf') return replayStored(documents, answer, request, reply);
  const content = await idempotency.read({ keyId: requirePrincipal(request).keyId, name });
  setResultHeaders(reply, { ...answer, warnings: answer.report.warning_count });
  if (prefersType(request, JSON_TYPE, PDF)) return sendReportedStream(reply, answer, content, answer.filename ?? undefined);
  return sendStream(reply, answer, content);
}

const HEADERS = { 'Platen-Pages': header('integer', 'Number of pages.'), ...RESULT_HEADERS };

const CONFORMANCE_SCHEMA = {
  $id: 'ConformanceReport',
  type: 'object',
  properties: {
    violations: {
      type: 'array',
      description: 'Empty when the document conforms.',
      items: {
        $id: 'Violation',
        type: 'object',
        properties: {
          rule: { type: 'string', examples: ['title_missing'] },
          clause: { type: 'string', examples: ['ISO 14289-1, 7.3'] },
          message: { type: 'string' },
          selector: { type: ['string', 'null'] },
          snippet: { type: ['string', 'null'] },
          remedy: { type: 'string' },
        },
      },
    },
  },
};

const SCHEMA = {
  operationId: 'renderPdf',
  summary: 'Render a document',
  description:
    'Renders HTML, Markdown, the document at a URL, or a stored template to PDF. Only successful renders are charged. The body may be the document itself, with members of the JSON body and of its `options` as query parameters, such as `?format=A5`; or a form with files beside the document. `Content-Encoding: gzip` and `deflate` are understood.',
  headers: START_HEADERS,
  querystring: PDF_PARAMETERS_SCHEMA,
  body: {
    content: { [JSON_TYPE]: { schema: withResultFields(PdfRequestBody) }, ...SOURCE_CONTENT },
  },
  response: {
    200: {
      description:
        'The PDF; where Accept names application/json alone, with the report of its render. With `conformance_report`, the violations; with `dry_run`, what would happen.',
      headers: HEADERS,
      content: {
        ...binary(PDF),
        [JSON_TYPE]: { schema: { $id: 'PdfReply', anyOf: [REPORTED_SCHEMA, CONFORMANCE_SCHEMA, DRY_RUN_SCHEMA] } },
      },
    },
    201: CREATED,
    202: ACCEPTED,
  },
  errors: [402, 404, 406, 409, 410, 422, 504],
};
