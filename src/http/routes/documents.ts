/** `/v1/documents` and signed links: stored PDFs and images for the key that made them, and for anyone who has a link. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { documentType } from '../../documents/documents.ts';
import type { Claim } from '../../idempotency/idempotency.ts';
import { option } from '../../render/request/schemas/option.ts';
import { validator } from '../../validate.ts';
import type { Disposition } from '../replies/disposition.ts';
import { DOCUMENT_SCHEMA, documentRecord, FILTER_PARAMETERS, toIsoTime } from '../replies/records.ts';
import { type ById, header, listSchema, pathId, recordSchema, TIME } from '../replies/response-schema.ts';
import { DOCUMENT_CONTENT } from '../replies/send-delivery.ts';
import { sendStored } from '../replies/send-file.ts';
import { IDEMPOTENCY_SCHEMA, idempotent, markReplayed, sendJson } from '../requests/idempotent.ts';
import { readFilteredPage, readQuery, readText, readTime, toList } from '../requests/listing.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { getAndHead } from '../server/get-and-head.ts';
import { JSON_TYPE, prefersType, requireAcceptable } from '../server/negotiation.ts';
import { requestOrigin } from '../server/origin.ts';
import { requestTarget } from '../server/request-path.ts';
import { showErrors } from './pages.ts';
import type { RouteServices } from './services.ts';

const DEFAULT_LINK_SECONDS = 3_600;
/** A hundred years, which is longer than any plan keeps documents and still a valid date. */
const MAX_LINK_SECONDS = 3_153_600_000;

const LinkBody = Type.Object(
  {
    expires_in: option(Type.Integer({ minimum: 1, maximum: MAX_LINK_SECONDS }), {
      expected: 'a whole number of seconds, at least 1',
      description: 'How long the link works. It ends with the document at the latest.',
      default: DEFAULT_LINK_SECONDS,
      'x-unit': 's',
      examples: [86_400],
    }),
  },
  { additionalProperties: false, $id: 'LinkRequest', expected: 'a JSON object', 'x-optional': true },
);
const checkLink = validator(LinkBody);

const BODY_OPTIONAL = { bodyOptional: true };

/** Anyone who has a link may add this, because it is not signed. */
const DOWNLOAD = /&download=1$/;

const FILTERS = { template_id: readText, created_after: readTime, created_before: readTime, q: readText };

export function documentRoutes(app: FastifyInstance, { documents, links, idempotency }: RouteServices): void {
  app.get('/v1/documents', { schema: LIST }, async (request) => {
    const { page, filter } = readFilteredPage(request, FILTERS);
    const { template_id: templateId, created_after: createdAfter, created_before: createdBefore, q: text, metadata } = filter;
    const wanted = { templateId, createdAfter, createdBefore, text, metadata };
    const found = await documents.list(requirePrincipal(request).keyId, page.limit, wanted, page.after);
    return toList(found, (document) => documentRecord(document, requestOrigin(request)));
  });

  getAndHead<ById>(app, '/v1/documents/:id', { schema: READ }, async (request, reply) => {
    const { download = 'inline' } = readQuery(request, { download: readDownload });
    const document = await documents.find(requirePrincipal(request).keyId, request.params.id);
    requireAcceptable(request, documentType(document), JSON_TYPE);
    reply.header('vary', 'Accept');
    if (prefersType(request, JSON_TYPE, documentType(document))) return documentRecord(document, requestOrigin(request));
    return sendStored(request, reply, documents, document, download);
  });

  app.delete<ById>('/v1/documents/:id', { schema: REMOVE, config: BODY_OPTIONAL }, async (request, reply) => {
    await documents.remove(requirePrincipal(request).keyId, request.params.id);
    return reply.code(204).send();
  });

  app.post<ById>('/v1/documents/:id/links', { schema: LINK, config: BODY_OPTIONAL }, async (request, reply) => {
    const { body: given = {} } = request;
    const { expires_in: seconds = DEFAULT_LINK_SECONDS } = checkLink(given);
    const document = await documents.find(requirePrincipal(request).keyId, request.params.id);
    const make = async (claim: Claim | undefined) => {
      const link = links.sign(document, seconds);
      const body = { url: requestOrigin(request) + link.path, expires_at: toIsoTime(link.expiresAt) };
      const answer = { kind: 'json' as const, status: 201, body };
      if (claim) await idempotency.completeAlone(claim, answer, { resourceId: document.id });
      return sendJson(reply, answer);
    };
    return idempotent(request, idempotency, make, async (answer) => sendJson(markReplayed(reply), answer));
  });
}

