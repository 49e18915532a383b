/** `GET /v1/documents/{id}/pages/{n}.png`: draws a page of a stored PDF. */
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { StoredDocument } from '../../documents/documents.ts';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_DRAWN_WIDTH, MAX_DRAWN_BYTES, MAX_DRAWN_WIDTH, MIN_DRAWN_WIDTH } from '../../uploads/draw-pages.ts';
import { resourceLimit } from '../../uploads/upload-limits.ts';
import { binary, header, pathId } from '../replies/response-schema.ts';
import { PNG, readPageNumber, sendDrawnPage } from '../replies/send-drawn-page.ts';
import { readQuery } from '../requests/listing.ts';
import { requestMemory } from '../requests/request-memory.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { getAndHead } from '../server/get-and-head.ts';
import { requireAcceptable } from '../server/negotiation.ts';
import type { RouteServices } from './services.ts';

interface OfPage {
  Params: { id: string; n: string };
}

const WIDTH = /^\d{1,5}$/;

export function documentPageRoutes(app: FastifyInstance, services: RouteServices): void {
  getAndHead<OfPage>(app, '/v1/documents/:id/pages/:n.png', { schema: SCHEMA }, async (request, reply) => {
    requireAcceptable(request, PNG);
    const { width } = readQuery(request, { width: readWidth });
    const { id, n } = request.params;
    const document = await services.documents.find(requirePrincipal(request).keyId, id);
    if (document.image) throw new ServiceError('pdf_unreadable', 'the document is an image, and has no pages');
    return sendPage(services, document, { page: readPageNumber(n, document.pages), width }, request, reply);
  });
}

/** A document never changes, so that a client that has the image gets no other. */
async function sendPage(
  services: RouteServices,
  document: StoredDocument,
  { page, width }: { page: number; width: number | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const etag = `"${document.sha256}-${page}-${width ?? DEFAULT_DRAWN_WIDTH}"`;
  reply.header('etag', etag).header('content-security-policy', "default-src 'none'");
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.type(PNG).send();
  if (document.bytes > MAX_DRAWN_BYTES)
    throw resourceLimit(`the document has ${document.bytes} bytes, and pages of up to ${MAX_DRAWN_BYTES} are drawn`);
  const read = async (left: AbortSignal) => buffer(addAbortSignal(left, await services.documents.read(document)));
  const owner = requirePrincipal(request).accountId;
  return sendDrawnPage(services.pageDrawing, owner, { bytes: document.bytes, read, page, width }, requestMemory(request), reply);
}

function readWidth(text: string): number {
  const width = WIDTH.test(text) ? Number(text) : 0;
  if (width >= MIN_DRAWN_WIDTH && width <= MAX_DRAWN_WIDTH) return width;
  throw new Error(`must be a whole number of pixels from ${MIN_DRAWN_WIDTH} to ${MAX_DRAWN_WIDTH}`);
}

const SCHEMA = {
  operationId: 'drawDocumentPage',
  summary: 'Draw a page of a stored document',
  description:
    'A PNG of one page, at most 16,777,216 pixels, of a document of at most 64 MiB. It is not charged. A document with a password cannot be drawn.',
  params: pathId('Document', 'doc', { n: { type: 'integer', minimum: 1, description: 'The page, from 1.' } }),
  querystring: {
    type: 'object',
    properties: {
      width: {
        type: 'integer',
        minimum: MIN_DRAWN_WIDTH,
        maximum: MAX_DRAWN_WIDTH,
        default: DEFAULT_DRAWN_WIDTH,
        description: 'Width of the image in pixels. Without it, a very high page is drawn narrower.',
      },
    },
  },
  headers: { type: 'object', properties: { 'If-None-Match': { type: 'string' } } },
  response: {
    200: {
      description: 'The page.',
      headers: { ETag: header('string', 'Of the document, the page and the width.') },
      content: binary(PNG),
    },
    304: { description: 'The client has the image: its ETag is that of If-None-Match.', type: 'null' },
  },
  errors: [406, 410, 422, 429],
};
