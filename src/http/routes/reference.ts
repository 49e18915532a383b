/** Serves the OpenAPI document, what language models read, and a page for every error code. */
import type { FastifyInstance } from 'fastify';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { publishedDocument } from '../server/openapi.ts';
import { PROBLEMS } from '../server/problem.ts';
import { sendArticle, showErrors, toMarkup } from './pages.ts';
import type { RouteServices } from './services.ts';

const HIDDEN = { schema: { hide: true } };
/** As in https://llmstxt.org. */
const FOR_LANGUAGE_MODELS = `# Platen

> A self-hosted service that turns HTML, Markdown, URLs, and templates with data into PDFs and images over HTTP.

Send \`POST /v1/pdf\` with \`Authorization: Bearer KEY\` and the JSON body \`{"html": "<h1>Hello</h1>"}\`: the reply is the PDF. The body
\`{"template_id": "...", "data": {}}\` fills a stored template, and \`"dry_run": true\` checks a request without rendering it. Errors are problem
details (RFC 9457) with a \`code\` and the faulty fields.

## API

- [OpenAPI document](/openapi.json): all endpoints, options and replies
- [Endpoints](/docs/reference/endpoints.md) and [options](/docs/reference/options.md): the same for people
- [Errors](/errors): what each error code means, and what to do

## Pages

- [Playground](/): write a document and see its PDF, without a key
- [Dashboard](/dashboard): templates, documents, batches and usage of a key

## Documentation

`;

export function referenceRoutes(app: FastifyInstance, { pages }: RouteServices): void {
  app.get('/openapi.json', HIDDEN, async () => publishedDocument(app.swagger()));

  app.get('/llms.txt', HIDDEN, async (_request, reply) => {
    const list = await pages.find('docs/pages.md')?.as(undefined);
    return reply.type('text/plain; charset=utf-8').send(FOR_LANGUAGE_MODELS + (list ?? '- [Overview](/docs)\n'));
  });

  app.get('/errors', HIDDEN, async (_request, reply) => {
    const items = Object.entries(PROBLEMS).map(
      ([code, { status, title }]) => `<li><a href="/errors/${code}"><code>${code}</code></a> (${status}): ${title}</li>`,
    );
    return sendArticle(reply, pages, 'Errors', `<ul>${items.join('')}</ul>`);
  });

  app.get<{ Params: { code: string } }>(
    '/errors/:code',
    { ...HIDDEN, errorHandler: showErrors(pages) },
    async (request, reply) => {
      const { code } = request.params;
      if (!Object.hasOwn(PROBLEMS, code)) throw new ServiceError('not_found', 'there is no such error code');
      const { status, title, meaning, remedy } = PROBLEMS[code as ErrorCode];
      const what = `<p><code>${code}</code>, HTTP status ${status}</p><p>${toMarkup(meaning)}</p>`;
      const article = `${what}<h2>What to do</h2><p>${toMarkup(remedy)}</p><p><a href="/errors">All errors</a></p>`;
      return sendArticle(reply, pages, title, article);
    },
  );
}
