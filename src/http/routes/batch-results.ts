/** `/v1/batches/{id}.zip`, `.pdf` and `/events`: the results of a batch as one file, or one by one as they arrive. */

import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Batch, WholeBatch } from '../../batches/batches.ts';
import type { Merging } from '../../batches/merging.ts';
import { invalidField } from '../../errors.ts';
import { endNumber, NDJSON_FORMAT, readEvents, SSE_FORMAT } from '../replies/batch-events.ts';
import { itemRecord } from '../replies/batch-record.ts';
import { EVENTS, EVENTS_TYPE, LINES_TYPE, MERGED, ZIP, ZIP_TYPE } from '../replies/batch-results-schema.ts';
import { streamZip } from '../replies/batch-zip.ts';
import type { ById } from '../replies/response-schema.ts';
import { sendFile } from '../replies/send-file.ts';
import { readQuery } from '../requests/listing.ts';
import { requestUsage } from '../requests/request-memory.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';
import { getAndHead } from '../server/get-and-head.ts';
import { PDF, prefersType, requireAcceptable } from '../server/negotiation.ts';
import { OpenStreams } from '../server/open-streams.ts';
import { requestOrigin } from '../server/origin.ts';
import { RATE_LIMITED } from '../server/rate-limit.ts';
import { requireBatchId, requireEndedBatch } from './batches.ts';
import type { RouteServices } from './services.ts';

export function batchResultRoutes(app: FastifyInstance, services: RouteServices): void {
  const { batches, documents, links, merging } = services;
  const open = new OpenStreams();

  getAndHead<ById>(app, '/v1/batches/:id.zip', { schema: ZIP }, async (request, reply) => {
    requireAcceptable(request, ZIP_TYPE);
    const batch = await requireEndedBatch(services, request);
    const disposition = contentDisposition(`${batch.id}.zip`, { type: 'attachment' });
    reply.type(ZIP_TYPE).header('content-disposition', disposition);
    if (request.method === 'HEAD') return reply.send();
    open.enter(request, reply);
    return reply.send(streamZip(documents, requirePrincipal(request).keyId, batch));
  });

  getAndHead<ById>(app, '/v1/batches/:id.pdf', { schema: MERGED, config: RATE_LIMITED }, async (request, reply) => {
    requireAcceptable(request, PDF);
    const batch = await requireEndedBatch(services, request);
    if (request.method === 'HEAD') return reply.type(PDF).send();
    open.enter(request, reply);
    return sendMerged(merging, batch, request, reply);
  });

  getAndHead<ById>(app, '/v1/batches/:id/events', { schema: EVENTS }, async (request, reply) => {
    requireAcceptable(request, EVENTS_TYPE, LINES_TYPE);
    const { keyId } = requirePrincipal(request);
    const batch = await batches.summary(keyId, requireBatchId(request.params.id));
    const after = readLastEvent(request, batch);
    if (after === endNumber(batch)) return reply.code(204).send(); // an EventSource stops reconnecting after 204
    const [type, format] = prefersType(request, LINES_TYPE, EVENTS_TYPE)
      ? [LINES_TYPE, NDJSON_FORMAT]
      : [EVENTS_TYPE, SSE_FORMAT];
    const origin = requestOrigin(request);
    reply.header('content-type', type).header('vary', 'Accept').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return reply.send();
    open.enter(request, reply);
    const record = (item: WholeBatch['items'][number]) => itemRecord(item, origin, links);
    const following = { keyId, batchId: batch.id, after, format, itemRecord: record };
    const events = readEvents(batches, following, disconnectSignal(reply));
    return reply.send(Readable.from(events, { objectMode: false }));
  });
}

async function sendMerged(
  merging: Merging,
  batch: WholeBatch,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const client = disconnectSignal(reply);
  const { disk } = requestUsage(request);
  const merged = await merging.merge(requirePrincipal(request), batch, (bytes) => disk.resize(bytes), client);
  if (client.aborted) merged.content.destroy();
  if (merged.leftOut.length) reply.header('platen-left-out', merged.leftOut.join(', '));
  return sendFile(reply, { ...merged, type: PDF, filename: `${batch.id}.pdf` }, merged.content);
}

/**
 * Returns the number of the last event that the client has, or 0. The header precedes the parameter, because an EventSource keeps
 * its URL.
 */
function readLastEvent(request: FastifyRequest, batch: Batch): number {
  const check = (text: string) => {
    const number = Number(text);
    const isGiven = number <= batch.total - batch.unfinished || (number === endNumber(batch) && batch.completedAt !== null);
    if (!/^\d{1,9}$/.test(text) || !isGiven) throw new Error('must be the id of an event of this batch');
    return number;
  };
  const { last_event_id: parameter } = readQuery(request, { last_event_id: check });
  const header = request.headers['last-event-id'];
  if (header === undefined) return parameter ?? 0;
  try {
    return check(String(header));
  } catch (error) {
    throw invalidField('Last-Event-ID', (error as Error).message);
  }
}
