/** Counts the memory and disk space of each request, from its first byte to the last byte of its reply. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteBudget, HeldBytes } from '../../queue/byte-budget.ts';
import type { RequestUsage } from '../replies/spool-pdf.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that reads a body. */
    usage?: RequestUsage;
  }
}

export interface Budgets {
  memory: ByteBudget;
  /** Disk space for PDFs that clients have not read yet. */
  disk: ByteBudget;
}

/** Smaller replies are not counted, because the buffers of a socket are as large. */
const SMALL_REPLY_BYTES = 65_536;

/** Call it after authentication. It allows routes of `app` to read bodies. */
export function countMemory(app: FastifyInstance, budgets: Budgets, ownerOf: (request: FastifyRequest) => string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const owner = ownerOf(request);
    const usage = { memory: budgets.memory.open(owner), disk: budgets.disk.open(owner) };
    const release = () => {
      usage.memory.release();
      usage.disk.release();
    };
    request.usage = usage;
    reply.raw.once('close', release); // this event is always emitted
    if (reply.raw.destroyed) release(); // the client left while its key was looked up
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (bytes > SMALL_REPLY_BYTES) request.usage?.memory.tryAtLeast(bytes); // the result is sent even if there is no room
    done(null, payload);
  });
}

export function requestUsage({ usage }: FastifyRequest): RequestUsage {
  if (!usage) throw new Error('this route does not count the memory of its requests');
  return usage;
}

export function requestMemory(request: FastifyRequest): HeldBytes {
  return requestUsage(request).memory;
}

/** Returns the parsed body and removes it from the request, so that it can be freed. */
export function takeBody(request: FastifyRequest): unknown {
  const { body } = request;
  request.body = undefined;
  return body;
}
