/** File names of downloads, and consistent reports of a render. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Client, type DocumentRecord, problem } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const ada = new Client(service.url, (await service.createKey()).key);

const JSON_ONLY = { accept: 'application/json' };
const dispositionOf = ({ headers }: Response) => headers.get('content-disposition');

describe('names', () => {
  test.each([
    ['invoice', 'inline; filename=invoice.pdf'],
    ['Invoice No. 42', 'inline; filename="Invoice No. 42.pdf"'],
    ['v1.2', 'inline; filename=v1.2.pdf'],
    ['report.PDF', 'inline; filename=report.PDF'],
    ['Zürich', "inline; filename=Zurich.pdf; filename*=UTF-8''Z%C3%BCrich.pdf"],
    ['Straße Łódź.pdf', `inline; filename="Strasse Lodz.pdf"; filename*=UTF-8''Stra%C3%9Fe%20%C5%81%C3%B3d%C5%BA.pdf`],
    ['請求', "inline; filename=__.pdf; filename*=UTF-8''%E8%AB%8B%E6%B1%82.pdf"],
  ])('%s', async (filename, expected) => {
    expect(dispositionOf(await ada.pdf({ html: 'x', filename }))).toBe(expected);
  });

  test('gives an image the extension of its format', async () => {
    const response = await ada.send('POST', '/v1/image', { html: 'x', filename: 'chart', options: { type: 'jpeg' } });
    expect(dispositionOf(response)).toBe('inline; filename=chart.jpg');
  });
});

describe('download=1', () => {
  let document: DocumentRecord;
  beforeAll(async () => {
    document = await ada.store({ html: 'x', filename: 'r' });
  });

  test('works for a document', async () => {
    const path = `/v1/documents/${document.document_id}`;
    expect(dispositionOf(await ada.get(path))).toBe('inline; filename=r.pdf');
    expect(dispositionOf(await ada.get(`${path}?download=1`))).toBe('attachment; filename=r.pdf');
    expect(dispositionOf(await ada.send('HEAD', `${path}?download=1`))).toBe('attachment; filename=r.pdf');
    const { errors } = await problem(await ada.get(`${path}?download=yes`), 400, 'invalid_request');
    expect(errors).toEqual([{ path: 'download', message: 'must be 1' }]);
    expect((await problem(await ada.get(`${path}?downlaod=1`), 400, 'invalid_request')).detail).toContain(
      'did you mean download?',
    );
  });

  test('works for a signed link, whose signature is still checked', async () => {
    const response = await ada.send('POST', `/v1/documents/${document.document_id}/links`, {});
    const { url } = (await response.json()) as { url: string };
    expect(dispositionOf(await fetch(url))).toBe('inline; filename=r.pdf');
    expect(dispositionOf(await fetch(`${url}&download=1`))).toBe('attachment; filename=r.pdf');
    for (const more of ['&download=2', '&download=1&download=1', 'A&download=1'])
      await problem(await fetch(url + more), 404, 'not_found');
  });
});

test('reports the same timings in Server-Timing and in the report, to a tenth of a millisecond', async () => {
  const response = await ada.pdf({ html: 'x' }, JSON_ONLY);
  const { report } = (await response.json()) as { report: { timings: Record<string, number> } };
  const metrics = Object.entries(report.timings).map(([phase, milliseconds]) => `${phase};dur=${milliseconds}`);
  expect(response.headers.get('server-timing')).toBe(metrics.join(', '));
  for (const milliseconds of Object.values(report.timings)) expect(String(milliseconds)).toMatch(/^\d+(\.\d)?$/);
});

test('names the document that auto_store created, also in a replay', async () => {
  const client = new Client(service.url, (await service.createKey()).key);
  expect(((await (await client.pdf({ html: 'x' }, JSON_ONLY)).json()) as DocumentRecord).document_id).toBeUndefined();
  await client.send('PATCH', '/v1/account', { auto_store: true });
  for (let time = 0; time < 2; time++) {
    const response = await client.pdf({ html: 'x' }, { ...JSON_ONLY, 'idempotency-key': 'one' });
    const { document_id } = (await response.json()) as DocumentRecord;
    expect(document_id).toMatch(/^doc_/);
    expect(document_id).toBe(response.headers.get('platen-document-id'));
  }
});
