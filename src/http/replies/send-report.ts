/**
 * Sends a PDF or an image inside JSON, with the report of its render. It is written in chunks, so that a large one is never
 * concatenated.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REPORT_SCHEMA } from '../../render/report-schema.ts';
import { JSON_TYPE, PDF, prefersType } from '../server/negotiation.ts';
import { recordSchema } from './response-schema.ts';
import { type FileFacts, sendFile } from './send-file.ts';
import type { Content } from './spool-pdf.ts';

/** Properties of a file that the JSON states besides its bytes. */
export interface ReportedFacts extends FileFacts {
  /** The width of an image in pixels. */
  width?: number;
  height?: number;
  report: object;
  /** Undefined if the file was not stored. */
  documentId?: string | undefined;
}

/** Sends the file, or the file inside JSON if the client prefers that. */
export function sendResult(request: FastifyRequest, reply: FastifyReply, facts: ReportedFacts, content: Content): FastifyReply {
  const { type, pages, documentId, filename, bytes, width, height, report } = facts;
  const isReportable = type === PDF || type.startsWith('image/');
  if (!isReportable || !prefersType(request, JSON_TYPE, type)) return sendFile(reply, facts, content);
  if (pages !== undefined) reply.header('platen-pages', pages);
  const isPdf = type === PDF;
  const own = isPdf ? { bytes, pages } : { type, bytes, width, height };
  const json = { document_id: documentId, filename: filename ?? undefined, ...own, report };
  const pieces = writePieces(json, isPdf ? 'pdf' : 'image', content);
  return reply.type(JSON_TYPE).send(Readable.from(pieces, { objectMode: false }));
}

/** Base64 encodes three bytes at a time, so that remaining bytes go with the next chunk. The digest is known at the end. */
async function* writePieces(facts: object, member: string, content: Content): AsyncIterable<string> {
  const hash = createHash('sha256');
  yield `${JSON.stringify(facts).slice(0, -1)},"${member}":"`;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    hash.update(chunk);
    const whole = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    const end = whole.length - (whole.length % 3);
    yield whole.toString('base64', 0, end);
    rest = whole.subarray(end);
  }
  yield `${rest.toString('base64')}","sha256":"${hash.digest('hex')}"}`;
}

export const REPORTED_SCHEMA = recordSchema(
  'RenderedPdf',
  {
    document_id: { type: 'string', description: 'Set when the PDF was stored.' },
    filename: { type: 'string', description: 'As it was sent.' },
    bytes: { type: 'integer', description: 'Size of the PDF.' },
    pages: { type: 'integer' },
    sha256: { type: 'string', description: 'Digest of the PDF, in hexadecimal.' },
    report: REPORT_SCHEMA,
    pdf: { type: 'string', contentEncoding: 'base64', contentMediaType: 'application/pdf' },
  },
  ['document_id', 'filename'],
);

export const REPORTED_IMAGE_SCHEMA = recordSchema(
  'RenderedImage',
  {
    document_id: { type: 'string', description: 'Set when the image was stored.' },
    filename: { type: 'string', description: 'As it was sent.' },
    type: { type: 'string', description: 'Media type.', examples: ['image/png'] },
    bytes: { type: 'integer', description: 'Size of the image.' },
    width: { type: 'integer', description: 'In pixels.' },
    height: { type: 'integer', description: 'In pixels.' },
    sha256: { type: 'string', description: 'Digest of the image, in hexadecimal.' },
    report: REPORT_SCHEMA,
    image: { type: 'string', contentEncoding: 'base64' },
  },
  ['document_id', 'filename'],
);
