/** Pages of stored documents as images: content, size, access and errors. */
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { Client, type DocumentRecord, problem, succeeded } from '../support/client.ts';
import { eventually } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const SHEETS = ['red', 'lime', 'blue'].map((color) => `<div style="background:${color};height:100vh;break-after:page"></div>`);
const COLORS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
];
const OPTIONS = { format: 'A4', margin: 0 };

const service = await sharedService();
const ada = new Client(service.url, service.key);
const document = await store({
  html: `<style>body{margin:0}</style>${SHEETS.join('')}`,
  options: { ...OPTIONS, pageRanges: '1-3' },
});

async function store(body: object, by = ada): Promise<DocumentRecord> {
  const reply = await by.pdf({ ...body, store: true });
  expect(reply.status, await reply.clone().text()).toBe(201);
  return (await reply.json()) as DocumentRecord;
}

const pathOf = ({ document_id }: DocumentRecord, page: unknown = 1, query = '') =>
  `/v1/documents/${document_id}/pages/${page}.png${query}`;
const draw = (path: string, { by = ada, headers = {} } = {}) => by.send('GET', path, undefined, headers);

async function pixels(path: string): Promise<{ width: number; height: number; at(x: number, y: number): number[] }> {
  const reply = await succeeded(draw(path));
  expect(reply.headers.get('content-type')).toBe('image/png');
  const { width, height, data } = PNG.sync.read(Buffer.from(await reply.arrayBuffer()));
  return { width, height, at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)] };
}

describe('200', () => {
  test.each([1, 2, 3])('returns page %i as an image a thousand pixels wide', async (page) => {
    const image = await pixels(pathOf(document, page));
    expect([image.width, image.height]).toEqual([1_000, 1_414]);
    expect(image.at(500, 700)).toEqual(COLORS[page - 1]);
  });

  test.each([16, 200, 3_000])('returns the requested width (%i)', async (width) => {
    const image = await pixels(pathOf(document, 1, `?width=${width}`));
    expect(image.width).toBe(width);
    expect(image.height).toBeCloseTo((width * 297) / 210, -1);
  });

  test('reduces the width of a very high page, unless the requested width has few enough pixels', async () => {
    const high = await store({ html: '<p>x', options: { width: '1in', height: '200in', margin: 0 } });
    const image = await pixels(pathOf(high));
    expect(image.width * image.height).toBeLessThanOrEqual(16_777_216);
    expect(image.width).toBe(289);
    expect((await pixels(pathOf(high, 1, '?width=100'))).height).toBe(20_000);
    const { errors } = await problem(await draw(pathOf(high, 1, '?width=300')), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'width', message: expect.stringContaining('at most 289') }]);
  });

  test('allows only private caching, and returns 304 for an unchanged image', async () => {
    const reply = await draw(pathOf(document));
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const etag = reply.headers.get('etag') as string;
    expect((await draw(pathOf(document), { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await draw(pathOf(document, 2), { headers: { 'if-none-match': etag } })).status).toBe(200);
    const head = await ada.send('HEAD', pathOf(document));
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
  });

  test('does not charge page images', async () => {
    const before = (await ada.usage()).documents.used;
    await draw(pathOf(document, 1, '?width=77'));
    expect((await ada.usage()).documents.used).toBe(before);
  });

  test('needs no password for a PDF with permissions only', async () => {
    const limited = await store({ html: '<p>x', options: { password: { owner: 'secret', permissions: ['print'] } } });
    expect((await draw(pathOf(limited))).status).toBe(200);
  });
});

describe('refused', () => {
  test.each(['0', '4', '-1', '01', '1.5', 'x', '9999999999'])('returns 404 for a page that does not exist (%s)', async (page) => {
    await problem(await draw(pathOf(document, page)), 404, 'not_found');
  });

  test('returns 404 for another key and for an unknown document', async () => {
    const bob = new Client(service.url, (await service.createKey()).key);
    await problem(await draw(pathOf(document), { by: bob }), 404, 'not_found');
    await problem(await draw('/v1/documents/doc_0123456789ABCDEFGHIJKL/pages/1.png'), 404, 'not_found');
  });

  test('returns 401 without a key', async () => {
    expect((await fetch(service.url + pathOf(document))).status).toBe(401);
  });

  test.each(['15', '4001', '1e3', '', '100px'])('returns 400 for the width "%s"', async (width) => {
    const { errors } = await problem(await draw(pathOf(document, 1, `?width=${width}`)), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'width' }]);
  });

  test('returns 406 for another image type', async () => {
    await problem(await draw(pathOf(document), { headers: { accept: 'image/webp' } }), 406, 'not_acceptable');
  });

  test('returns 410 for a deleted or expired document', async () => {
    const gone = await store({ html: '<p>x' });
    await ada.send('DELETE', `/v1/documents/${gone.document_id}`);
    await problem(await draw(pathOf(gone)), 410, 'document_deleted');
    const short = new Client(service.url, (await service.createKey('short')).key);
    const old = await store({ html: '<p>x' }, short);
    await eventually('its time is over', async () => (await draw(pathOf(old), { by: short })).status === 410);
    await problem(await draw(pathOf(old), { by: short }), 410, 'document_expired');
  });

  test('returns 422 for a document with a password', async () => {
    const secret = await store({ html: '<p>x', options: { password: 'secret' } });
    await problem(await draw(pathOf(secret)), 422, 'document_protected');
  });
});
