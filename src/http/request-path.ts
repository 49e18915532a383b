/** The path of a request: a request in, its path out, as the router matches it. */
import type { FastifyRequest } from 'fastify';

export function pathOf({ url }: FastifyRequest): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
