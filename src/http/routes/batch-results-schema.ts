/** How the results of batches are described in the OpenAPI document. */
import { ITEM_SCHEMA, SUMMARY_SCHEMA } from '../batch-record.ts';
import { PDF } from '../negotiation.ts';
import { problemResponses } from './problem-responses.ts';

export const ZIP_TYPE = 'application/zip';
export const EVENTS_TYPE = 'text/event-stream';
export const LINES_TYPE = 'application/x-ndjson';

const COMMON = { tags: ['Batches'], security: [{ bearer: [] }] };
const ID = { type: 'object', properties: { id: { type: 'string', examples: ['bat_0123456789ABCDEFGHIJKL'] } } };
const header = (description: string, type = 'string') => ({ schema: { type }, description });
const binary = (type: string) => ({ [type]: { schema: { type: 'string', contentMediaType: type } } });

export const ZIP = {
  ...COMMON,
  summary: 'Fetch all documents of a batch as a ZIP archive',
  description:
    'Once the batch has ended. Files are named by `filename`, else `reference`, else the number of the item. `batch.json` lists all items with their files, and with an error those that have none.',
  params: ID,
  response: {
    200: {
      description: 'The archive.',
      headers: { 'Content-Disposition': header('attachment, named by the batch.') },
      content: binary(ZIP_TYPE),
    },
    ...problemResponses(401, 404, 406, 409, 429, 500, 503),
  },
};

export const MERGED = {
  ...COMMON,
  summary: 'Fetch all documents of a batch as one PDF',
  description:
    'Once the batch has ended: the documents in the order of the items, each under a bookmark. Tags, metadata and attachments of the documents are not in it. Counts as one request of the minute.',
  params: ID,
  response: {
    200: {
      description: 'The PDF.',
      headers: {
        'Content-Disposition': header('inline, named by the batch.'),
        'Platen-Pages': header('Number of pages.', 'integer'),
        'Platen-Left-Out': header('Indexes of items that are not in it: they have failed, or their documents have gone.'),
      },
      content: binary(PDF),
    },
    ...problemResponses(401, 404, 406, 409, 410, 422, 429, 500, 503, 504),
  },
};

export const EVENTS = {
  ...COMMON,
  summary: 'Follow a batch',
  description:
    'An event `item` with the record of each item that has its outcome, in the order in which they got it, then `batch` with the batch, which is the last. Ids count up from 1, and stay through restarts. A batch that has ended is told from the beginning.',
  params: ID,
  querystring: {
    type: 'object',
    properties: { last_event_id: { type: 'string', description: 'The same as Last-Event-ID, which wins.' } },
  },
  headers: {
    type: 'object',
    properties: { 'Last-Event-ID': { type: 'string', description: 'The id of the last event that is known.', examples: ['17'] } },
  },
  response: {
    200: {
      description: 'The events. Lines of JSON where Accept names application/x-ndjson and neither text/event-stream nor */*.',
      content: {
        [EVENTS_TYPE]: { schema: { type: 'string' } },
        [LINES_TYPE]: {
          schema: {
            type: 'object',
            properties: {
              event: { type: 'string', enum: ['item', 'batch', 'heartbeat'] },
              id: { type: 'integer', description: 'Not of heartbeats.' },
              data: { oneOf: [ITEM_SCHEMA, SUMMARY_SCHEMA] },
            },
          },
        },
      },
    },
    204: { description: 'The last event is known already.', type: 'null' },
    ...problemResponses(400, 401, 404, 406, 429, 500, 503),
  },
};
