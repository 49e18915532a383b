/** Describes the answer to a request with `dry_run` in the OpenAPI document. */
import { recordSchema } from './response-schema.ts';

const VERDICT = { type: 'string', enum: ['allowed', 'refused', 'unchecked'] };
const PATHS = { type: 'array', items: { type: 'string' } };

export const DRY_RUN_SCHEMA = recordSchema(
  'DryRunResult',
  {
    dry_run: { type: 'boolean' },
    would_render: {
      type: 'boolean',
      description: 'Whether there are no problems.',
    },
    problems: {
      type: 'array',
      description: 'Errors that the render would end with now.',
      items: recordSchema('DryRunProblem', { code: { type: 'string' }, detail: { type: 'string' } }),
    },
    hints: {
      type: 'array',
      description: 'What may make the render fail, and what to do: a table with very many rows.',
      items: { type: 'string' },
    },
    source: { type: 'string', enum: ['html', 'markdown', 'url', 'template', 'assembly'] },
    html_bytes: {
      type: 'integer',
      description: 'Size of the HTML that would be loaded. Absent for a `url`.',
    },
    template: recordSchema('DryRunTemplate', {
      template_id: { type: 'string' },
      version: { type: 'integer' },
      missing: { ...PATHS, description: 'Paths that the template reads and `data` has no value for.' },
      unused: { ...PATHS, description: 'Paths in `data` that the template does not read, at most 100.' },
    }),
    plan: { type: 'string' },
    documents: recordSchema('DryRunDocuments', {
      limit: { type: ['integer', 'null'] },
      used: { type: 'integer' },
      remaining: { type: ['integer', 'null'] },
    }),
    charged: { type: 'boolean', description: 'Whether the render would count: false for a test key.' },
    stored: { type: 'boolean', description: 'Whether the result would be stored.' },
    urls: {
      type: 'array',
      description: 'Absolute URLs in the markup and styles, at most 100, of the first million characters.',
      items: recordSchema('DryRunUrl', {
        url: { type: 'string' },
        verdict: {
          ...VERDICT,
          description:
            'Whether the network policy allows the URL; `unchecked` if resolving the name took too long, and after 300 names in a minute.',
        },
      }),
    },
    urls_complete: { type: 'boolean' },
    deliver_to: {
      ...recordSchema('DryRunUpload', { host: { type: 'string' }, verdict: VERDICT }),
      description: 'Whether the result may be uploaded there.',
    },
  },
  ['html_bytes', 'template', 'deliver_to'],
);