/** These routes are not under `/v1`, because the signature replaces the key. */
export function linkRoutes(app: FastifyInstance, { documents, links, pages }: RouteServices): void {
  getAndHead<ById>(app, '/links/:id', { schema: FOLLOW, errorHandler: showErrors(pages) }, async (request, reply) => {
    const target = requestTarget(request);
    const signed = target.replace(DOWNLOAD, '');
    const document = await documents.findShared(links.check(signed));
    reply.header('referrer-policy', 'no-referrer').header('cache-control', 'private, no-store');
    return sendStored(request, reply, documents, document, target === signed ? 'inline' : 'attachment');
  });
}

function readDownload(text: string): Disposition {
  if (text !== '1') throw new Error('must be 1');
  return 'attachment';
}

const ID = pathId('Document', 'doc');
const DOWNLOAD_PARAMETER = {
  $id: 'DownloadParam',
  type: 'string',
  enum: ['1'],
  description: 'Send 1 to have a browser save the document rather than show it.',
};
const RANGE_HEADERS = {
  type: 'object',
  properties: { Range: { type: 'string', examples: ['bytes=0-1023'] }, 'If-None-Match': { type: 'string' } },
};
const TEXT_HEADER = (description: string) => header('string', description);
const CONTENT_HEADERS = {
  ETag: TEXT_HEADER('Its sha256.'),
  'Accept-Ranges': TEXT_HEADER('bytes'),
  'Content-Disposition': TEXT_HEADER('`inline`, with the filename.'),
};
const CONTENT_REPLIES = {
  206: {
    $id: 'Content206',
    description: 'The part that Range asked for.',
    headers: { ...CONTENT_HEADERS, 'Content-Range': TEXT_HEADER('The range that is sent, and the size of the document.') },
    content: DOCUMENT_CONTENT,
  },
  304: { description: 'The document has not changed: its ETag is that of If-None-Match.', type: 'null' },
};

const LIST = {
  operationId: 'listDocuments',
  summary: 'List stored documents',
  querystring: {
    type: 'object',
    properties: {
      ...FILTER_PARAMETERS,
      template_id: { type: 'string', description: 'Only documents made from this template.' },
      created_after: { ...TIME, description: 'Only documents created after this time.' },
      created_before: { ...TIME, description: 'Only documents created before this time.' },
      q: {
        type: 'string',
        description:
          'Only documents whose file name contains these words, in any order and case, or whose id it is. A page may have fewer than `limit` records even if more follow.',
        examples: ['invoice-2026'],
      },
    },
  },
  response: {
    200: {
      description: 'One page of the documents of this key that have neither expired nor been deleted.',
      ...listSchema(DOCUMENT_SCHEMA),
    },
  },
};

const READ = {
  operationId: 'fetchDocument',
  summary: 'Fetch a stored document',
  description: 'Returns the PDF or image, or its record if Accept names application/json and neither its type nor */*.',
  params: ID,
  querystring: { type: 'object', properties: { download: DOWNLOAD_PARAMETER } },
  headers: RANGE_HEADERS,
  response: {
    200: {
      description: 'The PDF or image, or its record.',
      headers: CONTENT_HEADERS,
      content: { ...DOCUMENT_CONTENT, [JSON_TYPE]: { schema: DOCUMENT_SCHEMA } },
    },
    ...CONTENT_REPLIES,
  },
  errors: [406, 410, 416],
};

const REMOVE = {
  operationId: 'deleteDocument',
  summary: 'Delete a stored document',
  description: 'The content is removed before the reply is sent. Later requests for the document are answered with 410.',
  params: ID,
  response: { 204: { description: 'The document was deleted.', type: 'null' } },
  errors: [410],
};

const LINK = {
  operationId: 'createDocumentLink',
  summary: 'Create a signed link',
  description: 'Creates a link to the document that works without a key until it expires or the document is removed.',
  params: ID,
  headers: IDEMPOTENCY_SCHEMA,
  body: LinkBody,
  response: {
    201: {
      description: 'The link.',
      ...recordSchema('Link', { url: { type: 'string', format: 'uri' }, expires_at: TIME }),
    },
  },
  errors: [409, 410, 422],
};

const FOLLOW = {
  security: [],
  operationId: 'followDocumentLink',
  summary: 'Follow a signed link',
  params: pathId('Link', 'doc'),
  headers: RANGE_HEADERS,
  querystring: {
    type: 'object',
    properties: {
      expires: { type: 'string' },
      key: { type: 'string' },
      signature: { type: 'string' },
      download: DOWNLOAD_PARAMETER,
    },
  },
  response: {
    200: { description: 'The PDF or image.', headers: CONTENT_HEADERS, content: DOCUMENT_CONTENT },
    ...CONTENT_REPLIES,
  },
  errors: [403, 410, 416],
};
