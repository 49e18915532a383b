/** `POST /v1/pdf`: renders a document, and sends the PDF or the record of the stored document. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import type { Documents, StoredDocument } from '../../documents/documents.ts';
import { invalidRequest } from '../../errors.ts';
import { type Answer, type Claim, type Idempotency, resultGone } from '../../idempotency/idempotency.ts';
import { PdfRequestBody } from '../../render/options-schema.ts';
import type { CommitHook, Delivery, RenderMemory } from '../../render/render.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../../render/render-request.ts';
import { parseUploadTarget, type UploadTarget } from '../../webhooks/upload-target.ts';
import { principalOf } from '../authenticate.ts';
import { whenClientLeaves } from '../client-leaves.ts';
import { DELIVER_TO_SCHEMA } from '../deliver-to-schema.ts';
import { heldPdf, memoryOfRender, type Spool } from '../held-pdf.ts';
import { IDEMPOTENCY_SCHEMA, idempotent, markReplayed } from '../idempotent.ts';
import { measured } from '../measured.ts';
import type { Metrics } from '../metrics.ts';
import { asksFor, JSON_TYPE, PDF, requireAcceptable } from '../negotiation.ts';
import { originOf } from '../origin.ts';
import { PDF_PARAMETERS, PDF_PARAMETERS_SCHEMA } from '../parameters.ts';
import { prefersAsync } from '../prefer.ts';
import { RATE_LIMITED } from '../rate-limit.ts';
import { DOCUMENT_SCHEMA, documentRecord } from '../records.ts';
import { rememberRender } from '../remember-render.ts';
import { heldBy } from '../request-memory.ts';
import { binary, header } from '../response-schema.ts';
import { DRY_RUN_SCHEMA, type DryRunRouteServices, sendDryRun } from '../send-dry-run.ts';
import { sendRendered, sendStored, sendStream, serverTiming } from '../send-pdf.ts';
import { REPORTED_SCHEMA, sendReported, sendReportedStream } from '../send-report.ts';
import { parseBody, readSourceBodies, SOURCE_CONTENT, SourceBody, takeSourceBody } from '../source-bodies.ts';
import { problemResponses } from './problem-responses.ts';
import { ACCEPTED, type RenderRouteServices, startRender, takeResultFields } from './renders.ts';

export interface PdfRouteServices extends RenderRouteServices, DryRunRouteServices {
  limits: RenderLimits;
  metrics: Metrics;
  documents: Documents;
  idempotency: Idempotency;
  /** Holds replies that have no room in memory. */
  blobs: Spool;
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
      if (isAsync(request)) return startRender(services, request, reply);
      const { renderRequest, deliverTo } = renderRequestOf(request, services.limits);
      requireAcceptable(request, PDF, JSON_TYPE);
      if (renderRequest.isDryRun) return sendDryRun(services, { ...renderRequest, isPdf: true, deliverTo }, request, reply);
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

/** Whether the answer comes before the result: who asks for it, and who has the result uploaded, but for a dry run. */
function isAsync(request: FastifyRequest): boolean {
  const { body } = request;
  const { deliver_to: target, dry_run: isDryRun } = (body instanceof SourceBody ? body.members : Object(body)) ?? {};
  return prefersAsync(request) || ((target ?? undefined) !== undefined && isDryRun !== true);
}

function renderRequestOf(
  request: FastifyRequest,
  limits: RenderLimits,
): { renderRequest: RenderRequest; deliverTo: UploadTarget | undefined } {
  const body = takeSourceBody(request);
  const { webhook_url: webhook, deliver_to: target } = takeResultFields(body);
  if (webhook !== undefined && target === undefined)
    throw invalidRequest([{ path: 'webhook_url', message: 'requires the header Prefer: respond-async, or deliver_to' }]);
  const deliverTo = target === undefined ? undefined : parseUploadTarget(target);
  return { renderRequest: parseBody(body, limits, parseRenderRequest), deliverTo };
}

