/** Answers `POST /v1/pdf` and `POST /v1/image`: renders a document while the client waits, and sends the file or its record. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parserFor, type RenderKind } from '../../batches/batch-request.ts';
import type { Answer, Claim } from '../../idempotency/idempotency.ts';
import type { AnyRequest } from '../../render/render.ts';
import type { RenderRequest } from '../../render/request/render-request.ts';
import { noteResult } from '../../work-log.ts';
import { countDelivery, countOutcome } from '../metrics/count-outcomes.ts';
import { documentRecord } from '../replies/records.ts';
import { rememberRender } from '../replies/remember-render.ts';
import { replayStored, serverTiming, setCreated, setResultHeaders } from '../replies/send-delivery.ts';
import { sendFile } from '../replies/send-file.ts';
import { sendResult } from '../replies/send-report.ts';
import { memoryOfRender, spoolPdf } from '../replies/spool-pdf.ts';
import { idempotent, markReplayed } from '../requests/idempotent.ts';
import { requestUsage } from '../requests/request-memory.ts';
import { parseBody, takeSourceBody } from '../requests/source-bodies.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';
import { JSON_TYPE, PDF, prefersType, requireAcceptable } from '../server/negotiation.ts';
import { requestOrigin } from '../server/origin.ts';
import { isAsync, startRender, takeUploadTarget } from './renders.ts';
import type { RouteServices } from './services.ts';

export async function answerRender(
  services: RouteServices,
  kind: RenderKind,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (isAsync(request)) return startRender(services, kind, request, reply);
  const body = takeSourceBody(request);
  const deliverTo = takeUploadTarget(body);
  const parsed = parseBody<AnyRequest>(body, services.limits, parserFor(kind, requirePrincipal(request).options));
  requireAcceptable(request, requestedType(parsed), JSON_TYPE);
  if (parsed.isDryRun) {
    noteResult({ dry_run: true });
    const outlook = await services.dryRun({ ...parsed, deliverTo }, requirePrincipal(request), disconnectSignal(reply));
    return reply.type(JSON_TYPE).send(outlook);
  }
  if ('reportsConformance' in parsed && parsed.reportsConformance) return reportConformance(services, parsed, request, reply);
  return idempotent(
    request,
    services.idempotency,
    (claim) => renderNow(services, parsed, request, reply, claim),
    (answer, name) => replay(services, answer, name, request, reply),
  );
}

const ZIP = 'application/zip';

/** The media type of the file that a request asks for. */
function requestedType(request: AnyRequest): string {
  if ('parts' in request) return request.extract ? JSON_TYPE : request.split ? ZIP : PDF;
  return 'capture' in request ? `image/${request.capture.type}` : PDF;
}

/** The list of violations is neither charged nor remembered, so the Idempotency-Key has no effect on it. */
async function reportConformance(
  { metrics, violationsOf }: RouteServices,
  parsed: RenderRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const memory = memoryOfRender(requestUsage(request), false);
  const client = disconnectSignal(reply);
  const violations = await countOutcome(() => violationsOf(parsed, requirePrincipal(request), client, memory), {
    succeeded() {},
    failed: metrics.renderFailed,
  });
  return reply.type(JSON_TYPE).send({ violations });
}

async function renderNow(
  { metrics, render, idempotency, blobs }: RouteServices,
  parsed: AnyRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  claim: Claim | undefined,
): Promise<FastifyReply> {
  const principal = requirePrincipal(request);
  const usage = requestUsage(request);
  const sendsFile = !parsed.store || prefersType(request, requestedType(parsed), JSON_TYPE);
  const memory = memoryOfRender(usage, sendsFile);
  const commitHook = claim && rememberRender(idempotency, claim, parsed, principal.plan);
  const client = disconnectSignal(reply);
  const delivery = await countDelivery(metrics, () => render(parsed, principal, client, commitHook, memory));
  const { file, document } = delivery;
  setResultHeaders(reply, { ...delivery, warnings: file.report.warning_count }).header('server-timing', serverTiming(file));
  const facts = { ...file, filename: parsed.filename, documentId: document?.id };
  if (!parsed.store || !document) return sendResult(request, reply, facts, await spoolPdf(file, usage, blobs));
  setCreated(request, reply, document);
  if (sendsFile) return sendFile(reply, { ...facts, filename: document.filename }, await spoolPdf(file, usage, blobs));
  return reply.send(documentRecord(document, requestOrigin(request)));
}

async function replay(
  { documents, idempotency }: RouteServices,
  answer: Answer,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  markReplayed(reply);
  if (answer.kind !== 'file') return replayStored(documents, answer, request, reply);
  const content = await idempotency.read({ keyId: requirePrincipal(request).keyId, name });
  setResultHeaders(reply, { ...answer, warnings: answer.report.warning_count });
  return sendResult(request, reply, answer, content);
}
