/** What a request holds in memory, and its reply on the disk, counted from its first byte to the last one of its reply. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget, HeldBytes } from '../queue/byte-budget.ts';
import type { Held } from './held-pdf.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that reads a body. */
    held?: Held;
  }
}

/** Of what requests hold. */
export interface Budgets {
  memory: ByteBudget;
  /** For PDFs that wait for their readers there. */
  disk: ByteBudget;
}

/** Replies below this are not counted: sockets hold as much. */
const SMALL_REPLY_BYTES = 65_536;

/** To be called after authentication. Routes of `app` may read bodies. */
export function countMemory(app: FastifyInstance, budgets: Budgets, ownerOf: (request: FastifyRequest) => string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const owner = ownerOf(request);
    const held = { memory: budgets.memory.open(owner), disk: budgets.disk.open(owner) };
    const release = () => {
      held.memory.release();
      held.disk.release();
    };
    request.held = held;
    reply.raw.once('close', release); // however the reply ends
    if (reply.raw.destroyed) release(); // the client has left while its key was looked up
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (bytes > SMALL_REPLY_BYTES) request.held?.memory.tryAtLeast(bytes); // what was done is told in any case
    done(null, payload);
  });
}

export function heldBy({ held }: FastifyRequest): Held {
  if (!held) throw new Error('this route does not count the memory of its requests');
  return held;
}

export function memoryOf(request: FastifyRequest): HeldBytes {
  return heldBy(request).memory;
}

/** The parsed body, for whoever makes something of it; the request itself keeps it no longer. */
export function takeBody(request: FastifyRequest): unknown {
  const { body } = request;
  request.body = undefined;
  return body;
}