/** A list is neither charged nor remembered: an Idempotency-Key says nothing about it. */
async function reportConformance(
  { metrics, violationsOf }: PdfRouteServices,
  renderRequest: RenderRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const memory = memoryOfRender(heldBy(request), false);
  const client = whenClientLeaves(reply);
  const violations = await measured(() => violationsOf(renderRequest, principalOf(request), client, memory), {
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
  const principal = principalOf(request);
  const held = heldBy(request);
  const sendsPdf = !renderRequest.store || asksFor(request, PDF, JSON_TYPE);
  const memory = memoryOfRender(held, sendsPdf);
  const commitHook = claim && commitHookOf(idempotency, claim, renderRequest, principal);
  const client = whenClientLeaves(reply);
  const delivery = await measured(() => render(renderRequest, principal, client, commitHook, memory), {
    succeeded({ pdf, document }) {
      metrics.renderSucceeded(pdf);
      if (document) metrics.documentStored(document);
    },
    failed: metrics.renderFailed,
  });
  const { pdf, document } = delivery;
  setResultHeaders(reply, { ...delivery, warnings: pdf.report.warning_count }).header('server-timing', serverTiming(pdf));
  if (!renderRequest.store || !document) {
    const send = asksFor(request, JSON_TYPE, PDF) ? sendReported : sendRendered;
    return send(reply, { ...pdf, documentId: document?.id }, renderRequest.filename, await heldPdf(pdf, held, blobs));
  }
  created(request, reply, document);
  if (sendsPdf) return sendRendered(reply, pdf, document.filename, await heldPdf(pdf, held, blobs));
  return reply.send(documentRecord(document, originOf(request)));
}

function commitHookOf(
  idempotency: Idempotency,
  claim: Claim,
  { store, filename }: RenderRequest,
  { plan }: Principal,
): CommitHook {
  return rememberRender<Delivery>(idempotency, claim, plan, {
    chunksOf: ({ pdf }) => pdf.chunks,
    answerOf({ pdf: { bytes, pages, report }, document, remaining }) {
      if (document) return { kind: 'document', documentId: document.id, asked: store === true, remaining };
      return { kind: 'pdf', bytes, pages, filename: filename ?? null, remaining, report };
    },
  });
}

/** Repeats the first reply. If the stored document has gone in the meantime, the answer says so. */
async function replay(
  { documents, idempotency }: PdfRouteServices,
  answer: Answer,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { keyId } = principalOf(request);
  markReplayed(reply);
  if (answer.kind === 'pdf') {
    const content = await idempotency.read({ keyId, name });
    setResultHeaders(reply, { ...answer, warnings: answer.report.warning_count });
    if (asksFor(request, JSON_TYPE, PDF)) return sendReportedStream(reply, answer, content, answer.filename ?? undefined);
    return sendStream(reply, answer, content);
  }
  if (answer.kind !== 'document') throw resultGone();
  const document = await documents.find(keyId, answer.documentId);
  setResultHeaders(reply, { document, remaining: answer.remaining, warnings: document.report?.warning_count });
  if (answer.asked) created(request, reply, document);
  if (!answer.asked && asksFor(request, JSON_TYPE, PDF)) {
    const { filename, report = {} } = document;
    return sendReportedStream(reply, { ...document, documentId: document.id, report }, await documents.read(document), filename);
  }
  if (!answer.asked || asksFor(request, PDF, JSON_TYPE)) return sendStored(request, reply, documents, document);
  return reply.send(documentRecord(document, originOf(request)));
}

function setResultHeaders(
  reply: FastifyReply,
  {
    document,
    remaining,
    warnings,
  }: { document?: StoredDocument | undefined; remaining: number | null; warnings?: number | undefined },
): FastifyReply {
  if (remaining !== null) reply.header('platen-quota-remaining', remaining);
  if (document) reply.header('platen-document-id', document.id);
  if (warnings !== undefined) reply.header('platen-warnings', warnings);
  return reply;
}

function created(request: FastifyRequest, reply: FastifyReply, document: StoredDocument): void {
  reply
    .code(201)
    .header('location', `${originOf(request)}/v1/documents/${document.id}`)
    .header('platen-pages', document.pages);
}

const HEADERS = {
  'Platen-Pages': header('integer', 'Number of pages.'),
  'Platen-Quota-Remaining': header('integer', 'Documents left this month; absent where the plan has no limit.'),
  'Platen-Document-Id': header('string', 'Set when the PDF was stored.'),
  'Idempotency-Replayed': header('string', 'true where the reply was given before.'),
  'Platen-Warnings': header('integer', 'Number of things that are missing or wrong.'),
  'Server-Timing': header('string', 'Milliseconds in queue, load, print, finish.'),
};

const ASYNC_SCHEMA = {
  Prefer: {
    type: 'string',
    description: '`respond-async` answers 202 at once with the render, whose result is a stored document.',
    examples: ['respond-async'],
  },
};

const BODY = {
  ...PdfRequestBody,
  properties: {
    ...PdfRequestBody.properties,
    webhook_url: {
      type: 'string',
      format: 'uri',
      description: 'Address that gets a signed `render.completed`. Requires `Prefer: respond-async` or `deliver_to`.',
      'x-default': 'none',
      examples: ['https://example.com/hooks/platen'],
    },
    deliver_to: DELIVER_TO_SCHEMA,
  },
};

const CONFORMANCE_SCHEMA = {
  title: 'ConformanceReport',
  type: 'object',
  properties: {
    violations: {
      type: 'array',
      description: 'Empty when the document conforms.',
      items: {
        title: 'Violation',
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
    'Renders HTML, Markdown, the document at an address, or a stored template with data, to PDF. Only successful renders are charged. The body may be the document itself, as `text/html` or `text/markdown`, with members of the JSON body and of its `options` as query parameters, such as `?format=A5`; or a form with files beside the document. `Content-Encoding: gzip` and `deflate` are understood.',
  tags: ['Rendering'],
  security: [{ bearer: [] }],
  headers: { type: 'object', properties: { ...IDEMPOTENCY_SCHEMA.properties, ...ASYNC_SCHEMA } },
  querystring: PDF_PARAMETERS_SCHEMA,
  body: {
    content: { [JSON_TYPE]: { schema: BODY }, ...SOURCE_CONTENT },
  },
  response: {
    200: {
      description:
        'The PDF; or, where Accept names application/json alone, the PDF with the report of its render; or, with `conformance_report`, the violations; or, with `dry_run`, what would happen.',
      headers: HEADERS,
      content: {
        ...binary(PDF),
        [JSON_TYPE]: { schema: { title: 'PdfReply', anyOf: [REPORTED_SCHEMA, CONFORMANCE_SCHEMA, DRY_RUN_SCHEMA] } },
      },
    },
    201: {
      description:
        'The PDF was stored, because `store` was true. The record of the document; the PDF itself where Accept names application/pdf alone.',
      headers: { ...HEADERS, Location: header('string', 'Where the document is.') },
      content: { [JSON_TYPE]: { schema: DOCUMENT_SCHEMA }, ...binary(PDF) },
    },
    202: ACCEPTED,
    ...problemResponses(400, 401, 402, 403, 404, 406, 408, 409, 410, 413, 415, 422, 429, 500, 503, 504),
  },
};
