/** What a request holds in memory, counted from its first byte to the last one of its reply. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget, HeldBytes } from '../queue/byte-budget.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that reads a body. */
    memory?: HeldBytes;
  }
}

/** Replies below this are not counted: sockets hold as much. */
const SMALL_REPLY_BYTES = 65_536;

/** To be called after authentication. Routes of `app` may read bodies. */
export function countMemory(app: FastifyInstance, budget: ByteBudget, ownerOf: (request: FastifyRequest) => string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const memory = budget.open(ownerOf(request));
    request.memory = memory;
    if (reply.raw.destroyed)
      memory.release(); // the client has left while its key was looked up
    else reply.raw.once('close', () => memory.release()); // however the reply ends
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (bytes > SMALL_REPLY_BYTES) request.memory?.tryAtLeast(bytes); // what was done is told in any case
    done(null, payload);
  });
}

export function memoryOf({ memory }: FastifyRequest): HeldBytes {
  if (!memory) throw new Error('this route forgot to count what it holds');
  return memory;
}

/** The parsed body, for whoever makes something of it; the request itself keeps it no longer. */
export function takeBody(request: FastifyRequest): unknown {
  const { body } = request;
  request.body = undefined;
  return body;
}
