/** A PDF inside JSON, with what its render had to tell; written in pieces, so that a large one is never copied together. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Content } from './held-pdf.ts';
import { JSON_TYPE } from './negotiation.ts';
import { REPORT_SCHEMA } from './records.ts';
import { memoryOf } from './request-memory.ts';

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
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  const facts = { ...(filename !== undefined && { filename }), bytes, pages, sha256: hash.digest('hex'), report };
  reply.type(JSON_TYPE).header('platen-pages', pages);
  return reply.send(Readable.from(pieces(facts, content), { objectMode: false }));
}

/** The same from where it is kept; all of it is held. */
export async function sendReportedStream(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: Omit<ReportedPdf, 'chunks'>,
  content: Readable,
  filename: string | undefined,
): Promise<FastifyReply> {
  memoryOf(request).atLeast(facts.bytes);
  return sendReported(reply, { ...facts, chunks: (await content.toArray()) as Buffer[] }, filename);
}

/** Base64 turns three bytes into four letters: what is left over goes with the next chunk. */
async function* pieces(facts: object, content: Content): AsyncIterable<string> {
  yield `${JSON.stringify(facts).slice(0, -1)},"pdf":"`;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    const whole = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    const end = whole.length - (whole.length % 3);
    yield whole.toString('base64', 0, end);
    rest = whole.subarray(end);
  }
  yield `${rest.toString('base64')}"}`;
}

export const REPORTED_SCHEMA = {
  type: 'object',
  properties: {
    filename: { type: 'string', description: 'As it was sent.' },
    bytes: { type: 'integer', description: 'Size of the PDF.' },
    pages: { type: 'integer' },
    sha256: { type: 'string', description: 'Digest of the PDF, in hexadecimal.' },
    report: REPORT_SCHEMA,
    pdf: { type: 'string', contentEncoding: 'base64', contentMediaType: 'application/pdf' },
  },
};
