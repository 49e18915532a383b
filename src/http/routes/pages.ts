/** Serves the pages for people: the editor at `/` and `/edit`, those below `/dashboard` and `/docs`, and their files below `/assets/`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { ServiceError } from '../../errors.ts';
import { ENCODINGS, PageFile, type Pages } from '../../web-assets/pages.ts';
import { PROBLEMS, sendError, toServiceError } from '../server/problem.ts';
import type { RouteServices } from './services.ts';

const HIDDEN = { schema: { hide: true } };
const HTML = 'text/html; charset=utf-8';
/** Browsers ask each time, and mostly get 304. */
const REVALIDATE = 'no-cache';
/** The names of these files change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const PICTURE = /(property="og:image" content=")([^"]+)/;
const SECONDS_TO_BUILD = 2;

/** Allows only this server, nothing inline, and no framing. `blob:` is needed for rendered PDFs and for workers. */
const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': PAGE_CSP,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

export function pageRoutes(app: FastifyInstance, { pages, playground }: RouteServices): void {
  const toFrontPage = absolutePicture(app.publicUrl);
  app.get('/', HIDDEN, async (request, reply) => {
    if (!playground) return reply.header('cache-control', REVALIDATE).redirect('/dashboard');
    return sendPage(request, reply, pages, 'index.html', toFrontPage);
  });

  app.get('/edit', HIDDEN, async (request, reply) => sendPage(request, reply, pages, 'index.html', toFrontPage));

  for (const path of ['/dashboard', '/dashboard/*'])
    app.get(path, HIDDEN, async (request, reply) => sendPage(request, reply, pages, 'dashboard.html'));

  app.get('/admin', HIDDEN, async (_request, reply) => reply.header('cache-control', REVALIDATE).redirect('/dashboard/admin'));

  app.get('/docs', HIDDEN, async (request, reply) => sendPage(request, reply, pages, 'docs/index.html'));

  app.get<{ Params: { '*': string } }>('/docs/*', { ...HIDDEN, errorHandler: showErrors(pages) }, async (request, reply) => {
    const path = `docs/${request.params['*']}`;
    const file = pages.find(path) ?? pages.find(`${path}.html`);
    if (file && !path.endsWith('.html')) return sendFile(request, reply.header('cache-control', REVALIDATE), file);
    if (!pages.find('docs/index.html')) return sendPage(request, reply, pages, 'docs/index.html');
    throw new ServiceError('not_found', 'there is no page or file at this URL');
  });

  app.get<{ Params: { '*': string } }>('/assets/*', HIDDEN, async (request, reply) => {
    const file = pages.find(`assets/${request.params['*']}`);
    if (!file) throw new ServiceError('not_found', 'there is no page or file at this URL');
    return sendFile(request, reply.header('cache-control', FOR_EVER), file);
  });
}

/** Programs that show a link want an absolute URL of its picture. Without the setting, the page has a relative one. */
function absolutePicture(publicUrl: string): (page: PageFile) => Promise<PageFile> {
  const changed = new WeakMap<PageFile, Promise<PageFile>>();
  const change = async (page: PageFile) => {
    const html = (await page.as(undefined)).toString();
    const absolute = html.replace(PICTURE, (_, name, path) => `${name}${URL.parse(path, publicUrl)?.href ?? path}`);
    return new PageFile('index.html', Buffer.from(absolute));
  };
  return async (page) => {
    const known = changed.get(page) ?? change(page);
    changed.set(page, known);
    return known;
  };
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  pages: Pages,
  path: string,
  change = async (page: PageFile) => page,
): Promise<FastifyReply> {
  const file = pages.find(path);
  if (file) return sendFile(request, reply.header('cache-control', REVALIDATE), await change(file));
  reply.code(503).headers(PAGE_HEADERS).header('cache-control', 'no-store').type(HTML);
  if (pages.hasFailed) return reply.send(NOT_BUILT);
  return reply.header('retry-after', SECONDS_TO_BUILD).send(BEING_BUILT);
}

/** Sends an article in the frame of the documentation. */
export async function sendArticle(reply: FastifyReply, pages: Pages, title: string, article: string): Promise<FastifyReply> {
  reply.header('cache-control', REVALIDATE);
  return reply
    .headers(PAGE_HEADERS)
    .type(HTML)
    .send(await toPage(pages, title, article));
}

/** Shows errors to people, who follow links in a browser. Programs get problem documents. */
export function showErrors(pages: Pages) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (!isInBrowser(request)) throw error;
    return sendErrorPage(request, reply, pages, error);
  };
}

export function isInBrowser({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

export async function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  pages: Pages,
  error: unknown,
): Promise<FastifyReply> {
  const problem = toServiceError(error, request);
  const { status, title, remedy } = PROBLEMS[problem.code];
  const article = [toSentence(problem.message), remedy].map((text) => `<p>${toMarkup(text)}</p>`).join('');
  reply.headers(PAGE_HEADERS).header('cache-control', 'no-store');
  return sendError(request, reply, problem, { status, type: HTML, body: await toPage(pages, title, article) });
}

/** The message of an error as a sentence. The name of a field keeps its case. */
function toSentence(message: string): string {
  const whole = message.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** Text in which names are between backticks, as HTML. */
export function toMarkup(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>');
}

/** Without a frame while the pages are not built. */
async function toPage(pages: Pages, title: string, article: string): Promise<string> {
  const shell = await pages.find('shell.html')?.as(undefined);
  const values: Record<string, string> = { title, article: `<h1>${title}</h1>${article}` };
  const page = shell?.toString().replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  return page ?? notice(title, article);
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
  const { etag, type } = file;
  reply.headers(PAGE_HEADERS).header('etag', etag).header('vary', 'accept-encoding');
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) return reply.code(304).send();
  const accepted = file.isCompressible ? request.accepts().encodings() : [];
  const encoding = ENCODINGS.find((name) => accepted.includes(name));
  if (encoding) reply.header('content-encoding', encoding);
  return reply.type(type).send(await file.as(encoding));
}

const BEING_BUILT = notice(
  'One moment',
  '<p>The pages are being built. This takes a few seconds after the first start, and this page then reloads by itself. The API is available already.</p>',
  `<meta http-equiv="refresh" content="${SECONDS_TO_BUILD}">`,
);
const NOT_BUILT = notice(
  'The pages are not available',
  '<p>The pages could not be built. The log of the service has the reason. The operator can build them with <code>npm run build:web</code> and restart the service. The API is available.</p>',
);

function notice(title: string, message: string, head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title} · Platen</title>${head}</head>
<body><h1>${title}</h1>${message}<p><a href="/docs">Documentation</a></p></body></html>
`;
}
