/** Stored documents through HTTP, grouped by status: read, listed, linked, deleted and expired. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, type List, problem, withoutReport } from '../support/client.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { sharedService } from '../support/shared-service.ts';
import { contentFiles, storedWith } from '../support/stored.ts';

const service = await sharedService();
const ada = new Client(service.url, (await service.createKey('free')).key);
const bob = new Client(service.url, (await service.createKey()).key);

const another = async (plan?: string) => new Client(service.url, (await service.createKey(plan)).key);
const pathOf = ({ document_id }: DocumentRecord) => `/v1/documents/${document_id}`;
const DAY_MS = 86_400_000;

const isStored = async (marker: string) => (await storedWith(service.env, marker)).length > 0;
const contentOf = async ({ document_id }: DocumentRecord) =>
  (await contentFiles(service.env)).find((file) => file.endsWith(document_id));

/** Requests the path exactly as written, because `fetch` would normalize it. */
async function asWritten(path: string, method = 'GET'): Promise<{ status: number | undefined }> {
  const { hostname: host, port } = new URL(service.url);
  const [response] = (await once(request({ host, port, path, method }).end(), 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode };
}

describe('201', () => {
  test('returns the record for store: true, and serves the PDF at its URL', async () => {
    const response = await ada.pdf({ html: '<p>kept', store: true, filename: 'Rechnung № 7.pdf' });
    expect(response.status).toBe(201);
    const record = (await response.json()) as DocumentRecord;
    expect(record).toMatchObject({ filename: 'Rechnung № 7.pdf', pages: 1, source: 'html' });
    expect(record).not.toHaveProperty('template_id');
    expect(record.document_id).toMatch(/^doc_[0-9A-Za-z]{22}$/);
    expect(Date.parse(record.expires_at) - Date.parse(record.created_at)).toBe(DAY_MS);
    expect(response.headers.get('location')).toBe(record.url);
    expect(response.headers.get('platen-document-id')).toBe(record.document_id);
    expect(response.headers.get('platen-pages')).toBe('1');
    expect(response.headers.get('server-timing')).toMatch(/queue;dur=.*print;dur=/);
    const fetched = await fetch(record.url, { headers: { authorization: `Bearer ${ada.key}` } });
    const bytes = await bytesOf(fetched);
    expect(bytes.length).toBe(record.bytes);
    expect(sha256(bytes)).toBe(record.sha256);
    expect((await readPdf(bytes)).pages[0]).toBe('kept');
  });

  test('returns the bytes with the id in a header for Accept: application/pdf', async () => {
    const response = await ada.pdf({ html: '<p>both', store: true }, { accept: 'application/pdf' });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const id = response.headers.get('platen-document-id');
    expect(response.headers.get('location')).toBe(`${service.url}/v1/documents/${id}`);
    const bytes = await bytesOf(response);
    expect(sha256(bytes)).toBe((await ada.json<DocumentRecord>(`/v1/documents/${id}`)).sha256);
  });

  test.each(['*/*', 'application/pdf, application/json', 'application/json, text/plain, */*', 'application/pdf, */*;q=0.1'])(
    'returns the record for Accept: %s',
    async (accept) => {
      const response = await ada.pdf({ html: 'x', store: true }, { accept });
      expect(response.headers.get('content-type')).toContain('application/json');
    },
  );

  test.each([
    ['starter', 30],
    ['growth', 365],
    ['scale', 730],
  ])('stores documents with the plan %s for %i days', async (plan, days) => {
    const record = await (await another(plan)).store({ html: 'x' });
    expect(Date.parse(record.expires_at) - Date.parse(record.created_at)).toBe(days * DAY_MS);
  });
});

describe('200 for renders', () => {
  test('stores nothing by default', async () => {
    const client = await another();
    for (const body of [{ html: 'x' }, { html: 'x', store: false }]) {
      const response = await client.pdf(body);
      expect(response.status).toBe(200);
      expect(response.headers.get('platen-document-id')).toBeNull();
    }
    expect((await client.json<List<DocumentRecord>>('/v1/documents')).data).toEqual([]);
  });

  test('stores documents with auto_store without changing the reply, unless store is false', async () => {
    const client = await another();
    const changed = await client.send('PATCH', '/v1/account', { auto_store: true });
    expect(await changed.json()).toMatchObject({ auto_store: true, plan: 'growth' });
    const response = await client.pdf({ html: '<p>auto' }, { accept: 'application/json, text/plain, */*' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const id = response.headers.get('platen-document-id');
    expect(sha256(await bytesOf(response))).toBe((await client.json<DocumentRecord>(`/v1/documents/${id}`)).sha256);
    expect((await client.pdf({ html: 'x', store: false })).headers.get('platen-document-id')).toBeNull();
    expect((await client.json<List<DocumentRecord>>('/v1/documents')).data.map((d) => d.document_id)).toEqual([id]);
    await client.send('PATCH', '/v1/account', { auto_store: false });
    expect((await client.pdf({ html: 'x' })).headers.get('platen-document-id')).toBeNull();
  });

  test('stops storing with auto_store when the account moves to a plan without storage', async () => {
    const { account_id, key } = await service.createKey();
    const client = new Client(service.url, key);
    await client.send('PATCH', '/v1/account', { auto_store: true });
    await service.cli('accounts', 'set-plan', account_id, 'nothing_kept');
    const response = await client.pdf({ html: 'x' });
    expect(response.status).toBe(200);
    expect(response.headers.get('platen-document-id')).toBeNull();
  });

  test('uses filename in the reply', async () => {
    const response = await ada.pdf({ html: 'x', filename: 'naïve "file".pdf' });
    expect(response.headers.get('content-disposition')).toBe(
      `inline; filename="naive \\"file\\".pdf"; filename*=UTF-8''na%C3%AFve%20%22file%22.pdf`,
    );
  });
});

describe('fetching', () => {
  let document: DocumentRecord;
  let content: Buffer;
  beforeAll(async () => {
    document = await ada.store({ html: '<p>ranges', filename: 'r.pdf' });
    content = await bytesOf(await ada.get(pathOf(document)));
  });

  test('returns 200 with type, name, size and ETag, and forbids caching', async () => {
    const { headers } = await ada.get(pathOf(document));
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe('inline; filename=r.pdf');
    expect(headers.get('content-length')).toBe(String(document.bytes));
    expect(headers.get('etag')).toBe(`"${document.sha256}"`);
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('returns the record if Accept names only JSON', async () => {
    expect(await ada.json(pathOf(document))).toEqual(document);
    for (const accept of ['application/json, */*', 'application/json, application/pdf'])
      expect((await ada.get(pathOf(document), { accept })).headers.get('content-type')).toBe('application/pdf');
  });

  test('returns the same headers without a body for HEAD', async () => {
    const response = await ada.send('HEAD', pathOf(document));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(document.bytes));
    expect(response.headers.get('etag')).toBe(`"${document.sha256}"`);
    expect((await bytesOf(response)).length).toBe(0);
  });

  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=10-', 10, undefined],
    ['bytes=-20', -20, undefined],
    ['bytes=5-99999999', 5, undefined],
  ])('returns 206 for %s', async (range, from, to) => {
    const response = await ada.get(pathOf(document), { range });
    expect(response.status).toBe(206);
    const part = await bytesOf(response);
    expect(part.equals(content.subarray(from, to))).toBe(true);
    const start = from < 0 ? content.length + from : from;
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${start + part.length - 1}/${content.length}`);
  });

  test.each(['bytes=0-1, 5-6', 'lines=1-2', 'bytes=x', 'bytes=9-2x'])(
    'returns the whole document for the range %s',
    async (range) => {
      const response = await ada.get(pathOf(document), { range });
      expect(response.status).toBe(200);
      expect((await bytesOf(response)).equals(content)).toBe(true);
    },
  );

  test('returns the part for a matching If-Range, otherwise everything', async () => {
    const range = 'bytes=0-3';
    const same = await ada.get(pathOf(document), { range, 'if-range': `"${document.sha256}"` });
    expect(same.status).toBe(206);
    expect((await ada.get(pathOf(document), { range, 'if-range': '"other"' })).status).toBe(200);
  });

  test('returns 304 for a matching ETag', async () => {
    const response = await ada.get(pathOf(document), { 'if-none-match': `"other", "${document.sha256}"` });
    expect(response.status).toBe(304);
    expect((await bytesOf(response)).length).toBe(0);
    expect((await ada.get(pathOf(document), { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('returns 406 for unsupported types', async () => {
    await problem(await ada.get(pathOf(document), { accept: 'image/png' }), 406, 'not_acceptable');
  });

  test('returns 416 with the size for a range past the end', async () => {
    const response = await ada.get(pathOf(document), { range: 'bytes=99999999-' });
    expect(response.headers.get('content-range')).toBe(`bytes */${content.length}`);
    await problem(response, 416, 'range_not_satisfiable');
  });
});

describe('lists', () => {
  test('are newest first, paged, stable while documents are added and deleted, and can be filtered', async () => {
    const client = await another();
    const { template_id } = await client.template('<p>{{x}}');
    const made: DocumentRecord[] = [];
    for (let n = 0; n < 5; n++) made.push(await client.store(n % 2 ? { template_id } : { html: 'x' }, {}));
    const ids = made.map(({ document_id }) => document_id).reverse();
    const first = await client.json<List<DocumentRecord>>('/v1/documents?limit=2');
    expect(first.data.map((d) => d.document_id)).toEqual(ids.slice(0, 2));
    expect(first.data[0]).toEqual(withoutReport(made[4] as DocumentRecord));
    await client.store({ html: 'newer' });
    await client.send('DELETE', pathOf(made[4] as DocumentRecord));
    const second = await client.json<List<DocumentRecord>>(`/v1/documents?cursor=${first.next_cursor}`);
    expect(second.data.map((d) => d.document_id)).toEqual(ids.slice(2));
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    const byTemplate = await client.json<List<DocumentRecord>>(`/v1/documents?template_id=${template_id}`);
    expect(byTemplate.data.map((d) => d.document_id)).toEqual([ids[1], ids[3]]);
    const middle = made[2]?.created_at ?? '';
    const after = await client.json<List<DocumentRecord>>(`/v1/documents?created_after=${middle}`);
    expect(after.data.every((d) => d.created_at > middle)).toBe(true);
    const before = await client.json<List<DocumentRecord>>(`/v1/documents?created_before=${middle}`);
    expect(before.data.every((d) => d.created_at < middle)).toBe(true);
    expect(after.data.length + before.data.length).toBeLessThan(6);
    expect((await bob.json<List<DocumentRecord>>('/v1/documents')).data).toEqual([]);
  });

  test('can be searched by a part of the filename, or by id', async () => {
    const client = await another();
    const names = ['Invoice_1.pdf', 'invoice-1.pdf', '100 % €.pdf', 'a%b.pdf'];
    const made: DocumentRecord[] = [];
    for (const filename of names) made.push(await client.store({ html: 'x', filename }));
    const found = async (q: string) => {
      const { data } = await client.json<List<DocumentRecord>>(`/v1/documents?q=${encodeURIComponent(q)}`);
      return data.map(({ filename }) => filename).reverse();
    };
    expect(await found('INVOICE')).toEqual(names.slice(0, 2));
    expect(await found('e_1')).toEqual(['Invoice_1.pdf']);
    expect(await found('%')).toEqual(['100 % €.pdf', 'a%b.pdf']);
    expect(await found('€')).toEqual(['100 % €.pdf']);
    expect(await found("'; drop table documents; --")).toEqual([]);
    expect(await found(made[1]?.document_id ?? '')).toEqual(['invoice-1.pdf']);
    expect(await found('')).toHaveLength(4);
    expect((await bob.json<List<DocumentRecord>>(`/v1/documents?q=${made[1]?.document_id}`)).data).toEqual([]);
  });

  test.each([
    'created_after=2026-02-31T00:00:00Z',
    'created_after=2026-01-01',
    'created_after=yesterday',
    'created_before=2026-02-30',
    'created=x',
    'limit=1.5',
    'cursor=',
  ])('returns 400 for ?%s', async (query) => {
    const { errors } = await problem(await ada.get(`/v1/documents?${query}`), 400, 'invalid_request');
    expect(errors?.map(({ path }) => path)).toEqual([query.split('=')[0]]);
  });
});

test('accepts times in any zone, with the plus sign encoded or not', async () => {
  const client = await another();
  const { created_at } = await client.store({ html: 'x' });
  const east = new Date(Date.parse(created_at) + 7_200_000 - 1_000).toISOString().replace('Z', '+02:00');
  for (const time of [east, encodeURIComponent(east)])
    expect((await client.json<List<DocumentRecord>>(`/v1/documents?created_after=${time}`)).data).toHaveLength(1);
});

describe('signed links', () => {
  test('work without a key, support ranges, and reveal nothing to others', async () => {
    const document = await ada.store({ html: '<p>linked' });
    const response = await ada.send('POST', `${pathOf(document)}/links`, { expires_in: 600 });
    expect(response.status).toBe(201);
    const { url, expires_at } = (await response.json()) as { url: string; expires_at: string };
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 600_000)).toBeLessThan(60_000);
    const fetched = await fetch(url);
    expect(fetched.headers.get('referrer-policy')).toBe('no-referrer');
    expect(fetched.headers.get('cache-control')).toBe('private, no-store');
    expect(sha256(await bytesOf(fetched))).toBe(document.sha256);
    expect((await fetch(url, { headers: { range: 'bytes=0-4' } })).status).toBe(206);
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(document.bytes));
  });

  test('last an hour without a body, and never longer than their document', async () => {
    const document = await ada.store({ html: 'x' });
    const hour = (await (await ada.send('POST', `${pathOf(document)}/links`)).json()) as { expires_at: string };
    expect(Math.abs(Date.parse(hour.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const long = (await (await ada.send('POST', `${pathOf(document)}/links`, { expires_in: 9_999_999 })).json()) as {
      expires_at: string;
    };
    expect(Date.parse(long.expires_at)).toBeLessThanOrEqual(Date.parse(document.expires_at));
    expect(Date.parse(long.expires_at)).toBeGreaterThan(Date.parse(document.expires_at) - 1_000);
  });

  test('can be created without a body, whatever its announced type', async () => {
    const document = await ada.store({ html: 'x' });
    const json = { 'content-type': 'application/json' };
    expect((await ada.send('POST', `${pathOf(document)}/links`, undefined, json)).status).toBe(201);
    expect((await ada.send('DELETE', pathOf(document), undefined, json)).status).toBe(204);
  });

  test('return 404 after any change to the URL', async () => {
    const document = await ada.store({ html: 'x' });
    const other = await ada.store({ html: 'y' });
    const { url } = (await (await ada.send('POST', `${pathOf(document)}/links`)).json()) as { url: string };
    const link = new URL(url);
    const changed = (change: (link: URL) => void) => {
      const copy = new URL(link);
      change(copy);
      return fetch(copy);
    };
    const faults = [
      changed((u) => u.searchParams.set('expires', String(Number(u.searchParams.get('expires')) + 1))),
      changed((u) => u.searchParams.set('signature', 'A'.repeat(43))),
      changed((u) => u.searchParams.set('signature', '')),
      changed((u) => u.searchParams.set('key', 'sgn_00000000')),
      changed((u) => u.searchParams.append('signature', 'x')),
      changed((u) => {
        u.search = '';
      }),
      changed((u) => {
        u.pathname = `/links/${other.document_id}`;
      }),
    ];
    for (const response of faults) await problem(await response, 404, 'not_found');
    expect((await fetch(link)).status).toBe(200);
  });

  describe('404 for the same link in another spelling', () => {
    let path = '';
    beforeAll(async () => {
      const document = await ada.store({ html: 'x' });
      // Looks for a signature that base64 and base64url encode differently.
      for (let expires_in = 3_600; !/signature=.*[-_]/.test(path); expires_in++) {
        const { url } = (await (await ada.send('POST', `${pathOf(document)}/links`, { expires_in })).json()) as { url: string };
        path = url.slice(service.url.length);
      }
    });

    const expiry = (write: (seconds: number) => string) => (link: string) =>
      link.replace(/expires=(\d+)/, (_, seconds) => `expires=${write(Number(seconds))}`);
    const signature = (write: (text: string) => string) => (link: string) =>
      link.replace(/signature=(.*)$/, (_, text) => `signature=${write(text)}`);
    /** Changes the two lowest bits of the last character, which are not part of the signature. */
    const otherLastBits = (text: string) => text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);

    test.each<[string, (link: string) => string]>([
      ['a sign', expiry((seconds) => `+${seconds}`)],
      ['an encoded sign', expiry((seconds) => `%2B${seconds}`)],
      ['hexadecimal', expiry((seconds) => `0x${seconds.toString(16)}`)],
      ['a fraction', expiry((seconds) => `${seconds}.0`)],
      ['an exponent', expiry((seconds) => `${seconds}e0`)],
      ['a leading zero', expiry((seconds) => `0${seconds}`)],
      ['a blank before', expiry((seconds) => `%20${seconds}`)],
      ['a blank behind', expiry((seconds) => `${seconds}+`)],
      ['an encoded digit', expiry((seconds) => `%31${String(seconds).slice(1)}`)],
      ['base64 with its padding', signature((text) => `${text}=`)],
      ['base64 with bits that mean nothing', signature(otherLastBits)],
      ['base64 with a blank', signature((text) => `${text.slice(0, 9)}%20${text.slice(9)}`)],
      ['base64 with a character that is none', signature((text) => `${text.slice(0, 9)}!${text.slice(9)}`)],
      ['the other alphabet of base64', signature((text) => Buffer.from(text, 'base64url').toString('base64').replace(/=$/, ''))],
      ['an encoded signature', signature((text) => `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`)],
      ['a parameter more', (link) => `${link}&disposition=attachment`],
      ['an empty parameter more', (link) => `${link}&`],
      ['a parameter before', (link) => link.replace('?', '?x=1&')],
      ['a parameter twice', (link) => `${link}&key=sgn_1`],
      ['the expiry twice', (link) => link.replace('?', '?expires=1&')],
      ['another order', (link) => link.replace(/(expires=\d+)&(key=\w+)/, '$2&$1')],
      ['an encoded name', (link) => link.replace('expires', '%65xpires')],
      ['an encoded key', (link) => link.replace('key=s', 'key=%73')],
      ['an encoded id', (link) => link.replace('/doc_', '/%64oc_')],
      ['an encoded path', (link) => link.replace('/links', '/%6Cinks')],
      ['a slash at the end of the path', (link) => link.replace('?', '/?')],
      ['a fragment', (link) => `${link}#x`],
    ])('%s', async (_name, change) => {
      for (const method of ['GET', 'HEAD']) expect((await asWritten(change(path), method)).status).toBe(404);
      expect((await asWritten(path)).status).toBe(200);
    });

    test('accept the absolute URL in the request line', async () => {
      expect((await asWritten(service.url + path)).status).toBe(200);
      expect((await asWritten(`${service.url + path}&x=1`)).status).toBe(404);
    });
  });

  test('return 400 for an invalid time, and 404 for a document of another key', async () => {
    const document = await ada.store({ html: 'x' });
    for (const expires_in of [0, -1, 1.5, '1h'])
      await problem(await ada.send('POST', `${pathOf(document)}/links`, { expires_in }), 400, 'invalid_request');
    await problem(await bob.send('POST', `${pathOf(document)}/links`), 404, 'not_found');
  });

  test('return 410 for an expired link and for a deleted document', async () => {
    const document = await ada.store({ html: 'x' });
    const short = (await (await ada.send('POST', `${pathOf(document)}/links`, { expires_in: 1 })).json()) as { url: string };
    const long = (await (await ada.send('POST', `${pathOf(document)}/links`)).json()) as { url: string };
    await eventually('the link expires', async () => (await fetch(short.url)).status === 410);
    await problem(await fetch(short.url), 410, 'link_expired');
    await ada.send('DELETE', pathOf(document));
    await problem(await fetch(long.url), 410, 'document_deleted');
  });
});

