/** `POST /v1/pdf`: renders a document, and sends the PDF or the record of the stored document. */
import type { FastifyInstance } from 'fastify';
import { PdfRequestBody } from '../../render/request/schemas/options-schema.ts';
import { DRY_RUN_SCHEMA } from '../replies/dry-run-schema.ts';
import { binary, header, withExample } from '../replies/response-schema.ts';
import { CREATED, RESULT_HEADERS } from '../replies/send-delivery.ts';
import { REPORTED_SCHEMA } from '../replies/send-report.ts';
import { PDF_PARAMETERS, PDF_PARAMETERS_SCHEMA } from '../requests/parameters.ts';
import { readSourceBodies, SOURCE_CONTENT } from '../requests/source-bodies.ts';
import { JSON_TYPE, PDF } from '../server/negotiation.ts';
import { RENDERS } from '../server/rate-limit.ts';
import { answerRender } from './render-now.ts';
import { ACCEPTED, START_HEADERS, withResultFields } from './renders.ts';
import type { RouteServices } from './services.ts';

export async function pdfRoutes(app: FastifyInstance, services: RouteServices): Promise<void> {
  await app.register(async (scope) => {
    readSourceBodies(scope, services.limits, PDF_PARAMETERS);
    scope.post('/v1/pdf', { schema: SCHEMA, config: RENDERS }, async (request, reply) =>
      answerRender(services, 'pdf', request, reply),
    );
  });
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
    content: {
      [JSON_TYPE]: {
        schema: withExample(withResultFields(PdfRequestBody), { html: '<h1>Hello, paper</h1>', options: { format: 'A5' } }),
      },
      ...SOURCE_CONTENT,
    },
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
