/** Describes the error replies of a route in the OpenAPI document. */
import { PROBLEM_TYPE, PROBLEMS } from '../server/problem.ts';
import { header, recordSchema } from './response-schema.ts';

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

/** Names the error codes of each status; `/errors/{code}` explains each. */
export function problemResponses(...statuses: number[]): Record<number, unknown> {
  const all = statuses.includes(401) ? [...statuses, 403] : statuses; // wherever a key is required, it may lack the scope
  return Object.fromEntries(all.map((status) => [status, response(status)]));
}

function response(status: number): unknown {
  const codes = Object.entries(PROBLEMS).flatMap(([code, problem]) => (problem.status === status ? `\`${code}\`` : []));
  const description = `${codes.join(', ')}.`;
  return {
    description,
    ...(HEADERS[status] && { headers: HEADERS[status] }),
    content: { [PROBLEM_TYPE]: { schema: PROBLEM_SCHEMA } },
  };
}
