/** The charset of a request, which has to be UTF-8. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

/** Wherever it is named, however it is quoted. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/** Throws `unsupported_media_type`. */
export function requireUtf8({ headers }: FastifyRequest): void {
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(CHARSET))
    if (!/^utf-?8$/i.test(charset)) throw new ServiceError('unsupported_media_type', 'send the body in UTF-8');
}