describe('204 and 410: deleted documents cannot be read', () => {
  test('a deleted document', async () => {
    const document = await ada.store({ html: '<p>deleted soon', filename: 'marker-deleted-8d1f.pdf' });
    expect(await isStored('marker-deleted-8d1f')).toBe(true);
    expect(await contentOf(document)).toBeDefined();
    const response = await ada.send('DELETE', pathOf(document));
    expect(response.status).toBe(204);
    expect(await contentOf(document)).toBeUndefined();
    for (const method of ['GET', 'DELETE']) await problem(await ada.send(method, pathOf(document)), 410, 'document_deleted');
    await problem(await bob.get(pathOf(document)), 404, 'not_found');
    await problem(await ada.send('POST', `${pathOf(document)}/links`), 410, 'document_deleted');
    await eventually('no trace is left', async () => !(await isStored('marker-deleted-8d1f')));
    await eventually('nor of its digest', async () => !(await isStored(document.sha256)));
  });

  test('an expired document, at its very instant and after the sweep', async () => {
    const client = await another('short');
    const document = await client.store({ html: '<p>expires soon', filename: 'marker-expired-77aa.pdf' });
    const expiry = Date.parse(document.expires_at);
    for (let now = Date.now(); now < expiry + 200; now = Date.now()) {
      const before = Date.now();
      const { status } = await client.get(pathOf(document), { accept: 'application/json' });
      if (Date.now() < expiry) expect(status).toBe(200);
      if (before >= expiry) expect(status).toBe(410);
    }
    await problem(await client.get(pathOf(document)), 410, 'document_expired');
    expect((await client.json<List<DocumentRecord>>('/v1/documents')).data).toEqual([]);
    expect((await client.usage()).storage).toEqual({ documents: 0, bytes: 0, limit: null });
    await eventually('no trace is left', async () => !(await isStored('marker-expired-77aa')));
    await problem(await client.get(pathOf(document)), 410, 'document_expired');
    await problem(await bob.get(pathOf(document)), 404, 'not_found');
    expect(await service.metric('platen_swept_total', 'content')).toBeGreaterThan(0);
  });

  test('a deleted template, and what was remembered of its making', async () => {
    const response = await ada.send(
      'POST',
      '/v1/templates',
      { name: 'marker-name-4e', html: '<p>marker-html-4e' },
      { 'idempotency-key': 'marker' },
    );
    const { template_id } = (await response.json()) as { template_id: string };
    expect(await isStored('marker-html-4e')).toBe(true);
    await ada.send('DELETE', `/v1/templates/${template_id}`);
    await eventually('its HTML is gone', async () => !(await isStored('marker-html-4e')));
    await eventually('its name is gone', async () => !(await isStored('marker-name-4e')));
  });
});

