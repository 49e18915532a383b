/** PDFs with content that depends on its pages, checked with veraPDF for the conformance that they claim. */
import { expect, test } from 'vitest';
import { carriedInvoice } from '../support/carried-invoices.ts';
import { bytesOf, succeeded } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { startService } from '../support/service.ts';
import { savePdf } from './printed.ts';
import { fetchVeraPdf, validateWithVeraPdf } from './vera-pdf.ts';

const folder = await makeFolder('paged-content');
const [service] = await Promise.all([startService().then(closeAfterAll), fetchVeraPdf()]);
const invoice = { xml: invoiceXml(SALES.plain as Sale, 'EN 16931'), profile: 'EN 16931' };

test('headers and sums of an invoice are artifacts of PDF/A-3a and PDF/UA-1', async () => {
  const files: string[] = [];
  for (const [n, language] of ['en', 'de', 'ar'].entries()) {
    const { html } = carriedInvoice(60 + 70 * n, { language, columns: n + 1 });
    const header = '<p style="color: navy"><b class=title></b> <span class=pageNumber></span></p>';
    const options = { conformance: ['PDF/A-3a', 'PDF/UA-1'], invoice, header, margin: 'auto' };
    files.push(await savePdf(folder, language, Buffer.from(await bytesOf(await succeeded(service.pdf({ html, options }))))));
  }
  const verdicts = await validateWithVeraPdf(files);
  expect([...verdicts.values()]).toEqual(files.map(() => ({ 'PDF/A-3A': [], 'PDF/UA-1': [] })));
});
