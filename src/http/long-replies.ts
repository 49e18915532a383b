/** Replies that are read for long, such as streams of events: a limited number of each key is open at one time. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { principalOf } from './authenticate.ts';

const MAX_OPEN = 32;

export class LongReplies {
  readonly #open = new Map<string, number>();

  /** Counts until the reply has ended, however it ends. Throws `concurrency_limited`. */
  enter(request: FastifyRequest, reply: FastifyReply): void {
    const { keyId } = principalOf(request);
    if (reply.raw.destroyed) throw new ServiceError('client_closed', 'the client closed the connection');
    const open = this.#open.get(keyId) ?? 0;
    if (open >= MAX_OPEN)
      throw new ServiceError(
        'concurrency_limited',
        `this key has ${MAX_OPEN} event streams and batch downloads open, which is the maximum; close one first`,
        { members: { limit: MAX_OPEN } },
      );
    this.#open.set(keyId, open + 1);
    reply.raw.once('close', () => this.#leave(keyId));
  }

  #leave(keyId: string): void {
    const open = (this.#open.get(keyId) ?? 1) - 1;
    if (open) this.#open.set(keyId, open);
    else this.#open.delete(keyId);
  }
}
