/** `POST /v1/pdf/assemble`: puts a PDF together from documents that are rendered and PDFs that exist, and changes it in steps. */
import type { FastifyInstance } from 'fastify';
import { REPORT_SCHEMA } from '../../render/report-schema.ts';
import { AssemblyBody } from '../../render/request/schemas/assembly-schema.ts';
import { DRY_RUN_SCHEMA } from '../replies/dry-run-schema.ts';
import { binary, header, withExample } from '../replies/response-schema.ts';
import { CREATED, RESULT_HEADERS } from '../replies/send-delivery.ts';
import { REPORTED_SCHEMA } from '../replies/send-report.ts';
import { readRequestForms } from '../requests/source-bodies.ts';
import { JSON_TYPE, PDF } from '../server/negotiation.ts';
import { RENDERS } from '../server/rate-limit.ts';
import { answerRender } from './render-now.ts';
import { ACCEPTED, START_HEADERS, withResultFields } from './renders.ts';
import type { RouteServices } from './services.ts';

export async function assembleRoutes(app: FastifyInstance, services: RouteServices): Promise<void> {
  await app.register(async (scope) => {
    readRequestForms(scope, services.limits);
    scope.post('/v1/pdf/assemble', { schema: SCHEMA, config: RENDERS }, async (request, reply) =>
      answerRender(services, 'assembly', request, reply),
    );
  });
}

const FORM_SCHEMA = {
  $id: 'AssemblyForm',
  type: 'object',
  required: ['request'],
  properties: {
    request: { type: 'string', contentMediaType: JSON_TYPE, description: 'The JSON body.' },
    files: {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      description: 'PDFs, images and other files, which parts and steps name.',
    },
  },
};

const NUMBER = { type: 'number' };
const TEXT = { type: 'string' };
const BASE64 = { type: 'string', contentEncoding: 'base64' };
const listOf = ($id: string, properties: object) => ({ type: 'array', items: { $id, type: 'object', properties } });

const EXTRACTED_SCHEMA = {
  $id: 'Extracted',
  type: 'object',
  description: 'Lengths are in points, from the upper left corner. Members that were not asked for are absent.',
  properties: {
    pages: listOf('ExtractedPage', {
      ...{ width: NUMBER, height: NUMBER, text: TEXT },
      lines: listOf('ExtractedLine', { text: TEXT, x: NUMBER, y: NUMBER, width: NUMBER, height: NUMBER }),
    }),
    markdown: { type: ['string', 'null'], description: 'Null if the PDF has no tags.' },
    metadata: { $id: 'ExtractedMetadata', type: 'object', additionalProperties: true },
    bookmarks: listOf('ExtractedBookmark', { title: TEXT, page: { type: ['integer', 'null'] } }),
    fields: listOf('ExtractedField', { name: TEXT, type: TEXT, value: {} }),
    attachments: listOf('ExtractedFile', {
      ...{
        name: TEXT,
        type: { type: ['string', 'null'] },
        description: { type: ['string', 'null'] },
        bytes: { type: 'integer' },
      },
      content: BASE64,
    }),
    images: listOf('ExtractedImage', {
      ...{ type: TEXT, width: NUMBER, height: NUMBER, bytes: { type: 'integer' }, content: BASE64 },
      places: listOf('ExtractedPlace', { page: { type: 'integer' }, x: NUMBER, y: NUMBER, width: NUMBER, height: NUMBER }),
    }),
    dropped: REPORT_SCHEMA.properties.dropped,
  },
};

const EXAMPLE = {
  parts: [{ html: '<h1>Cover</h1>' }, { html: '<h1>Content</h1>' }],
  steps: [{ bookmarks: { items: [{ title: 'Content', page: 2 }] } }],
};

const SCHEMA = {
  operationId: 'assemblePdf',
  summary: 'Assemble a PDF',
  description:
    'Puts a PDF together from parts and changes it in steps. Parts are documents that are rendered, stored documents, and PDFs of any producer. Each part that is rendered is charged as a document; the rest is free. Errors name the part or the step.',
  headers: START_HEADERS,
  body: {
    content: {
      [JSON_TYPE]: { schema: withExample(withResultFields(AssemblyBody), EXAMPLE) },
      'multipart/form-data': { schema: FORM_SCHEMA },
    },
  },
  response: {
    200: {
      description:
        'The PDF; with the step `split` a ZIP archive of PDFs; with the step `extract` what the PDF holds. Where Accept names application/json alone, the PDF with the report. With `dry_run`, what would happen.',
      headers: { 'Platen-Pages': header('integer', 'Number of pages.'), ...RESULT_HEADERS },
      content: {
        ...binary(PDF),
        ...binary('application/zip'),
        [JSON_TYPE]: { schema: { $id: 'AssemblyReply', anyOf: [REPORTED_SCHEMA, EXTRACTED_SCHEMA, DRY_RUN_SCHEMA] } },
      },
    },
    201: CREATED,
    202: ACCEPTED,
  },
  errors: [402, 404, 406, 409, 410, 422, 504],
};
