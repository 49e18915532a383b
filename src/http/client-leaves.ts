/** A reply in, a signal that its client has gone out. */
import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the reply was sent. */
export function whenClientLeaves(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  if (reply.raw.destroyed || reply.raw.closed) controller.abort();
  return controller.signal;
}
