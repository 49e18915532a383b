/** Where a request goes on this server: a request in, its target or path out. */
import type { FastifyRequest } from 'fastify';

/** The path and query as they were sent. A client may send the whole URL, as it does to a proxy (RFC 9112, 3.2.2). */
export function targetOf({ raw }: FastifyRequest): string {
  return (raw.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '');
}

/** The path as the router matches it. */
export function pathOf(request: FastifyRequest): string {
  const path = targetOf(request).split('?')[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
