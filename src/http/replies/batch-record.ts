/** Converts batches to the JSON of the API. */
import type { Batch, BatchItem, WholeBatch } from '../../batches/batches.ts';
import type { Links } from '../../documents/links.ts';
import { uploadRecord } from '../../webhooks/uploads.ts';
import { METADATA_SCHEMA, toIsoTime } from './records.ts';
import { idMembers, recordSchema, TIME } from './response-schema.ts';

/** The record of a batch in lists, which has no items. */
export function batchSummary(batch: Batch) {
  return {
    id: batch.id,
    batch_id: batch.id,
    status: batch.status,
    total: batch.total,
    succeeded: batch.succeeded,
    failed: batch.failed,
    ...(batch.cancelled && { cancelled: batch.cancelled }),
    metadata: batch.metadata,
    created_at: toIsoTime(batch.createdAt),
    ...(batch.completedAt !== null && { completed_at: toIsoTime(batch.completedAt) }),
  };
}

export function batchRecord(batch: WholeBatch, origin: string, links: Links) {
  return { ...batchSummary(batch), items: batch.items.map((item) => itemRecord(item, origin, links)) };
}

export function itemRecord({ position, reference, status, document, error, delivery }: BatchItem, origin: string, links: Links) {
  return {
    index: position,
    reference,
    status,
    document_id: document?.id ?? null,
    url: document ? origin + links.sign(document, Number.POSITIVE_INFINITY).path : null,
    pages: document?.pages ?? null,
    bytes: document?.bytes ?? null,
    expires_at: document ? toIsoTime(document.expiresAt) : null,
    ...(error && { error }),
    ...(delivery && { delivery: { host: delivery.host, ...uploadRecord(delivery) } }),
  };
}

export const SUMMARY_SCHEMA = recordSchema(
  'BatchSummary',
  {
    ...idMembers('batch_id', 'bat'),
    status: {
      $id: 'BatchStatus',
      type: 'string',
      enum: ['queued', 'running', 'completed', 'cancelled'],
      description: 'completed: every item has succeeded or failed. cancelled: some items were never started.',
    },
    total: { type: 'integer', description: 'Number of items.' },
    succeeded: { type: 'integer' },
    failed: { type: 'integer' },
    cancelled: { type: 'integer', description: 'Number of items that were never started. Absent if there are none.' },
    metadata: METADATA_SCHEMA,
    created_at: TIME,
    completed_at: { ...TIME, description: 'Absent until the batch has finished.' },
  },
  ['cancelled', 'completed_at'],
);

export const ITEM_SCHEMA = recordSchema(
  'BatchItemResult',
  {
    index: { type: 'integer', description: 'Position of the item in the request, counted from 0.' },
    reference: { type: ['string', 'null'], description: 'As it was sent.' },
    status: { type: 'string', enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled'] },
    document_id: {
      type: ['string', 'null'],
      description: 'This field and those that follow are null until the item has succeeded.',
    },
    url: {
      type: ['string', 'null'],
      format: 'uri',
      description: 'URL of the result. It works without a key until the document expires.',
    },
    pages: { type: ['integer', 'null'] },
    bytes: { type: ['integer', 'null'] },
    expires_at: { type: ['string', 'null'], format: 'date-time' },
    error: {
      $id: 'ItemError',
      type: 'object',
      description: 'The error with which a single call would have been answered. Absent unless the item has failed.',
      properties: {
        code: { type: 'string', examples: ['navigation_failed'] },
        detail: { type: 'string' },
        errors: {
          type: 'array',
          description: 'Errors in the item, by field.',
          items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
        },
      },
    },
    delivery: {
      ...recordSchema(
        'ItemDelivery',
        {
          host: { type: 'string', description: 'The host of `deliver_to`. The full URL is not shown.' },
          status: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
          attempts: { type: 'integer', description: 'Number of attempts that were started.' },
          http_status: { type: 'integer', description: 'Of the last answer. Absent if there was none.' },
          error: { type: 'string', description: 'Why the last attempt failed. Absent if the status tells the reason.' },
        },
        ['http_status', 'error'],
      ),
      description: 'The upload to `deliver_to`. Absent until there is a result, in events, and 30 days after it.',
    },
  },
  ['error', 'delivery'],
);

export const BATCH_SCHEMA = recordSchema(
  'Batch',
  {
    ...SUMMARY_SCHEMA.properties,
    items: { type: 'array', items: ITEM_SCHEMA, description: 'The items in the order of the request. Not part of lists.' },
  },
  ['cancelled', 'completed_at'],
);
