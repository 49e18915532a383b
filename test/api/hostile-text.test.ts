/** Text that repeats whatever the service parses delays nobody else, whichever way it comes in. */
import { expect, test } from 'vitest';
import { PAIRED, PIECES, repeated } from '../hostile-text/pieces.ts';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { startService } from '../support/service.ts';

/** For each of many pieces, code that reads this length in quadratic time takes half a minute or longer. */
const LENGTH = 500_000;
/** The greatest length of a header, a query string and a path that Node accepts is 16 KiB. */
const HEAD_LENGTH = 12_000;
/** Far more than what reads each character once takes on a busy machine. A bucket of the metric. */
const MAX_DELAY_SECONDS = 10;
const AT_ONCE = 4;

const service = await startService({
  PLATEN_GOTENBERG_ROUTES: 'on',
  PLATEN_PLAYGROUND: 'on',
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '1000000',
  PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '1000000',
  PLATEN_RENDER_TIMEOUT_MS: '3000', // whatever Chromium does with the text
  PLATEN_LOG_LEVEL: 'silent',
}).then(closeAfterAll);
const ada = new Client(service.url, (await service.createKey()).key);
const authorization = `Bearer ${ada.key}`;

function form(path: string, fields: Record<string, string>): Promise<Response> {
  const body = new FormData();
  for (const [name, text] of Object.entries(fields))
    if (/\.\w+$/.test(name)) body.append('files', new Blob([text]), name);
    else body.append(name, text);
  return fetch(`${service.url}${path}`, { method: 'POST', headers: { authorization }, body });
}

function raw(type: string, body: string, query = ''): Promise<Response> {
  const headers = { authorization, 'content-type': type };
  return fetch(`${service.url}/v1/pdf${query}`, { method: 'POST', headers, body });
}

async function fill(engine: string, html: string, data: object): Promise<Response> {
  const created = await ada.send('POST', '/v1/templates', { name: 'x', engine, html });
  if (!created.ok) return created;
  const { template_id } = (await created.json()) as { template_id: string };
  const filled = await ada.pdf({ template_id, data });
  await filled.bytes();
  return ada.send('DELETE', `/v1/templates/${template_id}`);
}

type Way = (text: string) => Promise<Response>;

/** Ways that end in a render. */
const RENDERS: Record<string, Way> = {
  html: (html) => ada.pdf({ html }),
  'a body of HTML': (html) => raw('text/html', html),
  'a body of Markdown': (markdown) => raw('text/markdown', markdown),
  'Markdown and a style sheet': (text) => ada.pdf({ markdown: text, stylesheet: text }),
  'an image': (html) => ada.send('POST', '/v1/image', { html }),
  'a conforming PDF': (html) => ada.pdf({ html, options: { conformance: 'PDF/A-2b', tagged: true } }),
  'a style sheet': (css) => ada.pdf({ html: `<style>${css}</style><p>x` }),
  'a header and a footer': (text) => ada.pdf({ html: 'x', options: { headerTemplate: text, footerTemplate: text } }),
  'added tags': (content) => ada.pdf({ html: 'x', options: { addStyleTag: [{ content }] } }),
  'a document with a base': (html) => ada.pdf({ html, options: { baseUrl: 'https://example.com/' } }),
  'a template with placeholders': (html) => fill('placeholders', html, { a: { b: html } }),
  'a Liquid template': (html) => fill('liquid', html, { a: ['x'] }),
  'data of a template': (text) => fill('placeholders', '{{{a}}}', { a: text, [text]: text }),
  'an asset': (css) =>
    ada.pdf({ html: '<link rel=stylesheet href=a.css>', assets: { 'a.css': { content: Buffer.from(css).toString('base64') } } }),
  'the playground': (html) => new Client(service.url, '').send('POST', '/v1/playground/pdf', { html }),
  'an HTML form of Gotenberg': (html) => form('/forms/chromium/convert/html', { 'index.html': html, 'header.html': html }),
  'a Markdown form of Gotenberg': (text) =>
    form('/forms/chromium/convert/markdown', { 'index.html': `{{ toHTML "a.md" }}${text}`, 'a.md': text }),
  'a screenshot of Gotenberg': (html) => form('/forms/chromium/screenshot/html', { 'index.html': html }),
  'a batch': (html) => ada.send('POST', '/v1/batches', { items: [{ html }] }),
};