describe('400', () => {
  test.each(['', ' ', '..', 'a/b.pdf', 'a\\b.pdf', 'a\nb', 'a\0', 'a\u202efdp.exe', 'x'.repeat(201)])(
    'rejects the filename %j',
    async (filename) => {
      const { errors } = await problem(await ada.pdf({ html: 'x', filename }), 400, 'invalid_request');
      expect(errors?.map(({ path }) => path)).toEqual(['filename']);
    },
  );

  test.each(['yes', 1])('rejects store (%j)', async (store) => {
    const { errors } = await problem(await ada.pdf({ html: 'x', store }), 400, 'invalid_request');
    expect(errors?.map(({ path }) => path)).toEqual(['store']);
  });

  test.each([{ auto_store: 'yes' }, { autoStore: true }, { plan: 'scale' }, []])(
    'rejects PATCH /v1/account with %j',
    async (body) => {
      await problem(await ada.send('PATCH', '/v1/account', body), 400, 'invalid_request');
    },
  );
});

test('returns 401 without a key and with a revoked key', async () => {
  const { key, key_id } = await service.createKey();
  const client = new Client(service.url, key);
  const document = await client.store({ html: 'x' });
  for (const path of [pathOf(document), '/v1/documents', '/v1/usage', '/v1/account'])
    await problem(await new Client(service.url, 'x').get(path), 401, 'unauthorized');
  await service.cli('keys', 'revoke', key_id);
  await problem(await client.get(pathOf(document)), 401, 'unauthorized');
});

