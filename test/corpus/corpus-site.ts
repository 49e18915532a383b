/** Serves the corpus: its documents, the packages they use, and the data they request. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Answer, html, Site, send, status } from '../support/site.ts';
import type { CorpusDocument } from './page.ts';

const PACKAGES = new URL('node_modules', import.meta.url).pathname;
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};
/** Documents sent as `html` have no site. */
const OPEN = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
/** The response time of data, as if it came from a database. */
const DATA_MS = 150;

const ROWS = Array.from({ length: 12 }, (_, index) => ({
  what: `Paper of kind ${index + 1}`,
  price: (index * 3.5 + 4).toFixed(2),
}));
const MONTHS = ['January', 'February', 'March', 'April'].map((month, index) => ({ month, sales: 40 + ((index * 37) % 90) }));
const picture = (name: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 120"><rect width="200" height="120" fill="#cde"/><text x="20" y="70" font-size="30">${name}</text></svg>`;

const DATA: Record<string, Answer> = {
  '/data/invoice.json': json({ title: 'Invoice 2026-017', rows: ROWS }),
  '/data/months.json': json(MONTHS),
  '/data/rows.html': html(ROWS.map(({ what, price }) => `<p>${what} ${price}</p>`).join(''), OPEN),
  '/data/minutes.md': send(
    'text/markdown',
    '# Minutes\n\nPresent: *Ada*, **Grace**.\n\n| what | cost |\n| --- | --- |\n| Ink | 30.00 |\n',
    OPEN,
  ),
  '/data/frame.html': html('<!doctype html><h1>In a frame</h1>'),
  '/data/step.json': (request, response) => json({ text: `Step ${/\d+/.exec(request.url ?? '')}` })(request, response),
  ...Object.fromEntries(
    ['Paper', 'Ink', 'Post'].map((name) => [`/data/${name}.svg`, send('image/svg+xml', picture(name), OPEN)]),
  ),
};

export async function startCorpusSite(documents: CorpusDocument[]): Promise<Site> {
  const pages = documents.map((document) => [addressOf(document), html(document.html)]);
  const data = Object.entries(DATA).map(([path, answer]) => [path, late(answer)]);
  const site = await Site.start(Object.fromEntries([...pages, ...data]));
  site.serveOthers(fromPackage);
  return site;
}

/** The path of a document on the site. */
export function addressOf({ name }: CorpusDocument): string {
  return `/documents/${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.html`;
}

function json(value: unknown): Answer {
  return send('application/json', JSON.stringify(value), OPEN);
}

function late(answer: Answer): Answer {
  return (request, response) => void setTimeout(answer, DATA_MS, request, response);
}

const fromPackage: Answer = async (request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://site.test');
  const path = pathname.startsWith('/npm/') ? decodeURI(pathname.slice('/npm'.length)) : undefined;
  const content = path && (await readFile(join(PACKAGES, path)).catch(() => undefined));
  const answer = content ? send(TYPES[extname(path)] ?? 'application/octet-stream', content, OPEN) : status(404);
  answer(request, response);
};
