/** PDFs with invoices: Mustang accepts each of them, and veraPDF confirms their claims. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INVOICE_PROFILES, type InvoiceProfile } from '../../src/pdf/conformance/invoice-profiles.ts';
import { bytesOf } from '../support/client.ts';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { type Service, startService } from '../support/service.ts';
import { fetchMustang, judgeInvoices } from './mustang.ts';
import { fetchVeraPdf, type Verdict, validate } from './vera-pdf.ts';

/** What is claimed beside the invoice, and what of it veraPDF sees. */
const CLAIMS = [
  { conformance: undefined, profiles: ['PDF/A-3B'] },
  { conformance: ['PDF/A-3a', 'PDF/UA-1'], profiles: ['PDF/A-3A', 'PDF/UA-1'] },
  { conformance: 'PDF/UA-1', profiles: ['PDF/A-3B', 'PDF/UA-1'] },
];

interface Made {
  file: string;
  profiles: string[];
}

let service: Service;
let folder: string;
const made: Made[] = [];
let verdicts: Map<string, Verdict>;
let wrong: string;
let faults: Map<string, string[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-invoices-'));
  [service] = await Promise.all([startService(), fetchVeraPdf(), fetchMustang()]);
  const sales = Object.entries(SALES);
  for (const [index, profile] of INVOICE_PROFILES.entries())
    for (const [turn, [name, sale]] of sales.entries())
      made.push(await make(name, sale, profile, (index + turn) % CLAIMS.length));
  const files = made.map(({ file }) => file);
  wrong = await makeWrong(SALES.plain as Sale);
  [faults, verdicts] = await Promise.all([judgeInvoices([...files, wrong]), validate(files)]);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function make(name: string, sale: Sale, profile: InvoiceProfile, turn: number): Promise<Made> {
  const { conformance, profiles = [] } = CLAIMS[turn] ?? {};
  const attachments = [{ name: 'terms.txt', type: 'text/plain', content: Buffer.from('Net 30 days').toString('base64') }];
  const invoice = { xml: invoiceXml(sale, profile), profile };
  const options = { conformance, invoice, ...(turn === 1 && { attachments }) };
  return { file: await save(`${profile} ${name}`, await service.pdf({ html: invoiceHtml(sale), options })), profiles };
}

/** Its total is not the sum of its parts. */
async function makeWrong(sale: Sale): Promise<string> {
  const xml = invoiceXml(sale, 'EN 16931').replace('<ram:GrandTotalAmount>', '<ram:GrandTotalAmount>9');
  return save('wrong', await service.pdf({ html: invoiceHtml(sale), options: { invoice: { xml, profile: 'EN 16931' } } }));
}

async function save(name: string, response: Response): Promise<string> {
  expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
  const file = join(folder, `${name}.pdf`.replaceAll(' ', '_'));
  await writeFile(file, await bytesOf(response));
  return file;
}

test('Mustang accepts every invoice of every profile', () => {
  expect(made.map(({ file }) => [basename(file), faults.get(file)])).toEqual(made.map(({ file }) => [basename(file), []]));
});

test('veraPDF confirms the claims', () => {
  const found = made.map(({ file }) => [basename(file), verdicts.get(basename(file))]);
  const expected = made.map(({ file, profiles }) => [
    basename(file),
    Object.fromEntries(profiles.map((profile) => [profile, []])),
  ]);
  expect(found).toEqual(expected);
});

test('Mustang rejects damaged invoices', () => {
  expect(faults.get(wrong)).not.toEqual([]);
});
