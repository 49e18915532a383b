/** Merged batches, checked with qpdf and poppler: valid files with complete pages, fonts and text. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, Client } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { outputOf } from '../support/printed-files.ts';
import { startService } from '../support/service.ts';

const service = await startService().then(closeAfterAll);
const folder = await makeFolder('merged');

test('merges documents of every kind into a valid file', async () => {
  const client = new Client(service.url, (await service.createKey()).key);
  const rows = Array.from({ length: 300 }, (_, n) => `<tr><td>row ${n}<td>${n * n}`).join('');
  const items = [
    { html: `<h1>Table</h1><table>${rows}</table>`, options: { tagged: true, outline: true } },
    { html: '<h1>ä 文 ع 😀</h1><a href="https://example.com/">out</a>', options: { compress: true } },
    { html: `<img src="${PIXEL_URL}" width="200" height="200">`, options: { watermark: { text: 'DRAFT' }, format: 'A6' } },
    { html: 'attached', options: { attachments: [{ name: 'a.txt', content: 'aGVsbG8=' }], metadata: { title: 't' } } },
    { html: 'attached', options: { attachments: [{ name: 'a.txt', content: 'aGVsbG8=' }], metadata: { title: 't' } } },
  ];
  const { batch_id, succeeded } = await client.batch({ items });
  expect(succeeded).toBe(5);
  const file = join(folder, 'merged.pdf');
  const response = await client.get(`/v1/batches/${batch_id}.pdf`);
  await writeFile(file, await bytesOf(response));
  expect(await outputOf('qpdf', '--check', file)).toContain('No syntax or stream encoding errors found');
  expect(await outputOf('qpdf', '--show-npages', file)).toBe(`${response.headers.get('platen-pages')}\n`);
  const text = await outputOf('pdftotext', file, '-');
  const places = ['Table', 'row 299', 'ä', 'out', 'attached'].map((word) => text.indexOf(word));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThanOrEqual(0);
  for (const character of '文ع😀') expect(text).toContain(character);
  expect(text.match(/attached/g)).toHaveLength(2);
  const fonts = (await outputOf('pdffonts', file)).split('\n').slice(2).filter(Boolean);
  for (const font of fonts) expect(font).toMatch(/ yes +(yes|no) +(yes|no) +\d+ +0$/); // embedded
});
