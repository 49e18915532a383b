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

const LOREM = 'Lorem ipsum dolor sit amet. '.repeat(20);
const note = (text: string) => `<span class="n">${text}</span>`;
const NOTED = `<!doctype html><html lang="en"><title>Notes</title><style>@page { size: A5 } .n { float: footnote } .cell { opacity: 0.9 }</style>
  <h1>Title${note('of a heading')}</h1><p>${LOREM}${note('with <b>bold</b> text, a <a href="https://example.org/">link</a> and <a href="#end">another</a>')}</p>
  <ul><li>item${note('of an item')}</ul><table><tr><th scope="col">head<tr><td class="cell">cell${note('of a cell')}</table>
  <p>${LOREM}${note(`of <i>a note${note('inner')}</i>`)} <a href="#end">link${note('of a link')}</a></p>
  <p>${LOREM}${note(LOREM.repeat(6))}</p>${`<p>${LOREM}${note('again')}</p>`.repeat(9)}<div aria-hidden="true">hidden${note('of what is hidden')}</div>
  <h2 id="end">End</h2><div class="n"><p>A block<ul><li>with a list</ul></div>`;

test.each([
  { conformance: ['PDF/A-3a', 'PDF/UA-1'], verdict: { 'PDF/A-3A': [], 'PDF/UA-1': [] } },
  { conformance: ['PDF/A-4', 'PDF/UA-2'], verdict: { 'PDF/A-4': [], 'PDF/UA-2 + Tagged PDF': [] } },
])('footnotes are tags of $conformance', async ({ conformance, verdict }) => {
  const pdf = await bytesOf(await succeeded(service.pdf({ html: NOTED, options: { conformance } })));
  const file = await savePdf(folder, conformance.join().replaceAll('/', ''), Buffer.from(pdf));
  expect([...(await validateWithVeraPdf([file])).values()]).toEqual([verdict]);
});
