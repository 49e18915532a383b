/** Describes the webhooks that the service sends in the OpenAPI document. */
import { pascalCase } from '../server/openapi.ts';

const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

/** `data` describes the member of that name in the event. */
function event(type: string, summary: string, description: string, data: Record<string, object>) {
  const header = (name: string, text: string) => ({
    name,
    in: 'header' as const,
    required: true,
    schema: TEXT,
    description: text,
  });
  return {
    post: {
      operationId: `receive${pascalCase(type)}`,
      tags: ['Webhooks'],
      summary,
      description: `${description} Signed as in Standard Webhooks 1.0.`,
      parameters: [
        header('webhook-id', 'Id of the delivery, the same for every attempt.'),
        header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.'),
        header('webhook-signature', 'One or more signatures separated by spaces, each `v1,` and base64.'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: bodySchema(type, data) } } },
      responses: {
        '2XX': { description: 'The event was received. Otherwise it is sent again.' },
        410: { description: 'The event must not be sent again.' },
      },
    },
  };
}

/** Has no title, so that it does not become a component: client generators leave out components that no path uses. */
function bodySchema(type: string, data: Record<string, object>) {
  return {
    type: 'object' as const,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { ...TEXT, const: type },
      timestamp: { ...TIME, description: 'When the event happened.' },
      data: { type: 'object' as const, required: Object.keys(data).filter((name) => name !== 'delivery'), properties: data },
    },
  };
}

const COUNT = { type: 'integer' } as const;

export const WEBHOOK_EVENTS = {
  'batch.completed': event(
    'batch.completed',
    'A batch has finished',
    'Sent once to the `webhook_url` of the batch, even if items failed or were cancelled.',
    {
      batch_id: TEXT,
      status: { ...TEXT, enum: ['completed', 'cancelled'] },
      ...{ total: COUNT, succeeded: COUNT, failed: COUNT, cancelled: COUNT },
      completed_at: TIME,
    },
  ),
  'render.completed': event(
    'render.completed',
    'An asynchronous render has ended',
    'Sent once to the `webhook_url` of the render.',
    {
      render_id: TEXT,
      status: { ...TEXT, enum: ['succeeded', 'failed', 'cancelled'] },
      document_id: { type: ['string', 'null'], description: 'The stored document.' },
      error: { type: ['object', 'null'], description: 'As in the record of the render.' },
      delivery: {
        type: 'object',
        description: 'As in the record of the render, without its host. Absent without an upload.',
      },
      completed_at: TIME,
    },
  ),
  'document.expired': event(
    'document.expired',
    'A document has expired',
    'Sent to the `document_expired_webhook_url` of the account, once for each document that expires.',
    { document_id: TEXT, expired_at: TIME },
  ),
  'webhook.test': event('webhook.test', 'A test', 'Sent on request to `POST /v1/webhooks/test`.', {}),
};
