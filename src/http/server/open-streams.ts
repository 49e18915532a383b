/** Limits how many replies of a key are read at the same time over a long period, such as event streams and batch downloads. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { OwnerCounter } from '../../queue/owner-counter.ts';
import { requirePrincipal } from './authenticate.ts';

const MAX_OPEN = 32;

export class OpenStreams {
  readonly #open = new OwnerCounter();

  /** Counts the reply until it ends or its connection closes. Throws `concurrency_limited` and `client_closed`. */
  enter(request: FastifyRequest, reply: FastifyReply): void {
    const { keyId } = requirePrincipal(request);
    if (reply.raw.destroyed) throw new ServiceError('client_closed', 'the client closed the connection');
    if (this.#open.of(keyId) >= MAX_OPEN)
      throw new ServiceError(
        'concurrency_limited',
        `this key has ${MAX_OPEN} event streams and batch downloads open, which is the maximum; close one first`,
        { members: { limit: MAX_OPEN } },
      );
    reply.raw.once('close', this.#open.add(keyId));
  }
}
