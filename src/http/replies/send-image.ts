/** Sends an image. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { documentExtension } from '../../documents/documents.ts';
import { type Disposition, toDisposition } from './disposition.ts';
import type { Content } from './spool-pdf.ts';

/** Properties of an image that headers of the reply state. */
export interface ImageFacts {
  /** Media type. */
  type: string;
  bytes: number;
  /** The width in pixels. */
  width: number;
  height: number;
  filename: string | null;
  report: { warning_count: number };
  /** Undefined if it was not stored. */
  documentId?: string | undefined;
}

export function sendImage(reply: FastifyReply, facts: ImageFacts, content: Content): FastifyReply {
  setImageHeaders(reply, facts);
  return reply.send(content instanceof Readable ? content : Readable.from(content, { objectMode: false }));
}

export function setImageHeaders(
  reply: FastifyReply,
  { type, bytes, filename, ...size }: Pick<ImageFacts, 'type' | 'bytes' | 'width' | 'height' | 'filename'>,
  disposition?: Disposition,
): FastifyReply {
  return reply
    .type(type)
    .header('content-security-policy', "default-src 'none'")
    .header('content-length', bytes)
    .header('content-disposition', toDisposition(filename, documentExtension({ image: { type, ...size } }), disposition));
}
