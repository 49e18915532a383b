/** Tells whether the client of a reply has gone. */
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';

/** Returns a signal that aborts when the connection closes before the reply was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  if (reply.raw.destroyed || reply.raw.closed) controller.abort();
  return controller.signal;
}

/** Waits for work that ends with `signal`. Throws `client_closed` if that is why it failed. */
export async function untilDisconnect<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted ? new ServiceError('client_closed', 'the client closed the connection') : error;
  }
}
