/** Where clients reach this server: for every absolute address it hands out. */
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** PLATEN_PUBLIC_URL without a slash at its end; empty: as the request says. */
    publicUrl: string;
  }
}

/** For example `https://pdf.example.com`. A Host header that is no host is left out. */
export function originOf({ server, protocol, host }: FastifyRequest): string {
  if (server.publicUrl) return server.publicUrl;
  return /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : '';
}