/** Ways that end in an answer without a render. */
const OTHERS: Record<string, Way> = {
  'a dry run': (html) => ada.pdf({ html, dry_run: true }),
  'a dry run with a base': (html) => ada.pdf({ html: `<base href="${html}">${html}`, dry_run: true }),
  'a url': (text) => ada.pdf({ url: `https://example.com/${text}`, dry_run: true }),
  'options of text': (text) =>
    ada.pdf({
      ...{ html: 'x', filename: text, metadata: { [text]: text } },
      options: { pageRanges: text, margin: text, width: text, waitForSelector: text, timezone: text, locale: text, format: text },
    }),
  'names of options': (text) => ada.pdf({ html: 'x', [text]: text, options: { [text]: text, [`x${text}`]: 1 } }),
  'an invoice': (xml) => ada.pdf({ html: 'x', options: { invoice: { xml } } }),
  'a watermark': (text) => ada.pdf({ html: 'x', options: { watermark: { image: `data:image/svg+xml;base64,${text}` } } }),
  'a form of options': (text) => form('/v1/pdf', { html: 'x', 'options.pageRanges': text, 'options.margin': text, [text]: text }),
  'fields of Gotenberg': (text) =>
    form('/forms/chromium/convert/html', {
      ...{ 'index.html': 'x', waitDelay: text, paperWidth: text, nativePageRanges: text, metadata: text },
      ...{ extraHttpHeaders: `{"a": ${JSON.stringify(text)}}`, cookies: text, failOnHttpStatusCodes: text, marginTop: text },
    }),
  'PDFs to validate': (text) => raw('application/pdf', `%PDF-1.7\n${text}`),
  'PDFs to merge': (text) => form('/forms/pdfengines/merge', { 'a.pdf': `%PDF-1.7\n${text}`, 'b.pdf': text }),
  'a body that is not JSON': (text) => raw('application/json', text),
};

/** Ways of short text. */
const HEADS: Record<string, Way> = {
  'a query string': (text) => raw('text/html', 'x', `?margin=${encodeURIComponent(text).slice(0, HEAD_LENGTH)}`),
  headers: (text) => {
    const value = encodeURI(text).slice(0, HEAD_LENGTH / 4);
    const headers = {
      authorization,
      accept: value,
      prefer: value,
      'idempotency-key': value,
      'content-type': `text/html; ${value}`,
    };
    return fetch(`${service.url}/v1/pdf`, { method: 'POST', headers, body: 'x' });
  },
  'a path': (text) => ada.get(`/v1/documents/${encodeURIComponent(text).slice(0, HEAD_LENGTH)}`),
};

/** Returns how many delays were longer. */
async function longDelays(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const count = (series: string) => Number(metrics.split(`platen_event_loop_delay_seconds_${series} `)[1]?.split('\n')[0]);
  return count('count') - count(`bucket{le="${MAX_DELAY_SECONDS}"}`);
}

/** Sends each piece. The answer may be an error, but the thread that answers must soon be free for others. */
async function sendAll(way: Way, pieces: string[], length: number): Promise<void> {
  const waiting = [...pieces];
  const send = async () => {
    for (let piece = waiting.pop(); piece !== undefined; piece = waiting.pop()) {
      const response = await way(repeated(piece, length));
      await response.bytes();
      expect(response.status, piece).not.toBe(500);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await longDelays()).toBe(0);
}

test('the service measures delays of its event loop', async () => {
  const before = await service.metric('platen_event_loop_delay_seconds_count');
  await expect.poll(() => service.metric('platen_event_loop_delay_seconds_count')).toBeGreaterThan(before + 2);
});

test.each(Object.entries(RENDERS))('%s works', async (_name, way) => {
  // The first may take longer than this service allows, because it starts threads.
  await expect.poll(async () => (await way('<p>{{a.b}}')).ok, { timeout: 120_000 }).toBe(true);
});

/** Single characters delay Chromium most, and most are tried only without it. */
const OPENINGS = PAIRED.filter(({ length }) => length > 1);
/** White space, digits, entities, comments and pairs: each one run of what a pattern with a repetition may match. */
const RUNS = [' \n\t', '01', '&amp;&#x41;&lt', '<!-- -->/**/', '<a {{ 0'];

test.each(Object.entries(RENDERS))('%s', { timeout: 600_000 }, (_name, way) => sendAll(way, OPENINGS, LENGTH));
test.each(Object.entries(RENDERS))('%s, in runs', { timeout: 600_000 }, (_name, way) => sendAll(way, RUNS, LENGTH));
test.each(Object.entries(OTHERS))('%s', { timeout: 600_000 }, (_name, way) => sendAll(way, PAIRED, LENGTH));
test.each(Object.entries(HEADS))('%s', (_name, way) => sendAll(way, PIECES, HEAD_LENGTH));
