/** The requests the service itself sends, for the OpenAPI document. */

const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

/** `data` as a receiver gets it. */
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
      tags: ['Webhooks'],
      summary,
      description: `${description} Signed by Standard Webhooks 1.0. Anything but a 2xx is sent again, the same bytes under the same id; 410 ends it.`,
      parameters: [
        header('webhook-id', 'The same for every attempt.'),
        header('webhook-timestamp', 'Of this attempt, in seconds since 1970.'),
        header('webhook-signature', 'One or more of `v1,` and a signature in base64, separated by blanks.'),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: bodySchema(type, data) } } },
      responses: { '2XX': { description: 'It has arrived.' }, 410: { description: 'It is not to be sent again.' } },
    },
  };
}

function bodySchema(type: string, data: Record<string, object>) {
  return {
    type: 'object' as const,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { ...TEXT, const: type },
      timestamp: { ...TIME, description: 'When it happened.' },
      data: { type: 'object' as const, required: Object.keys(data), properties: data },
    },
  };
}

const COUNT = { type: 'integer' } as const;

export const WEBHOOK_EVENTS = {
  'batch.completed': event(
    'batch.completed',
    'A batch has ended',
    'Sent to the `webhook_url` of the batch, once, also where items have failed or were cancelled.',
    {
      batch_id: TEXT,
      status: { ...TEXT, enum: ['completed', 'cancelled'] },
      ...{ total: COUNT, succeeded: COUNT, failed: COUNT, cancelled: COUNT },
      completed_at: TIME,
    },
  ),
  'document.expired': event(
    'document.expired',
    'A document has expired',
    'Sent to the `document_expired_webhook_url` of the account, once for each document whose time is over.',
    { document_id: TEXT, expired_at: TIME },
  ),
};
