/** Handles the Idempotency-Key header: a repeated request gets the reply to the first one. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../../errors.ts';
import type { Answer, Claim, Idempotency } from '../../idempotency/idempotency.ts';
import { noteResult } from '../../work-log.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { requestOrigin } from '../server/origin.ts';
import type { Part } from './form-body.ts';
import { prefersAsync } from './prefer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the decompressed body. It is set only if the request has an Idempotency-Key. */
    bodyDigest?: string;
  }
}

/** Of the transaction in which an answer is recorded. */
export type Query = Parameters<Idempotency['complete']>[2];

const IDEMPOTENCY_HEADER = 'idempotency-key';
const SHAPE = /^[\x21-\x7e]{1,255}$/;

export const IDEMPOTENCY_SCHEMA = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      $id: 'IdempotencyKeyParam',
      type: 'string',
      pattern: '^[!-~]{1,255}$',
      description:
        'A unique name for this request, such as a UUID. Within 24 hours, the same request with the same name gets the same reply, and is neither charged nor stored again. Only successful requests are remembered.',
    },
  },
};

/** Runs `fresh`, or repeats the first answer. Without the header, every request is fresh. */
export async function idempotent<T>(
  request: FastifyRequest,
  idempotency: Idempotency,
  fresh: (claim: Claim | undefined) => Promise<T>,
  replay: (answer: Answer, name: string) => Promise<T>,
): Promise<T> {
  const name = readName(request);
  if (name === undefined) return fresh(undefined);
  const claimed = await idempotency.claim(requirePrincipal(request).keyId, name, fingerprintRequest(request));
  if ('kind' in claimed) return replay(claimed, name);
  try {
    return await fresh(claimed);
  } catch (error) {
    await idempotency.abandon(claimed).catch(() => {}); // if this fails, the lease expires
    throw error;
  }
}

/** Creates an object with `create`, and replies with its record. A repeated request gets the same reply. */
export function createOnce<T extends { id: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  idempotency: Idempotency,
  create: (also: (made: T, query: Query) => Promise<void>) => Promise<T>,
  toRecord: (made: T) => object,
): Promise<FastifyReply> {
  const toAnswer = (made: T) => ({
    kind: 'json' as const,
    status: 201,
    location: `${requestOrigin(request)}${request.routeOptions.url}/${made.id}`,
    body: toRecord(made),
  });
  const complete = (claim: Claim | undefined) => async (made: T, query: Query) =>
    claim && idempotency.complete(claim, toAnswer(made), query, { resourceId: made.id });
  return idempotent(
    request,
    idempotency,
    async (claim) => sendJson(reply, toAnswer(await create(complete(claim)))),
    async (answer) => sendJson(markReplayed(reply), answer),
  );
}

export function sendJson(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.kind !== 'json') throw new Error('this answer belongs to another endpoint');
  if (answer.location) reply.header('location', answer.location);
  return reply.code(answer.status).send(answer.body);
}

export function markReplayed(reply: FastifyReply): FastifyReply {
  noteResult({ replayed: true });
  return reply.header('idempotency-replayed', 'true');
}

/** Body parsers call this. `kind` distinguishes bodies with the same bytes but different meanings. */
export function rememberBody(request: FastifyRequest, body: Buffer, kind = ''): void {
  if (request.headers[IDEMPOTENCY_HEADER] === undefined) return;
  request.bodyDigest = createHash('sha256').update(kind).update(body).digest('hex');
}

/** Does the same for a form. Only the parts are hashed, because boundaries differ each time. */
export function rememberParts(request: FastifyRequest, parts: readonly Part[]): void {
  if (request.headers[IDEMPOTENCY_HEADER] === undefined) return;
  const hash = createHash('sha256');
  for (const { name, filename, type, content } of parts)
    hash.update(`form ${JSON.stringify([name, filename, type, content.length])}\n`).update(content);
  request.bodyDigest = hash.digest('hex');
}

function readName({ headers }: FastifyRequest): string | undefined {
  const name = headers[IDEMPOTENCY_HEADER];
  if (name === undefined || (typeof name === 'string' && SHAPE.test(name))) return name as string | undefined;
  throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
}

function fingerprintRequest(request: FastifyRequest): string {
  const { method, url, bodyDigest } = request;
  const later = prefersAsync(request) ? ' respond-async' : '';
  return createHash('sha256')
    .update(`${method} ${url} ${bodyDigest ?? ''}${later}`)
    .digest('hex');
}
