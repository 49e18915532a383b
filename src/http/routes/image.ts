/** `POST /v1/image`: renders a document as an image. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import { type Answer, type Claim, type Idempotency, resultGone } from '../../idempotency/idempotency.ts';
import { type ImageRequest, parseImageRequest } from '../../render/image-request.ts';
import { ImageRequestBody } from '../../render/image-schema.ts';
import type { CommitHook, ImageDelivery, RenderMemory } from '../../render/render.ts';
import type { RenderLimits } from '../../render/render-request.ts';
import { principalOf } from '../authenticate.ts';
import { whenClientLeaves } from '../client-leaves.ts';
import { type Content, heldPdf, memoryOfRender, type Spool } from '../held-pdf.ts';
import { IDEMPOTENCY_SCHEMA, idempotent, markReplayed } from '../idempotent.ts';
import { measured } from '../measured.ts';
import type { Metrics } from '../metrics.ts';
import { asksFor, JSON_TYPE, requireAcceptable } from '../negotiation.ts';
import { IMAGE_PARAMETERS, IMAGE_PARAMETERS_SCHEMA } from '../parameters.ts';
import { RATE_LIMITED } from '../rate-limit.ts';
import { rememberRender } from '../remember-render.ts';
import { heldBy } from '../request-memory.ts';
import { binary, header } from '../response-schema.ts';
import { DRY_RUN_SCHEMA, type DryRunRouteServices, sendDryRun } from '../send-dry-run.ts';
import { type ImageFacts, sendImage } from '../send-image.ts';
import { serverTiming } from '../send-pdf.ts';
import { REPORTED_IMAGE_SCHEMA, sendReportedImage } from '../send-report.ts';
import { parseBody, readSourceBodies, SOURCE_CONTENT, takeSourceBody } from '../source-bodies.ts';
import { problemResponses } from './problem-responses.ts';

export interface ImageRouteServices extends DryRunRouteServices {
  limits: RenderLimits;
  metrics: Metrics;
  idempotency: Idempotency;
  /** Holds replies that have no room in memory. */
  blobs: Spool;
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
      const imageRequest = parseBody(takeSourceBody(request), services.limits, parseImageRequest);
      requireAcceptable(request, mediaTypeOf(imageRequest), JSON_TYPE);
      if (imageRequest.isDryRun) return sendDryRun(services, { ...imageRequest, isPdf: false }, request, reply);
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
  const principal = principalOf(request);
  const held = heldBy(request);
  const memory = memoryOfRender(held);
  const factsOf = ({ image: { bytes, width, height, report } }: ImageDelivery): ImageFacts => ({
    ...{ type: mediaTypeOf(imageRequest), bytes, width, height, report },
    filename: imageRequest.filename ?? null,
  });
  const commitHook =
    claim &&
    rememberRender<ImageDelivery>(idempotency, claim, principal.plan, {
      chunksOf: ({ image }) => image.chunks,
      answerOf: (delivery) => ({ kind: 'image', ...factsOf(delivery), remaining: delivery.remaining }),
    });
  const client = whenClientLeaves(reply);
  const delivery = await measured(() => renderImage(imageRequest, principal, client, commitHook, memory), {
    succeeded: ({ image }) => metrics.renderSucceeded(image),
    failed: metrics.renderFailed,
  });
  reply.header('server-timing', serverTiming(delivery.image));
  return send(request, reply, factsOf(delivery), delivery.remaining, await heldPdf(delivery.image, held, blobs));
}

/** Repeats the first reply. */
async function replay(
  { idempotency }: ImageRouteServices,
  answer: Answer,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (answer.kind !== 'image') throw resultGone();
  const content = await idempotency.read({ keyId: principalOf(request).keyId, name });
  return send(request, markReplayed(reply), answer, answer.remaining, content);
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: ImageFacts,
  remaining: number | null,
  content: Content,
): FastifyReply {
  if (remaining !== null) reply.header('platen-quota-remaining', remaining);
  reply.header('platen-warnings', facts.report.warning_count);
  return asksFor(request, JSON_TYPE, facts.type) ? sendReportedImage(reply, facts, content) : sendImage(reply, facts, content);
}

function mediaTypeOf({ capture }: ImageRequest): string {
  return `image/${capture.type}`;
}

const SCHEMA = {
  operationId: 'renderImage',
  summary: 'Render an image',
  description:
    'Renders the sources of `POST /v1/pdf`, in bodies of the same types, to a PNG, JPEG or WebP image. It counts as one document of the month, and is not stored.',
  tags: ['Rendering'],
  security: [{ bearer: [] }],
  headers: IDEMPOTENCY_SCHEMA,
  querystring: IMAGE_PARAMETERS_SCHEMA,
  body: { content: { [JSON_TYPE]: { schema: ImageRequestBody }, ...SOURCE_CONTENT } },
  response: {
    200: {
      description:
        'The image; or, where Accept names application/json alone, the image with the report of its render; or, with `dry_run`, what would happen.',
      headers: {
        'Platen-Quota-Remaining': header('integer', 'Documents left this month; absent where the plan has no limit.'),
        'Idempotency-Replayed': header('string', 'true where the reply was given before.'),
        'Platen-Warnings': header('integer', 'Number of things that are missing or wrong.'),
        'Server-Timing': header('string', 'Milliseconds in queue, load, print, finish.'),
      },
      content: {
        ...binary('image/png'),
        ...binary('image/jpeg'),
        ...binary('image/webp'),
        [JSON_TYPE]: { schema: { title: 'ImageReply', anyOf: [REPORTED_IMAGE_SCHEMA, DRY_RUN_SCHEMA] } },
      },
    },
    ...problemResponses(400, 401, 402, 403, 404, 406, 408, 409, 410, 413, 415, 422, 429, 500, 503, 504),
  },
};
