/** PDFs with invoices, checked with Mustang, and with veraPDF for their claims of conformance. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { INVOICE_PROFILES, type InvoiceProfile } from '../../src/pdf/conformance/invoice-profiles.ts';
import { readDocument } from '../../tools/docs/documents.ts';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { startService } from '../support/service.ts';
import { fetchMustang, validateInvoices } from './mustang.ts';
import { fetchVeraPdf, validateWithVeraPdf } from './vera-pdf.ts';

/** The requested conformance of a PDF with an invoice, and the profiles that veraPDF must find. */
const CLAIMS = [
  { conformance: undefined, profiles: ['PDF/A-3B'] },
  { conformance: ['PDF/A-3a', 'PDF/UA-1'], profiles: ['PDF/A-3A', 'PDF/UA-1'] },
  { conformance: 'PDF/UA-1', profiles: ['PDF/A-3B', 'PDF/UA-1'] },
];

interface TestInvoice {
  file: string;
  profiles: string[];
}

const invoices: TestInvoice[] = [];
const folder = await makeFolder('invoices');
const [service] = await Promise.all([startService().then(closeAfterAll), fetchVeraPdf(), fetchMustang()]);
const sales = Object.entries(SALES);
for (const [index, profile] of INVOICE_PROFILES.entries())
  for (const [claim, [name, sale]] of sales.entries())
    invoices.push(await renderInvoice(name, sale, profile, (index + claim) % CLAIMS.length));
const files = invoices.map(({ file }) => file);
const invalid = await renderInvalid(SALES.plain as Sale);
/** The invoice that the guide shows. */
const example = await renderExample();
const [errors, verdicts] = await Promise.all([validateInvoices([...files, invalid, example]), validateWithVeraPdf(files)]);

async function renderInvoice(name: string, sale: Sale, profile: InvoiceProfile, claim: number): Promise<TestInvoice> {
  const { conformance, profiles = [] } = CLAIMS[claim] ?? {};
  const attachments = [{ name: 'terms.txt', type: 'text/plain', content: Buffer.from('Net 30 days').toString('base64') }];
  const invoice = { xml: invoiceXml(sale, profile), profile };
  const options = { conformance, invoice, ...(claim === 1 && { attachments }) };
  return { file: await save(`${profile} ${name}`, await service.pdf({ html: invoiceHtml(sale), options })), profiles };
}

/** Makes an invoice whose total is not the sum of its lines. */
async function renderInvalid(sale: Sale): Promise<string> {
  const xml = invoiceXml(sale, 'EN 16931').replace('<ram:GrandTotalAmount>', '<ram:GrandTotalAmount>9');
  return save('wrong', await service.pdf({ html: invoiceHtml(sale), options: { invoice: { xml, profile: 'EN 16931' } } }));
}

function renderExample(): Promise<string> {
  const xml = readDocument('docs/guide/invoices.md').blocks.find(({ language }) => language === 'xml')?.text ?? '';
  const html = invoiceHtml(SALES.plain as Sale);
  return service.pdf({ html, options: { invoice: { xml, profile: 'MINIMUM' } } }).then((reply) => save('example', reply));
}

async function save(name: string, response: Response): Promise<string> {
  expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
  const file = join(folder, `${name}.pdf`.replaceAll(' ', '_'));
  await writeFile(file, await bytesOf(response));
  return file;
}

test('embeds invoices of every profile that Mustang accepts', () => {
  expect(invoices.map(({ file }) => [basename(file), errors.get(file)])).toEqual(
    invoices.map(({ file }) => [basename(file), []]),
  );
});

test('is right in the example of the guide', () => {
  expect(errors.get(example)).toEqual([]);
});

test('claims only profiles that veraPDF confirms', () => {
  const found = invoices.map(({ file }) => [basename(file), verdicts.get(basename(file))]);
  const expected = invoices.map(({ file, profiles }) => [
    basename(file),
    Object.fromEntries(profiles.map((profile) => [profile, []])),
  ]);
  expect(found).toEqual(expected);
});

test('embeds an invoice with a wrong total, which Mustang rejects', () => {
  expect(errors.get(invalid)).not.toEqual([]);
});
