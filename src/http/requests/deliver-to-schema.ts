/** Describes `deliver_to` in the OpenAPI document. */
import { MAX_UPLOAD_HEADERS } from '../../webhooks/upload-target.ts';

export const DELIVER_TO_SCHEMA = {
  $id: 'DeliverTo',
  description:
    'Pre-signed `https` URL to which the result is uploaded by `PUT`, with retries. With `store: false`, it is kept until it has arrived, at most for an hour.',
  'x-default': 'none',
  anyOf: [
    { type: 'string', format: 'uri', examples: ['https://bucket.s3.amazonaws.com/invoice.pdf?X-Amz-Signature=...'] },
    {
      $id: 'UploadTarget',
      type: 'object',
      required: ['url'],
      additionalProperties: false,
      properties: {
        url: { type: 'string', format: 'uri' },
        headers: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: `Headers that the store asks for, at most ${MAX_UPLOAD_HEADERS}. Default: its \`Content-Type\`.`,
          examples: [{ 'x-ms-blob-type': 'BlockBlob' }],
        },
      },
    },
  ],
};
