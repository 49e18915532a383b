/**
 * Sends a PDF or an image inside JSON, with the report of its render. It is written in chunks, so that a large one is never
 * concatenated.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { JSON_TYPE } from '../server/negotiation.ts';
import { REPORT_SCHEMA } from './records.ts';
import { recordSchema } from './response-schema.ts';
import type { ImageFacts } from './send-image.ts';
import type { Content } from './spool-pdf.ts';

/** Properties of a PDF that the JSON states besides its bytes. */
interface ReportedPdf {
  chunks: Buffer[];
  bytes: number;
  pages: number;
  report: object;
  /** Undefined if the PDF was not stored. */
  documentId?: string | undefined;
}

export function sendReported(
  reply: FastifyReply,
  { chunks, ...facts }: ReportedPdf,
  filename: string | undefined,
  content: Content = chunks,
): FastifyReply {
  return sendReportedStream(reply, facts, content, filename);
}

/** Sends a PDF inside JSON from any content, such as that of the content store. */
export function sendReportedStream(
  reply: FastifyReply,
  { bytes, pages, report, documentId }: Omit<ReportedPdf, 'chunks'>,
  content: Content,
  filename: string | undefined,
): FastifyReply {
  const stored = documentId !== undefined && { document_id: documentId };
  const facts = { ...stored, ...(filename !== undefined && { filename }), bytes, pages, report };
  return sendPieces(reply.header('platen-pages', pages), facts, 'pdf', content);
}

/** Sends an image inside JSON. */
export function sendReportedImage(
  reply: FastifyReply,
  { filename, type, bytes, width, height, report, documentId }: ImageFacts,
  content: Content,
): FastifyReply {
  const stored = documentId !== undefined && { document_id: documentId };
  const facts = { ...stored, ...(filename !== null && { filename }), type, bytes, width, height, report };
  return sendPieces(reply, facts, 'image', content);
}

function sendPieces(reply: FastifyReply, facts: object, member: 'pdf' | 'image', content: Content): FastifyReply {
  return reply.type(JSON_TYPE).send(Readable.from(pieces(facts, member, content), { objectMode: false }));
}

/** Base64 encodes three bytes at a time, so that remaining bytes go with the next chunk. The digest is known at the end. */
async function* pieces(facts: object, member: string, content: Content): AsyncIterable<string> {
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
