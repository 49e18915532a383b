/** All documents of a batch in one file: as a ZIP archive and as a merged PDF. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type Batch, bytesOf, Client, type DocumentRecord, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readBookmarks, readLinks } from '../support/read-bookmarks.ts';
import { countPages, millimetresOf, readPdf } from '../support/read-pdf.ts';
import { readZip } from '../support/read-zip.ts';
import { eventually, startService } from '../support/service.ts';

interface Listed {
  index: number;
  reference: string | null;
  status: string;
  file: string | null;
  document_id: string | null;
  bytes?: number;
  pages?: number;
  error?: { code: string };
}

const service = await startService({
  PLATEN_CONCURRENCY: '2',
  PLATEN_FINISH_QUEUE_MB: '20',
  PLATEN_DRAIN_TIMEOUT_SECONDS: '1',
}).then(closeAfterAll);

const on = async (plan = 'growth') => new Client(service.url, (await service.createKey(plan)).key);

/** Sends a batch and waits until it has ended. */
async function batch(client: Client, items: unknown[]): Promise<Batch> {
  return client.batch({ items });
}

const UNKNOWN = 'bat_0123456789ABCDEFGHIJKL';
const NOISE_BYTES = 4_000_000;
/** An item whose PDF contains at least this many incompressible bytes. */
const noisy = (text: string) => ({
  html: `<p>${text}`,
  filename: `${text}.pdf`,
  options: { attachments: [{ name: 'noise', content: randomBytes(NOISE_BYTES).toString('base64') }] },
});

