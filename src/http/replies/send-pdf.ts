/** Sends a PDF, from memory or from the content store; and any stored document. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import type { ByteRange, Documents, StoredDocument } from '../../documents/documents.ts';
import { ServiceError } from '../../errors.ts';
import type { RenderedPdf } from '../../render/pdf.ts';
import { PDF } from '../server/negotiation.ts';
import { type Disposition, toDisposition } from './disposition.ts';
import { setImageHeaders } from './send-image.ts';
import type { Content } from './spool-pdf.ts';

/** A viewer may neither run nor load anything, even if it does not recognise a PDF. `sandbox` would disable Chrome's viewer. */
const PDF_CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Properties of a PDF that headers of the reply state. */
export interface PdfFacts {
  bytes: number;
  pages: number;
  filename: string | null | undefined;
}

/** Sends a PDF that has just been rendered. */
export function sendRendered(
  reply: FastifyReply,
  pdf: RenderedPdf,
  filename: string | undefined,
  content: Content,
): FastifyReply {
  setPdfHeaders(reply, { ...pdf, filename });
  if (content instanceof Readable) return reply.send(content);
  const [only, ...more] = content;
  return reply.send(more.length || !only ? Readable.from(content, { objectMode: false }) : only);
}

/** Sends a whole PDF from the content store. */
export function sendStream(reply: FastifyReply, facts: PdfFacts, content: Readable): FastifyReply {
  return setPdfHeaders(reply, facts).send(content);
}

/** Sends a stored document: all of it, the requested range, or 304 if the client has it already. */
export async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  documents: Documents,
  document: StoredDocument,
  disposition: Disposition = 'inline',
): Promise<FastifyReply> {
  const etag = `"${document.sha256}"`;
  setStoredHeaders(reply, document, disposition).header('etag', etag).header('accept-ranges', 'bytes');
  // Only this header counts. `fetch` adds a Cache-Control header that is meant for caches.
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag }))
    return reply.removeHeader('content-length').code(304).send();
  if (request.method === 'HEAD') return reply.send();
  const range = requestedRange(request, reply, document, etag);
  const content = await documents.read(document, range);
  if (range) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${document.bytes}`);
    reply.header('content-length', range.end - range.start + 1);
  }
  return reply.send(content);
}

function setStoredHeaders(reply: FastifyReply, document: StoredDocument, disposition: Disposition): FastifyReply {
  const { image, bytes, filename } = document;
  return image ? setImageHeaders(reply, { ...image, bytes, filename }, disposition) : setPdfHeaders(reply, document, disposition);
}

function setPdfHeaders(reply: FastifyReply, { bytes, pages, filename }: PdfFacts, disposition?: Disposition): FastifyReply {
  return reply
    .type(PDF)
    .header('content-security-policy', PDF_CSP)
    .header('content-length', bytes)
    .header('content-disposition', toDisposition(filename, '.pdf', disposition))
    .header('platen-pages', pages);
}

/** Returns undefined to send everything: without a Range header, for several ranges, or if `If-Range` names another version. */
function requestedRange(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { bytes }: StoredDocument,
  etag: string,
): ByteRange | undefined {
  if (headers.range === undefined || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) return undefined;
  const ranges = parseRange(bytes, headers.range, { combine: true });
  if (ranges === -1) {
    reply.header('content-range', `bytes */${bytes}`);
    throw new ServiceError('range_not_satisfiable', `the document has ${bytes} bytes`, { members: { size: bytes } });
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

/** Formats the milliseconds of each phase as a Server-Timing header. */
export function serverTiming({ timings }: Pick<RenderedPdf, 'timings'>): string {
  return Object.entries(timings)
    .map(([phase, milliseconds]) => `${phase};dur=${milliseconds}`)
    .join(', ');
}
