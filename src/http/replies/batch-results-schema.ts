/** Describes the results of batches in the OpenAPI document. */

import { PDF } from '../server/negotiation.ts';
import { ITEM_SCHEMA, SUMMARY_SCHEMA } from './batch-record.ts';
import { binary, header, pathId } from './response-schema.ts';

export const ZIP_TYPE = 'application/zip';
export const EVENTS_TYPE = 'text/event-stream';
export const LINES_TYPE = 'application/x-ndjson';

const ID = pathId('Batch', 'bat');

export const ZIP = {
  operationId: 'fetchBatchArchive',
  summary: 'Fetch all documents of a batch as a ZIP archive',
  description:
    'Available when the batch has finished. Each file is named after `filename`, else `reference`, else the number of the item. `batch.json` lists all items, each with its file or its error.',
  params: ID,
  response: {
    200: {
      description: 'The archive.',
      headers: { 'Content-Disposition': header('string', '`attachment`, with a filename that contains the batch id.') },
      content: binary(ZIP_TYPE),
    },
  },
  errors: [406, 409, 429],
};

export const MERGED = {
  operationId: 'fetchBatchPdf',
  summary: 'Fetch all documents of a batch as one PDF',
  description:
    'Available when the batch has finished. Contains the documents in the order of the items, each under a bookmark, with their links and tags, but without their metadata and attachments. It counts as a render in the requests per minute.',
  params: ID,
  response: {
    200: {
      description: 'The PDF.',
      headers: {
        'Content-Disposition': header('string', '`inline`, with a filename that contains the batch id.'),
        'Platen-Pages': header('integer', 'Number of pages.'),
        'Platen-Left-Out': header(
          'string',
          'Indexes of items that the PDF lacks, because they failed or their documents have been removed.',
        ),
      },
      content: binary(PDF),
    },
  },
  errors: [406, 409, 410, 422, 429, 504],
};

export const EVENTS = {
  operationId: 'followBatch',
  summary: 'Follow a batch',
  description:
    'Sends an `item` event with the record of each item as it finishes, and at the end a `batch` event. Ids count up from 1 and survive restarts. For a batch that has finished, all events are sent.',
  params: ID,
  querystring: {
    type: 'object',
    properties: { last_event_id: { type: 'string', description: 'The same as Last-Event-ID, which takes precedence.' } },
  },
  headers: {
    type: 'object',
    properties: {
      'Last-Event-ID': { type: 'string', description: 'The id of the last event that the client received.', examples: ['17'] },
    },
  },
  response: {
    200: {
      description:
        'Server-sent events, or lines of JSON if Accept names application/x-ndjson and neither text/event-stream nor */*.',
      content: {
        [EVENTS_TYPE]: { schema: { type: 'string' } },
        [LINES_TYPE]: {
          schema: {
            $id: 'BatchEvent',
            type: 'object',
            required: ['event'],
            properties: {
              event: { type: 'string', enum: ['item', 'batch', 'heartbeat'] },
              id: { type: 'integer', description: 'Absent in heartbeats.' },
              data: { oneOf: [ITEM_SCHEMA, SUMMARY_SCHEMA] },
            },
          },
        },
      },
    },
    204: { description: 'The client has received the last event already.', type: 'null' },
  },
  errors: [406, 429],
};
