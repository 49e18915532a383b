/** Sends an image. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { dispositionOf } from './disposition.ts';
import type { Content } from './held-pdf.ts';

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
}

const EXTENSIONS: Record<string, string> = { 'image/png': '.png', 'image/jpeg': '.jpg', 'image/webp': '.webp' };

export function sendImage(reply: FastifyReply, { type, bytes, filename }: ImageFacts, content: Content): FastifyReply {
  reply
    .type(type)
    .header('content-security-policy', "default-src 'none'")
    .header('content-length', bytes)
    .header('content-disposition', dispositionOf(filename, EXTENSIONS[type] ?? ''));
  return reply.send(content instanceof Readable ? content : Readable.from(content, { objectMode: false }));
}
