/** Completes the description of a route in the OpenAPI document: with its tag, and with its error replies. */
import type { FastifySchema } from 'fastify';
import { PROBLEM_TYPE, PROBLEMS } from '../server/problem.ts';
import { header, recordSchema } from './response-schema.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** Statuses of errors besides those that every route of its kind has. `/errors/{code}` explains their codes. */
    errors?: readonly number[];
  }
}

const PROBLEM_SCHEMA = recordSchema(
  'Problem',
  {
    type: { type: 'string', format: 'uri', description: 'A page that explains the error.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'Explanation of what is wrong with this request.' },
    code: { type: 'string', description: 'Stable name of the error.' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      description: 'Errors in the request, by field.',
      items: {
        $id: 'FieldError',
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          normalized: {
            type: 'string',
            description: 'The normalized form to send. Present if Unicode normalization changes the password.',
          },
        },
      },
    },
  },
  ['errors'],
);

const RETRY_AFTER = { 'Retry-After': header('integer', 'Seconds after which to send the request again.') };

const HEADERS: Record<number, object> = {
  409: RETRY_AFTER,
  429: {
    ...RETRY_AFTER,
    'RateLimit-Limit': header(
      'integer',
      'Requests per minute that the plan allows, or the playground for one client IP address.',
    ),
    'RateLimit-Remaining': header('integer', 'Requests left in this minute.'),
    'RateLimit-Reset': header('integer', 'Seconds until the next minute begins.'),
  },
  503: RETRY_AFTER,
};

/** By the first segment of the path after `/v1`. Other tags are the segment itself. */
const TAGS: Readonly<Record<string, string>> = {
  ...{ pdf: 'Rendering', image: 'Rendering', renders: 'Rendering' },
  ...{ links: 'Documents', usage: 'Account' },
};

/** Leaves schemas of routes that are not part of the API as they are. */
export function describeRoute(schema: FastifySchema | undefined, url: string): FastifySchema | undefined {
  if (!schema?.operationId) return schema;
  const { errors = [], response, ...described } = schema;
  const [, name = ''] = /^\/(?:v1\/)?(\w+)/.exec(url) ?? [];
  const tag = TAGS[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
  const replies = [...errors, ...commonErrors(schema)].map((status) => [status, describeError(status)]);
  return { tags: [tag], ...described, response: { ...(response as object), ...Object.fromEntries(replies) } };
}

function commonErrors({ security, querystring, params, body }: FastifySchema): number[] {
  const needsKey = !security;
  return [
    500,
    ...(needsKey ? [401, 403, 503] : []), // the key may lack the scope
    ...(needsKey && querystring ? [400] : []),
    ...(params ? [404, 503] : []),
    ...(body ? [400, 408, 413, 415, 429, 503] : []),
  ];
}

function describeError(status: number): object {
  const codes = Object.entries(PROBLEMS).flatMap(([code, problem]) => (problem.status === status ? `\`${code}\`` : []));
  return {
    description: `${codes.join(', ')}.`,
    ...(HEADERS[status] && { headers: HEADERS[status] }),
    content: { [PROBLEM_TYPE]: { schema: PROBLEM_SCHEMA } },
  };
}