test('keeps documents and templates of a rotated key', async () => {
  const { key, key_id } = await service.createKey();
  const document = await new Client(service.url, key).store({ html: 'x' });
  const { key: next } = JSON.parse(await service.cli('keys', 'rotate', key_id, '--json')) as { key: string };
  expect(await new Client(service.url, next).json(pathOf(document))).toEqual(document);
});

test('returns 404 for malformed ids', async () => {
  for (const id of ['x', 'doc_', 'doc_%00', '%zz', 'x'.repeat(300), 'doc_0123456789ABCDEFGHIJKL%00'])
    await problem(await ada.get(`/v1/documents/${id}`), 404, 'not_found');
  expect((await ada.json<List<DocumentRecord>>('/v1/documents?template_id=%00')).data).toEqual([]);
});

test('returns 503 without headers that describe the document if its content is missing', async () => {
  const document = await ada.store({ html: 'x' }, { 'idempotency-key': 'lost' });
  await rm((await contentOf(document)) ?? '');
  for (const reply of [
    ada.get(pathOf(document), { range: 'bytes=0-9' }),
    ada.pdf({ html: 'x', store: true }, { 'idempotency-key': 'lost', accept: 'application/pdf' }),
  ]) {
    const response = await reply;
    const named = [
      'etag',
      'accept-ranges',
      'content-range',
      'content-disposition',
      'platen-pages',
      'location',
      'platen-document-id',
    ];
    expect([...response.headers.keys()].filter((name) => named.includes(name))).toEqual([]);
    await problem(response, 503, 'storage_failed');
  }
});

