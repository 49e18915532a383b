/** Sends a PDF or an image, from memory or from the content store: a new one, or all or a part of a stored one. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import {
  type ByteRange,
  type Documents,
  documentExtension,
  documentType,
  type StoredDocument,
} from '../../documents/documents.ts';
import { ServiceError } from '../../errors.ts';
import { PDF } from '../server/negotiation.ts';
import { type Disposition, toDisposition } from './disposition.ts';
import type { Content } from './spool-pdf.ts';

const IMAGE_CSP = "default-src 'none'";
/** A viewer may neither run nor load anything, even if it does not recognise a PDF. `sandbox` would disable Chrome's viewer. */
const PDF_CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export interface FileFacts {
  /** Media type. */
  type: string;
  bytes: number;
  /** Undefined for an image. */
  pages?: number | undefined;
  filename: string | null | undefined;
}

export function sendFile(reply: FastifyReply, facts: FileFacts, content: Content): FastifyReply {
  return setFileHeaders(reply, facts).send(toBody(content));
}

/** A stream takes more time than a buffer. */
function toBody(content: Content): Readable | Buffer | undefined {
  if (content instanceof Readable) return content;
  return content.length > 1 ? Readable.from(content, { objectMode: false }) : content[0];
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
  setFileHeaders(reply, storedFacts(document), disposition).header('etag', etag).header('accept-ranges', 'bytes');
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

export function storedFacts(document: StoredDocument) {
  const { bytes, filename, image, pages } = document;
  return { type: documentType(document), bytes, filename, ...(image ? { ...image } : { pages }) };
}

function setFileHeaders(
  reply: FastifyReply,
  { type, bytes, pages, filename }: FileFacts,
  disposition?: Disposition,
): FastifyReply {
  if (pages !== undefined) reply.header('platen-pages', pages);
  return reply
    .type(type)
    .header('content-security-policy', type === PDF ? PDF_CSP : IMAGE_CSP)
    .header('content-length', bytes)
    .header('content-disposition', toDisposition(filename, documentExtension(type), disposition));
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
