/** A PDF inside JSON, with what its render had to tell; written in pieces, so that a large one is never copied together. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Content } from './held-pdf.ts';
import { JSON_TYPE } from './negotiation.ts';
import { REPORT_SCHEMA } from './records.ts';

/** What is told of a PDF beside its bytes. */
interface ReportedPdf {
  chunks: Buffer[];
  bytes: number;
  pages: number;
  report: object;
}

export function sendReported(
  reply: FastifyReply,
  { chunks, bytes, pages, report }: ReportedPdf,
  filename: string | undefined,
  content: Content = chunks,
): FastifyReply {
  return sendReportedStream(reply, { bytes, pages, report }, content, filename);
}

/** The same from where it is kept. */
export function sendReportedStream(
  reply: FastifyReply,
  { bytes, pages, report }: Omit<ReportedPdf, 'chunks'>,
  content: Content,
  filename: string | undefined,
): FastifyReply {
  const facts = { ...(filename !== undefined && { filename }), bytes, pages, report };
  reply.type(JSON_TYPE).header('platen-pages', pages);
  return reply.send(Readable.from(pieces(facts, content), { objectMode: false }));
}

/** Base64 turns three bytes into four letters: what is left over goes with the next chunk. The digest is known at the end. */
async function* pieces(facts: object, content: Content): AsyncIterable<string> {
  const hash = createHash('sha256');
  yield `${JSON.stringify(facts).slice(0, -1)},"pdf":"`;
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

export const REPORTED_SCHEMA = {
  type: 'object',
  properties: {
    filename: { type: 'string', description: 'The `filename` of the request.' },
    bytes: { type: 'integer', description: 'Size of the PDF.' },
    pages: { type: 'integer' },
    sha256: { type: 'string', description: 'Digest of the PDF, in hexadecimal.' },
    report: REPORT_SCHEMA,
    pdf: { type: 'string', contentEncoding: 'base64', contentMediaType: 'application/pdf' },
  },
};
