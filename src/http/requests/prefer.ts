/** Reads the Prefer header (RFC 7240), which says how long the client waits for the complete answer. */
import type { FastifyRequest } from 'fastify';

const MAX_WAIT_SECONDS = 60;

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
  return listPreferences(headers).some((preference) => /^\s*respond-async\s*(?:;|$)/i.test(preference));
}

/** Returns seconds, or 0 if the client does not want to wait. Unknown preferences are ignored, as the RFC requires. */
export function readWaitSeconds({ headers }: FastifyRequest): number {
  const waits = listPreferences(headers).flatMap((each) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(each)?.[1] ?? []);
  return Math.min(Number(waits[0] ?? 0), MAX_WAIT_SECONDS);
}

function listPreferences({ prefer = [] }: FastifyRequest['headers']): string[] {
  return [prefer].flat().join(',').split(',');
}
