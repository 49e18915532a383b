/** `POST /v1/pdf/compare`: what it finds in PDFs of the service, what it refuses, and that hostile files do no harm. */
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, type Comparison, problem, succeeded } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';
import { smallPdf } from '../support/small-pdf.ts';

const service = await sharedService();
const client = new Client(service.url, service.key);

function send(files: Record<string, Uint8Array>, query = ''): Promise<Response> {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append(name, new Blob([Uint8Array.from(content)]), `${name}.pdf`);
  const headers = { authorization: `Bearer ${client.key}` };
  return fetch(`${service.url}/v1/pdf/compare${query}`, { method: 'POST', body: form, headers });
}

const compare = async (before: Uint8Array, after: Uint8Array, query = ''): Promise<Comparison> =>
  (await succeeded(send({ before, after }, query))).json() as Promise<Comparison>;
const render = async (html: string, options: object = {}) => bytesOf(await client.pdf({ html, options }));
const letter = (name: string) =>
  `<p>Dear ${name}<p style="break-before: page">Yours <a href="https://${name}.test/">sincerely</a>`;

test('finds what differs between two renders, with pictures, and charges nothing', async () => {
  const [before, after] = [await render(letter('Ada')), await render(letter('Bob'))];
  const { used } = (await client.usage()).documents;
  const found = await compare(before, after, '?pictures=1');
  expect(found).toMatchObject({ equal: false, same: 0, changed: 2, added: 0, removed: 0 });
  const [first, second] = found.pages;
  expect(first).toMatchObject({ status: 'changed', text: { removed: ['Dear Ada'], added: ['Dear Bob'] } });
  expect(first?.areas).toHaveLength(1);
  expect(second).toMatchObject({ status: 'changed', pixels: 0, text: { removed: [], added: [] } });
  expect(second?.pictures).toBeUndefined();
  const pictures = [first?.pictures?.before, first?.pictures?.after].map((png) =>
    PNG.sync.read(Buffer.from(png ?? '', 'base64')),
  );
  expect(pictures.map(({ height }) => height)).toEqual([1_000, 1_000]);
  expect(pictures[0]?.data.equals(pictures[1]?.data ?? Buffer.alloc(0))).toBe(false);
  expect((await client.usage()).documents.used).toBe(used);
});

test('takes renders with other metadata and another conformance for the same', async () => {
  const [before, after] = [
    await render(letter('Ada'), { metadata: { title: 'One' } }),
    await render(letter('Ada'), { metadata: { title: 'Two' }, conformance: 'PDF/A-2b' }),
  ];
  expect(before.equals(after)).toBe(false);
  expect(await compare(before, after)).toMatchObject({ equal: true, same: 2 });
});

describe('refuses', () => {
  const good = smallPdf([{ content: '' }]);

  test.each([
    ['a missing file', { before: good }, '', 400, 'invalid_request'],
    ['another file', { before: good, other: good }, '', 400, 'invalid_request'],
    ['a third file', { before: good, after: good, other: good }, '', 400, 'invalid_request'],
    ['an unknown parameter', { before: good, after: good }, '?pages=1', 400, 'invalid_request'],
    ['a wrong tolerance', { before: good, after: good }, '?tolerance=256', 400, 'invalid_request'],
    ['too many pictures', { before: good, after: good }, '?pictures=21', 400, 'invalid_request'],
    ['what is no PDF', { before: good, after: Buffer.from('no PDF') }, '', 422, 'pdf_unreadable'],
    ['nothing', { before: Buffer.alloc(0), after: good }, '', 422, 'pdf_unreadable'],
  ])('%s', async (_what, files, query, status, code) => {
    await problem(await send(files, query), status, code);
  });

  test('a PDF with a password, and says which', async () => {
    const locked = await render('<p>A', { password: 'secret' });
    const { detail } = await problem(await send({ before: good, after: locked }), 422, 'document_protected');
    expect(detail).toContain('after');
  });

  test('another type of body', async () => {
    const reply = await client.send('POST', '/v1/pdf/compare', good, { 'content-type': 'application/pdf' });
    await problem(reply, 415, 'unsupported_media_type');
  });

  test('a request without a key', async () => {
    expect((await fetch(`${service.url}/v1/pdf/compare`, { method: 'POST', body: new FormData() })).status).toBe(401);
  });
});

describe('survives', () => {
  test.each([
    ['a page of 200 by 200 inches', [14_400, 14_400]],
    ['a page that is as long as a number can be', [1e9, 1]],
    ['a page that is as narrow as a number can be', [1e-3, 14_400]],
  ] as const)('%s', async (_what, size) => {
    const pdf = (gray: number) => smallPdf([{ content: `${gray} g 0 0 99999 99999 re f`, size: [...size] }]);
    const reply = await send({ before: pdf(0), after: pdf(1) }, '?pictures=1');
    expect([200, 422]).toContain(reply.status);
    if (reply.ok) expect(((await reply.json()) as Comparison).changed).toBe(1);
  });

  test('a count of pages that is a lie', async () => {
    const lie = Buffer.from(
      smallPdf([{ content: '' }])
        .toString('latin1')
        .replace('/Count 1', '/Count 9'),
      'latin1',
    );
    const reply = await send({ before: lie, after: smallPdf([{ content: '' }]) });
    expect([200, 422]).toContain(reply.status);
  });
});
