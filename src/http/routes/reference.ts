/** Serves the OpenAPI document, the reference page made from it, and a page for every error code. */
import type { FastifyInstance } from 'fastify';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { publishedDocument } from '../server/openapi.ts';
import { PROBLEMS } from '../server/problem.ts';

const HIDDEN = { schema: { hide: true } };
/** As in https://llmstxt.org. */
const FOR_LANGUAGE_MODELS = `# Platen

> A self-hosted service that turns HTML, Markdown, URLs, and templates with data into PDFs and images over HTTP.

Send \`POST /v1/pdf\` with \`Authorization: Bearer KEY\` and the JSON body \`{"html": "<h1>Hello</h1>"}\`: the reply is the PDF. The body
\`{"template_id": "...", "data": {}}\` fills a stored template, and \`"dry_run": true\` checks a request without rendering it. Errors are problem
details (RFC 9457) with a \`code\` and the faulty fields.

## API

- [OpenAPI document](/openapi.json): all endpoints, options and replies
- [API reference](/docs): the same for people
- [Errors](/errors): what each error code means, and what to do

## Pages

- [Playground](/): write a document and see its PDF, without a key
- [Dashboard](/dashboard): templates, documents, batches and usage of a key
`;

export function referenceRoutes(app: FastifyInstance): void {
  app.get('/openapi.json', HIDDEN, async () => publishedDocument(app.swagger()));

  app.get('/llms.txt', HIDDEN, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(FOR_LANGUAGE_MODELS));

  app.get('/errors', HIDDEN, async (_request, reply) => {
    const items = Object.entries(PROBLEMS).map(
      ([code, { status, title }]) => `<li><a href="/errors/${code}"><code>${code}</code></a> (${status}): ${toHtml(title)}</li>`,
    );
    return reply.type('text/html; charset=utf-8').send(htmlPage('Errors', `<ul>${items.join('')}</ul>`));
  });

  app.get<{ Params: { code: string } }>('/errors/:code', HIDDEN, async (request, reply) => {
    const { code } = request.params;
    if (!Object.hasOwn(PROBLEMS, code)) throw new ServiceError('not_found', 'there is no such error code');
    return reply.type('text/html; charset=utf-8').send(errorPage(code as ErrorCode));
  });
}

function errorPage(code: ErrorCode): string {
  const { status, title, meaning, remedy } = PROBLEMS[code];
  return htmlPage(
    title,
    `<p><code>${code}</code>, HTTP status ${status}</p><p>${toHtml(meaning)}</p><h2>What to do</h2><p>${toHtml(remedy)}</p><p><a href="/errors">All errors</a></p>`,
  );
}

function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${toHtml(title)} · Platen</title>
<style>:root{color-scheme:light dark;background:Canvas}body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code{font-size:.95em}</style>
</head><body><h1>${toHtml(title)}</h1>${body}</body></html>
`;
}

function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '');
}
