/** The Prefer header (RFC 7240): how long the client would wait for the whole answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export const MAX_WAIT_SECONDS = 60;

export const PREFER_SCHEMA = {
  Prefer: {
    type: 'string',
    description: `\`wait=N\` waits up to N seconds, at most ${MAX_WAIT_SECONDS}, until the batch has finished.`,
    examples: ['wait=30'],
  },
};

/** Seconds; 0 where the client would not. What is not understood is passed over, as the RFC wants it. */
export function readWait({ headers }: FastifyRequest): number {
  const preferences = [headers.prefer ?? []].flat().join(',').split(',');
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_SECONDS);
  }
  return 0;
}

export function tellWait(reply: FastifyReply, seconds: number): void {
  if (seconds) reply.header('preference-applied', `wait=${seconds}`);
}