test('returns the same 404 for a document of another key, even of the same account, and for an unknown one', async () => {
  const { account_id, key } = await service.createKey();
  const document = await new Client(service.url, key).store({ html: 'x' });
  const sibling = JSON.parse(await service.cli('keys', 'create', '--account', account_id, '--json')) as { key: string };
  const problemsFor = async (client: Client, id: string) => {
    const replies = [
      client.get(`/v1/documents/${id}`),
      client.get(`/v1/documents/${id}`, { accept: 'application/json' }),
      client.send('DELETE', `/v1/documents/${id}`),
      client.send('POST', `/v1/documents/${id}/links`),
    ];
    return Promise.all(
      replies.map(async (reply) => {
        const response = await reply;
        const { request_id: _, ...rest } = await problem(response, 404, 'not_found');
        return { ...rest, headers: [...response.headers.keys()].sort() };
      }),
    );
  };
  const missing = await problemsFor(bob, 'doc_0123456789ABCDEFGHIJKL');
  expect(await problemsFor(bob, document.document_id)).toEqual(missing);
  expect(await problemsFor(new Client(service.url, sibling.key), document.document_id)).toEqual(missing);
  expect((await new Client(service.url, key).get(pathOf(document))).status).toBe(200);
});

test('rejects store with 422 on a plan without retention, and renders and charges nothing', async () => {
  const client = await another('nothing_kept');
  const rendered = await service.metric('platen_renders_total', 'outcome="ok"');
  const response = await client.pdf({ html: '<p>x', store: true });
  expect((await problem(response, 422, 'storage_unavailable')).detail).toContain('nothing_kept');
  expect(await service.metric('platen_renders_total', 'outcome="ok"')).toBe(rendered);
  await problem(await client.send('PATCH', '/v1/account', { auto_store: true }), 422, 'storage_unavailable');
  expect((await client.usage()).documents.used).toBe(0);
  expect((await client.pdf({ html: '<p>x' })).status).toBe(200);
});

test('keeps the expiry of a document when the plan changes, and applies the new one to new documents', async () => {
  const { account_id, key } = await service.createKey('starter');
  const client = new Client(service.url, key);
  const before = await client.store({ html: 'x' });
  await service.cli('accounts', 'set-plan', account_id, 'scale');
  const after = await client.store({ html: 'x' });
  expect(Date.parse(after.expires_at) - Date.parse(after.created_at)).toBe(730 * DAY_MS);
  expect(await client.json(pathOf(before))).toEqual(before);
  await service.cli('accounts', 'set-plan', account_id, 'nothing_kept');
  expect(await client.json(pathOf(after))).toEqual(after);
});
