/** `POST /v1/image`: renders a document as an image, and sends the image or the record of the stored one. */
import type { FastifyInstance } from 'fastify';
import { ImageRequestBody } from '../../render/request/schemas/image-schema.ts';
import { DRY_RUN_SCHEMA } from '../replies/dry-run-schema.ts';
import { binary, withExample } from '../replies/response-schema.ts';
import { CREATED, RESULT_HEADERS } from '../replies/send-delivery.ts';
import { REPORTED_IMAGE_SCHEMA } from '../replies/send-report.ts';
import { IMAGE_PARAMETERS, IMAGE_PARAMETERS_SCHEMA } from '../requests/parameters.ts';
import { readSourceBodies, SOURCE_CONTENT } from '../requests/source-bodies.ts';
import { JSON_TYPE } from '../server/negotiation.ts';
import { RENDERS } from '../server/rate-limit.ts';
import { answerRender } from './render-now.ts';
import { ACCEPTED, START_HEADERS, withResultFields } from './renders.ts';
import type { RouteServices } from './services.ts';

export async function imageRoutes(app: FastifyInstance, services: RouteServices): Promise<void> {
  await app.register(async (scope) => {
    readSourceBodies(scope, services.limits, IMAGE_PARAMETERS);
    scope.post('/v1/image', { schema: SCHEMA, config: RENDERS }, async (request, reply) =>
      answerRender(services, 'image', request, reply),
    );
  });
}

const SCHEMA = {
  operationId: 'renderImage',
  summary: 'Render an image',
  description: 'Renders the sources of `POST /v1/pdf` to a PNG, JPEG or WebP image. It counts as one document of the month.',
  headers: START_HEADERS,
  querystring: IMAGE_PARAMETERS_SCHEMA,
  body: {
    content: {
      [JSON_TYPE]: { schema: withExample(withResultFields(ImageRequestBody), { html: '<h1>Hello, screen</h1>' }) },
      ...SOURCE_CONTENT,
    },
  },
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
