/** `POST /v1/image`: renders a document as an image, and sends the image or the record of the stored one. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import type { Answer, Claim } from '../../idempotency/idempotency.ts';
import type { CommitHook, ImageDelivery, RenderMemory } from '../../render/render.ts';
import { type ImageRequest, parseImageRequest } from '../../render/request/image-request.ts';
import { ImageRequestBody } from '../../render/request/schemas/image-schema.ts';
import { countDelivery } from '../metrics/count-outcomes.ts';
import { documentRecord } from '../replies/records.ts';
import { rememberImage } from '../replies/remember-render.ts';
import { binary } from '../replies/response-schema.ts';
import { CREATED, RESULT_HEADERS, replayStored, setCreated, setResultHeaders } from '../replies/send-delivery.ts';
import { DRY_RUN_SCHEMA, sendDryRun } from '../replies/send-dry-run.ts';
import { type ImageFacts, sendImage } from '../replies/send-image.ts';
import { serverTiming } from '../replies/send-pdf.ts';
import { REPORTED_IMAGE_SCHEMA, sendReportedImage } from '../replies/send-report.ts';
import { type Content, memoryOfRender, spoolPdf } from '../replies/spool-pdf.ts';
import { idempotent, markReplayed } from '../requests/idempotent.ts';
import { IMAGE_PARAMETERS, IMAGE_PARAMETERS_SCHEMA } from '../requests/parameters.ts';
import { requestUsage } from '../requests/request-memory.ts';
import { parseBody, readSourceBodies, SOURCE_CONTENT, takeSourceBody } from '../requests/source-bodies.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';
import { JSON_TYPE, prefersType, requireAcceptable } from '../server/negotiation.ts';
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

export interface ImageRouteServices extends RenderNowServices {
  /** See `render/render.ts`. */
  renderImage(
    request: ImageRequest,
    principal: Principal,
    client: AbortSignal,
    commitHook?: CommitHook<ImageDelivery>,
    memory?: RenderMemory,
  ): Promise<ImageDelivery>;
}

export async function imageRoutes(app: FastifyInstance, services: ImageRouteServices): Promise<void> {
  await app.register(async (scope) => {
    readSourceBodies(scope, services.limits, IMAGE_PARAMETERS);
    scope.post('/v1/image', { schema: SCHEMA, config: RATE_LIMITED }, async (request, reply) => {
      if (isAsync(request)) return startRender(services, 'image', request, reply);
      const body = takeSourceBody(request);
      const deliverTo = takeUploadTarget(body);
      const imageRequest = parseBody(body, services.limits, parseImageRequest);
      requireAcceptable(request, imageMediaType(imageRequest), JSON_TYPE);
      if (imageRequest.isDryRun) return sendDryRun(services, { ...imageRequest, deliverTo }, request, reply);
      return idempotent(
        request,
        services.idempotency,
        (claim) => renderNow(services, imageRequest, request, reply, claim),
        (answer, name) => replay(services, answer, name, request, reply),
      );
    });
  });
}

async function renderNow(
  { metrics, renderImage, idempotency, blobs }: ImageRouteServices,
  imageRequest: ImageRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  claim: Claim | undefined,
): Promise<FastifyReply> {
  const principal = requirePrincipal(request);
  const usage = requestUsage(request);
  const type = imageMediaType(imageRequest);
  const sendsImage = !imageRequest.store || prefersType(request, type, JSON_TYPE);
  const memory = memoryOfRender(usage, sendsImage);
  const commitHook = claim && rememberImage(idempotency, claim, imageRequest, principal.plan);
  const client = disconnectSignal(reply);
  const delivery = await countDelivery(metrics, () => renderImage(imageRequest, principal, client, commitHook, memory));
  const { image, document, remaining } = delivery;
  setResultHeaders(reply, { document, remaining, warnings: image.report.warning_count });
  reply.header('server-timing', serverTiming(image));
  const facts = { ...image, type, filename: imageRequest.filename ?? null, documentId: document?.id };
  if (!imageRequest.store || !document) return send(request, reply, facts, await spoolPdf(image, usage, blobs));
  setCreated(request, reply, document);
  if (sendsImage) return sendImage(reply, { ...facts, filename: document.filename }, await spoolPdf(image, usage, blobs));
  return reply.send(documentRecord(document, requestOrigin(request)));
}

/** Repeats the first reply. */
async function replay(
  { documents, idempotency }: ImageRouteServices,
  answer: Answer,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  markReplayed(reply);
  if (answer.kind !== 'image') return replayStored(documents, answer, request, reply);
  const content = await idempotency.read({ keyId: requirePrincipal(request).keyId, name });
  setResultHeaders(reply, { ...answer, warnings: answer.report.warning_count });
  return send(request, reply, answer, content);
}

function send(request: FastifyRequest, reply: FastifyReply, facts: ImageFacts, content: Content): FastifyReply {
  return prefersType(request, JSON_TYPE, facts.type)
    ? sendReportedImage(reply, facts, content)
    : sendImage(reply, facts, content);
}

function imageMediaType({ capture }: ImageRequest): string {
  return `image/${capture.type}`;
}

const SCHEMA = {
  operationId: 'renderImage',
  summary: 'Render an image',
  description: 'Renders the sources of `POST /v1/pdf` to a PNG, JPEG or WebP image. It counts as one document of the month.',
  headers: START_HEADERS,
  querystring: IMAGE_PARAMETERS_SCHEMA,
  body: { content: { [JSON_TYPE]: { schema: withResultFields(ImageRequestBody) }, ...SOURCE_CONTENT } },
  response: {
    200: {
      description:
        'The image; where Accept names application/json alone, with the report of its render. With `dry_run`, what would happen.',
      headers: RESULT_HEADERS,
      content: {
        ...binary('image/png'),
        ...binary('image/jpeg'),
        ...binary('image/webp'),
        [JSON_TYPE]: { schema: { $id: 'ImageReply', anyOf: [REPORTED_IMAGE_SCHEMA, DRY_RUN_SCHEMA] } },
      },
    },
    201: CREATED,
    202: ACCEPTED,
  },
  errors: [402, 404, 406, 409, 410, 422, 504],
};