async function zipOf(client: Client, { batch_id }: Batch): Promise<{ files: Map<string, Buffer>; list: Listed[] }> {
  const response = await succeeded(client.get(`/v1/batches/${batch_id}.zip`));
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${batch_id}.zip`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const files = await readZip(await bytesOf(response));
  const { items, ...summary } = JSON.parse(files.get('batch.json')?.toString() ?? '') as { items: Listed[]; batch_id: string };
  expect(summary.batch_id).toBe(batch_id);
  expect([...files.keys()].at(-1)).toBe('batch.json');
  files.delete('batch.json');
  expect([...files.keys()]).toEqual(items.flatMap(({ file }) => file ?? []));
  return { files, list: items };
}

async function textsOf(files: Map<string, Buffer>): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, content] of files) texts[name] = (await readPdf(content)).pages.join('\f');
  return texts;
}

/** Returns the reply before any of its body is read. */
async function unread(client: Client, path: string): Promise<IncomingMessage> {
  const pending = request(client.url + path, { headers: { authorization: `Bearer ${client.key}` } }).end();
  const [reply] = (await once(pending, 'response')) as [IncomingMessage];
  expect(reply.statusCode).toBe(200);
  return reply;
}

/** The test reads the data folder, which is empty when the content is in a bucket. */
const testOfFolder = test.skipIf(process.env.PLATEN_TEST_BLOBS_URL);

/** Returns the content files that the service has open. */
async function openContent(): Promise<string[]> {
  const folder = `/proc/${service.child.pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  return links.filter((link) => link.includes('/blobs/'));
}

describe('the ZIP archive', () => {
  test('lists every item and contains the successful documents under usable names', async () => {
    const client = await on();
    const done = await batch(client, [
      { html: '<p>a', filename: 'Rechnung März.pdf', reference: 'not used' },
      { html: '<p>b', filename: 'rechnung märz.pdf' },
      { html: '<p>c', reference: '../../etc/passwd' },
      { html: '<p>d', reference: 'a\\b:c?\u202e"*' },
      { html: '<p>e' },
      { html: '<p>f', options: { pageRanges: '9' }, reference: 'broken' },
      { html: '<p>a', filename: 'Rechnung März.pdf', reference: 'the same as the first' },
      { html: '<p>g', reference: 'CON' },
      { html: '<p>h', reference: 'é'.repeat(256) },
      { html: '<p>i', reference: '...' },
      7,
    ]);
    const { files, list } = await zipOf(client, done);
    expect(await textsOf(files)).toEqual({
      'Rechnung März.pdf': 'a',
      'rechnung märz (2).pdf': 'b',
      '_.._etc_passwd.pdf': 'c',
      'a_b_c____.pdf': 'd',
      'item-005.pdf': 'e',
      'Rechnung März (3).pdf': 'a',
      '_CON.pdf': 'g',
      [`${'é'.repeat(100)}.pdf`]: 'h',
      'item-010.pdf': 'i',
    });
    expect(list.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(list.map(({ status }) => status).filter((status) => status === 'failed')).toHaveLength(2);
    expect(list[5]).toMatchObject({ reference: 'broken', file: null, document_id: null, error: { code: 'print_failed' } });
    expect(list[10]).toMatchObject({ file: null, error: { code: 'invalid_request' } });
    expect(list[6]).toMatchObject({ document_id: list[0]?.document_id, reference: 'the same as the first', pages: 1 });
    for (const { file, bytes } of list) if (file) expect(files.get(file)?.length).toBe(bytes);
  });

  test('lists deleted documents as gone', async () => {
    const client = await on();
    const done = await batch(client, [{ html: '<p>kept' }, { html: '<p>deleted' }]);
    await client.send('DELETE', `/v1/documents/${done.items[1]?.document_id}`);
    const { files, list } = await zipOf(client, done);
    expect(await textsOf(files)).toEqual({ 'item-001.pdf': 'kept' });
    expect(list[1]).toMatchObject({ status: 'succeeded', file: null, error: { code: 'document_deleted' } });
  });

  test('contains only the list if there are no documents', async () => {
    const client = await on();
    const { files, list } = await zipOf(client, await batch(client, [{ html: 'x', options: { pageRanges: '9' } }]));
    expect(files.size).toBe(0);
    expect(list).toMatchObject([{ status: 'failed', error: { code: 'print_failed' } }]);
  });

  testOfFolder('a slow reader holds one document open, one that leaves holds none', async () => {
    const client = await on();
    const done = await batch(client, ['one', 'two', 'three'].map(noisy));
    const slow = await unread(client, `/v1/batches/${done.batch_id}.zip`);
    const leaving = await unread(client, `/v1/batches/${done.batch_id}.zip`);
    await eventually('both have begun', async () => (await openContent()).length === 2);
    expect((await client.pdf({ html: 'x' })).status).toBe(200);
    expect(await openContent()).toHaveLength(2);
    leaving.destroy();
    await eventually('its document is closed', async () => (await openContent()).length === 1);
    const files = await readZip(await buffer(slow));
    expect([...files.keys()]).toEqual(['one.pdf', 'two.pdf', 'three.pdf', 'batch.json']);
    expect(files.get('three.pdf')?.length).toBeGreaterThan(NOISE_BYTES);
    await eventually('all is closed', async () => (await openContent()).length === 0);
  });
});

describe('the merged PDF', () => {
  const merged = async (client: Client, { batch_id }: Batch): Promise<{ response: Response; bytes: Buffer }> => {
    const response = await succeeded(client.get(`/v1/batches/${batch_id}.pdf`));
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe(`inline; filename=${batch_id}.pdf`);
    const bytes = await bytesOf(response);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    return { response, bytes };
  };
  const two = (text: string) => `<p>${text} 1<p style="break-before: page">${text} 2`;

  test('has the pages in the order of the items, with a bookmark for each document', async () => {
    const client = await on();
    const done = await batch(client, [
      { html: two('a'), reference: 'Erste – первый' },
      { html: '<p>broken', options: { pageRanges: '9' } },
      { html: '<p>b', filename: 'bee.pdf', options: { format: 'A5', compress: true, tagged: true } },
      { html: '<p>c', options: { landscape: true, metadata: { title: 'not told' } } },
      { html: two('a') },
    ]);
    const { response, bytes } = await merged(client, done);
    const pdf = await readPdf(bytes);
    expect(pdf.pages).toEqual(['a 1', 'a 2', 'b', 'c', 'a 1', 'a 2']);
    expect(millimetresOf(pdf).map(([width]) => width)).toEqual([210, 210, 148, 297, 210, 210]);
    expect(pdf.fonts).toEqual(['Tinos-Regular']);
    expect(await readBookmarks(bytes)).toEqual([
      { title: 'Erste – первый', page: 1, below: [] },
      { title: 'bee.pdf', page: 3, below: [] },
      { title: 'Item 4', page: 4, below: [] },
      { title: 'Item 5', page: 5, below: [] },
    ]);
    expect(response.headers.get('platen-pages')).toBe('6');
    expect(response.headers.get('platen-left-out')).toBe('1');
    expect((await merged(client, done)).bytes.equals(bytes)).toBe(true);
  });

  test('keeps bookmarks and links of a document pointing to its own pages', async () => {
    const client = await on();
    const html = (text: string) =>
      `<h1 id="top">${text}</h1><a href="#end">to the end</a><a href="https://example.com/">out</a>
       <h1 id="end" style="break-before: page">end of ${text}</h1><a href="#top">to the top</a>`;
    const options = { outline: true };
    const done = await batch(client, [
      { html: html('A'), reference: 'a', options },
      { html: html('B'), reference: 'b', options: { ...options, compress: true } },
    ]);
    const { bytes } = await merged(client, done);
    expect(await readLinks(bytes)).toEqual([[2], [1], [4], [3]]);
    const below = (text: string, page: number) => [
      { title: text, page, below: [] },
      { title: `end of ${text}`, page: page + 1, below: [] },
    ];
    expect(await readBookmarks(bytes)).toEqual([
      { title: 'a', page: 1, below: below('A', 1) },
      { title: 'b', page: 3, below: below('B', 3) },
    ]);
  });

  test('stores identical items once and gives each its pages', async () => {
    const client = await on();
    const image = `<img src="data:image/bmp;base64,${bitmap(256).toString('base64')}">`;
    const one = await merged(client, await batch(client, [{ html: `${image}<p>same` }]));
    const many = await merged(client, await batch(client, Array(10).fill({ html: `${image}<p>same` })));
    expect((await readPdf(many.bytes)).pages).toEqual(Array(10).fill('same'));
    expect((await readPdf(many.bytes)).images).toBe(10);
    expect(many.bytes.length).toBeLessThan(2 * one.bytes.length);
  });

  test('names the documents that have a password', async () => {
    const client = await on();
    const done = await batch(client, [
      { html: '<p>a' },
      { html: '<p>b', reference: 'secret', options: { password: 'x' } },
      { html: '<p>c', options: { password: { permissions: [] } } },
    ]);
    const refused = await problem(await client.get(`/v1/batches/${done.batch_id}.pdf`), 422, 'not_mergeable');
    expect(refused.items).toEqual([
      { index: 1, reference: 'secret' },
      { index: 2, reference: null },
    ]);
    expect(refused.detail).toContain('items 1, 2');
  });

  test('skips deleted documents, and fails if none is left', async () => {
    const client = await on();
    const done = await batch(client, [{ html: '<p>a' }, { html: '<p>b' }]);
    await client.send('DELETE', `/v1/documents/${done.items[0]?.document_id}`);
    const { response, bytes } = await merged(client, done);
    expect(response.headers.get('platen-left-out')).toBe('0');
    expect(await readBookmarks(bytes)).toEqual([{ title: 'Item 2', page: 1, below: [] }]);
    await client.send('DELETE', `/v1/documents/${done.items[1]?.document_id}`);
    await problem(await client.get(`/v1/batches/${done.batch_id}.pdf`), 422, 'not_mergeable');
  });

  test('rejects more bytes than fit into memory with both sizes', async () => {
    const client = await on();
    const done = await batch(
      client,
      Array.from({ length: 6 }, (_, n) => noisy(`${n}`)),
    );
    const refused = await problem(await client.get(`/v1/batches/${done.batch_id}.pdf`), 422, 'resource_limit');
    expect(refused.limit).toBe(20 * 1_048_576);
    expect(refused.actual).toBeGreaterThan(6 * NOISE_BYTES);
  });

  test('rejects more pages than can be merged in time, even if they share their content', async () => {
    const client = await on();
    const long = { html: '<style>p { break-after: page }</style>'.concat('<p>x'.repeat(101)) };
    const done = await batch(client, Array(500).fill(long));
    const refused = await problem(await client.get(`/v1/batches/${done.batch_id}.pdf`), 422, 'resource_limit');
    expect(refused).toMatchObject({ limit: 50_000, actual: 500 * (done.items[0]?.pages ?? 0) });
  });

  test('does not delay renders while a batch is merged', async () => {
    const [client, other] = [await on(), await on()];
    const long = { html: '<style>p { break-after: page }</style>'.concat('<p>x'.repeat(100)) };
    const done = await batch(client, Array(100).fill(long));
    let merged = false;
    const merging = client.get(`/v1/batches/${done.batch_id}.pdf`).then((response) => {
      merged = true;
      return response.arrayBuffer();
    });
    const finished = await other.pdf({ html: '<p>x', options: { metadata: { title: 'at once' } } });
    expect([finished.status, merged]).toEqual([200, false]);
    expect(await countPages(await merging)).toBe(100 * (done.items[0]?.pages ?? 0));
  });

  testOfFolder('a client that leaves it unread leaves nothing behind', async () => {
    const client = await on();
    // These are 14 MB of incompressible data, which is more than the buffers between the service and a client hold.
    const picture = () => ({ html: `<img src="data:image/bmp;base64,${bitmap(1_100).toString('base64')}">` });
    const done = await batch(client, Array.from({ length: 4 }, picture));
    const leaving = await unread(client, `/v1/batches/${done.batch_id}.pdf`);
    await eventually('it is being read', async () => (await openContent()).length === 1);
    expect((await openContent())[0]).toContain('(deleted)');
    leaving.destroy();
    await eventually('it is closed', async () => (await openContent()).length === 0);
  });
});

describe('401 to 429', () => {
  const ADDRESSES = ['.zip', '.pdf'];

  test.each(ADDRESSES)('returns %s for a batch of another key and for an unknown id', async (ending) => {
    const [ada, bob] = [await on(), await on()];
    const { batch_id } = await batch(ada, [{ html: 'x' }]);
    for (const id of [batch_id, UNKNOWN, 'x', `${batch_id}.zip`, '..%2f'])
      await problem(await bob.get(`/v1/batches/${id}${ending}`), 404, 'not_found');
    await problem(await fetch(`${service.url}/v1/batches/${batch_id}${ending}`), 401, 'unauthorized');
  });

  test.each(ADDRESSES)('%s supports GET and HEAD, and names its media type', async (ending) => {
    const client = await on();
    const { batch_id } = await batch(client, [{ html: 'x' }]);
    const head = await client.send('HEAD', `/v1/batches/${batch_id}${ending}`);
    expect([head.status, head.headers.get('content-type')]).toEqual([200, `application/${ending.slice(1)}`]);
    expect((await client.get(`/v1/batches/${batch_id}${ending}`, { accept: 'text/html' })).status).toBe(406);
    const posted = await client.send('POST', `/v1/batches/${batch_id}${ending}`, {});
    await problem(posted, 405, 'method_not_allowed');
    expect((await client.get(`/v1/batches/${batch_id}.doc`)).status).toBe(404);
    expect(await client.json(`/v1/batches/${batch_id}`)).toMatchObject({ batch_id });
  });

  test('counts the merged PDF of a batch as one request of the minute', async () => {
    const client = await on('slow');
    const done = await batch(client, [{ html: 'x' }]);
    const get = () => client.get(`/v1/batches/${done.batch_id}.pdf`);
    for (let n = 0; n < 2; n++) expect((await get()).status).toBe(200);
    await problem(await get(), 429, 'rate_limited');
  });
});

test('includes only documents that the key can read', async () => {
  const client = await on();
  const done = await batch(client, [{ html: '<p>x' }]);
  const record = (await client.json<{ data: DocumentRecord[] }>('/v1/documents')).data[0];
  const { list } = await zipOf(client, done);
  expect(list[0]).toMatchObject({ document_id: record?.document_id, bytes: record?.bytes, sha256: record?.sha256 });
});

test('has no results before the end of the batch', async () => {
  const client = await on();
  const response = await client.send('POST', '/v1/batches', {
    items: [{ html: 'x', options: { waitForFunction: 'false' } }, { html: 'x' }],
  });
  const { batch_id } = (await response.json()) as Batch;
  for (const ending of ['.zip', '.pdf']) {
    const early = await client.get(`/v1/batches/${batch_id}${ending}`);
    expect((await problem(early, 409, 'batch_unfinished')).unfinished).toBeGreaterThanOrEqual(1);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
});

/** Returns a square BMP image of noise, with three bytes for each pixel. */
function bitmap(pixels: number): Buffer {
  const rowBytes = Math.ceil((pixels * 3) / 4) * 4;
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(54 + rowBytes * pixels, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(pixels, 18);
  header.writeInt32LE(pixels, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return Buffer.concat([header, randomBytes(rowBytes * pixels)]);
}
