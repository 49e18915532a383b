/** Tells whether the client of a reply has gone. */
import type { FastifyReply } from 'fastify';

/** Returns a signal that aborts when the connection closes before the reply was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  if (reply.raw.destroyed || reply.raw.closed) controller.abort();
  return controller.signal;
}
