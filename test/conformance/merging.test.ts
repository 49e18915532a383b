/** Merged batches, checked with veraPDF: the merged PDF has the claims that all its documents share. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { startService } from '../support/service.ts';
import { documents } from './documents.ts';
import { fetchVeraPdf, validateWithVeraPdf } from './vera-pdf.ts';

const BOTH = ['PDF/A-3a', 'PDF/UA-1'];
/** A tagged document that is drawn with form XObjects. Its copies in a merged PDF must not share them, because each has its own tags. */
const BLENDED = `<!doctype html><html lang="en"><title>Blended</title><h1 style="mix-blend-mode: multiply">Blended</h1>
<p style="mask-image: linear-gradient(black, gray)">A mask</p><p style="opacity: 0.5">Half</p>`;
const GERMAN = `<!doctype html><html lang="de"><title>Bericht</title><h1 id="a">Bericht</h1>
<table><tr><th scope="col" id="h">Jahr<th scope="col">Summe<tr><td headers="h">2026<td>7</table><p><a href="#a">Anfang</a>`;

/** The number of documents in the largest batch, whose end is awaited. */
const MAX_DOCUMENTS = 100;

interface BatchCase {
  name: string;
  items: object[];
  /** The claims that veraPDF must find and confirm. */
  profiles: string[];
}

const item = (html: string, conformance: unknown, more: object = {}) => ({ html, options: { conformance, ...more } });
const BATCHES: BatchCase[] = [
  {
    name: 'many documents',
    items: documents()
      .filter(
        ({ refused = [], refusedAlways = [], name }) => !refused.length && !refusedAlways.length && !/two hundred/.test(name),
      )
      .slice(0, MAX_DOCUMENTS)
      .map(({ html, options }) => item(html, BOTH, { ...options, outline: true })),
    profiles: ['PDF/A-3A', 'PDF/UA-1'],
  },
  {
    name: 'the same documents several times',
    items: [BLENDED, GERMAN, BLENDED, GERMAN, BLENDED].map((html) => item(html, BOTH)),
    profiles: ['PDF/A-3A', 'PDF/UA-1'],
  },
  {
    name: 'several profiles',
    items: [item(BLENDED, 'PDF/A-2u'), item(GERMAN, BOTH), item(GERMAN, 'PDF/A-2a')],
    profiles: ['PDF/A-3U'],
  },
  {
    name: 'of part 4',
    items: [
      item(BLENDED, 'PDF/A-4'),
      item(GERMAN, 'PDF/A-4f', { attachments: [{ name: 'a.txt', type: 'text/plain', content: 'YQ==' }] }),
    ],
    profiles: ['PDF/A-4'],
  },
  {
    name: 'of PDF 2.0',
    items: documents()
      .filter(({ refused = [], refusedAlways = [] }) => !refused.length && !refusedAlways.length)
      .slice(0, 40)
      .map(({ html, options }) => item(html, ['PDF/A-4', 'PDF/UA-2'], { ...options, outline: true })),
    profiles: ['PDF/A-4', 'PDF/UA-2 + Tagged PDF'],
  },
  { name: 'of part 2', items: [item(BLENDED, 'PDF/A-2b'), item(GERMAN, 'PDF/A-2b')], profiles: ['PDF/A-2B'] },
  {
    name: 'invoices and attachments',
    items: [
      ...Object.values(SALES).map((sale: Sale) =>
        item(invoiceHtml(sale), 'PDF/UA-1', { invoice: { xml: invoiceXml(sale, 'EN 16931'), profile: 'EN 16931' } }),
      ),
      item(GERMAN, BOTH, { attachments: [{ name: 'a.txt', content: 'YQ==' }] }),
    ],
    profiles: ['PDF/A-3B', 'PDF/UA-1'],
  },
];

const files = new Map<string, string>();

const folder = await makeFolder('merging');
const [service] = await Promise.all([startService().then(closeAfterAll), fetchVeraPdf()]);
const client = new Client(service.url, (await service.createKey('growth')).key);
for (const { name, items } of BATCHES) files.set(name, await merged(name, items));
const verdicts = await validateWithVeraPdf([...files.values()]);

async function merged(name: string, items: object[]): Promise<string> {
  const response = await client.send('POST', '/v1/batches', { items }, { prefer: 'wait=120' });
  const batch = (await response.json()) as { batch_id: string; succeeded: number; items: unknown[] };
  expect(batch.succeeded, JSON.stringify(batch).slice(0, 2_000)).toBe(items.length);
  const reply = await succeeded(client.get(`/v1/batches/${batch.batch_id}.pdf`));
  const file = join(folder, `${name}.pdf`.replaceAll(' ', '_'));
  await writeFile(file, await bytesOf(reply));
  return file;
}

test.each(BATCHES)('the merged PDF has the common claims, and is valid: $name', ({ name, profiles }) => {
  const verdict = verdicts.get(basename(files.get(name) ?? ''));
  expect(verdict).toEqual(Object.fromEntries(profiles.map((profile) => [profile, []])));
});
