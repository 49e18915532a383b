/** Finds the origin under which clients reach this server, which every absolute URL in a reply begins with. */
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** PLATEN_PUBLIC_URL without a trailing slash. If it is empty, the origin comes from the request. */
    publicUrl: string;
  }
}

/** Returns an origin such as `https://pdf.example.com`. An invalid Host header is ignored. */
export function requestOrigin({ server, protocol, host }: FastifyRequest): string {
  if (server.publicUrl) return server.publicUrl;
  return /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : '';
}
