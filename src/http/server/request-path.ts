/** Where a request goes on this server: a request in, its target or path out. */
import type { FastifyRequest } from 'fastify';

/** The path and query as they were sent. A client may send the whole URL, as it does to a proxy (RFC 9112, 3.2.2). */
export function requestTarget({ raw }: FastifyRequest): string {
  return (raw.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '');
}

/** The path as the router matches it. */
export function requestPath(request: FastifyRequest): string {
  const path = requestTarget(request).split('?')[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
