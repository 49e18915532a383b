/** Reads the Prefer header (RFC 7240), which says how long the client waits for the complete answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export const MAX_WAIT_SECONDS = 60;

export const PREFER_SCHEMA = {
  Prefer: {
    $id: 'PreferWaitParam',
    type: 'string',
    description: `\`wait=N\` waits up to N seconds, at most ${MAX_WAIT_SECONDS}, until the batch or render has finished.`,
    examples: ['wait=30'],
  },
};

/** Whether the client wants an answer before the work is done. */
export function prefersAsync({ headers }: FastifyRequest): boolean {
  const preferences = [headers.prefer ?? []].flat().join(',').split(',');
  return preferences.some((preference) => /^\s*respond-async\s*(?:;|$)/i.test(preference));
}

/** Returns seconds, or 0 if the client does not want to wait. Unknown preferences are ignored, as the RFC requires. */
export function readWaitSeconds({ headers }: FastifyRequest): number {
  const preferences = [headers.prefer ?? []].flat().join(',').split(',');
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_SECONDS);
  }
  return 0;
}

export function setPreferenceApplied(reply: FastifyReply, seconds: number): void {
  if (seconds) reply.header('preference-applied', `wait=${seconds}`);
}
