/** `options.invoice`: Factur-X and ZUGFeRD PDFs, and rejections without a charge. */
import { PdfArray, PdfDict, PdfName, type PdfObject, PdfStream, PdfString } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { INVOICE_PROFILES, type InvoiceProfile } from '../../src/pdf/conformance/invoice-profiles.ts';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { bytesOf, Client, problem } from '../support/client.ts';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { readFinished } from '../support/read-finished.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const SALE = SALES['several rates'] as Sale;
const HTML = invoiceHtml(SALE);
const XML = invoiceXml(SALE, 'EN 16931');
const invoiceOf = (profile: InvoiceProfile) => ({ xml: invoiceXml(SALE, profile), profile });
const used = async () => (await client.usage()).documents.used;

async function render(options: object): Promise<Buffer> {
  return client.rendered({ html: HTML, options });
}

/** Returns the associated files of a PDF that has no object streams. */
async function filesOf(pdf: Buffer) {
  const draft = await EditablePdf.read(pdf);
  const entry = (dict: PdfObject | undefined, name: string) =>
    dict instanceof PdfDict ? draft.resolve(dict.get(name)) : undefined;
  const plain = (value: PdfObject | undefined) =>
    value instanceof PdfName ? value.value : value instanceof PdfString ? value.asString() : undefined;
  const associated = draft.resolve(draft.catalog.get('AF'));
  return (associated instanceof PdfArray ? associated.toArray() : []).map((ref) => {
    const file = draft.resolve(ref);
    const stream = entry(entry(file, 'EF'), 'F');
    if (!(stream instanceof PdfStream)) throw new Error('a file has no content');
    return {
      name: plain(entry(file, 'UF')),
      same: plain(entry(file, 'F')),
      relationship: plain(entry(file, 'AFRelationship')),
      type: plain(stream.get('Subtype')),
      modified: plain(entry(stream.get('Params'), 'ModDate')),
      content: Buffer.from(stream.getDecodedData()).toString(),
    };
  });
}

describe.each(INVOICE_PROFILES)('%s', (profile) => {
  test('is embedded as sent, and described', async () => {
    const pdf = await render({ invoice: invoiceOf(profile), compress: false });
    const name = profile === 'XRECHNUNG' ? 'xrechnung.xml' : 'factur-x.xml';
    expect(await filesOf(pdf)).toEqual([
      {
        name,
        same: name,
        relationship: profile === 'MINIMUM' || profile === 'BASIC WL' ? 'Data' : 'Alternative',
        type: 'text/xml',
        modified: "D:20260115000000+00'00'",
        content: invoiceXml(SALE, profile),
      },
    ]);
    const { xmp, attachments, texts } = await readFinished(pdf);
    expect(attachments.map((file) => file.name)).toEqual([name]);
    expect(texts.join()).toContain('Rechnung R-3');
    for (const line of [
      '<pdfaid:part>3</pdfaid:part>',
      '<pdfaid:conformance>B</pdfaid:conformance>',
      '<fx:DocumentType>INVOICE</fx:DocumentType>',
      `<fx:DocumentFileName>${name}</fx:DocumentFileName>`,
      `<fx:Version>${profile === 'XRECHNUNG' ? '3.0' : '1.0'}</fx:Version>`,
      `<fx:ConformanceLevel>${profile}</fx:ConformanceLevel>`,
      '<pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>',
    ])
      expect(xmp).toContain(line);
  });
});

test('works with PDF/A-3a, PDF/UA-1 and other attachments in one file', async () => {
  const conformance = ['PDF/A-3a', 'PDF/UA-1'];
  const attachments = [{ name: 'a.txt', content: 'YQ==' }];
  const pdf = await render({ invoice: invoiceOf('BASIC'), conformance, attachments });
  const { xmp, attachments: files } = await readFinished(pdf);
  expect(files.map(({ name }) => name)).toEqual(['a.txt', 'factur-x.xml']);
  expect(xmp).toContain('<pdfaid:conformance>A<');
  expect(xmp.match(/<pdfaSchema:prefix>\w+</g)).toEqual(['<pdfaSchema:prefix>pdfuaid<', '<pdfaSchema:prefix>fx<']);
  expect(xmp.match(/<pdfaExtension:schemas>/g)).toHaveLength(1);
});

test('produces the same bytes for the same request', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => render({ invoice: invoiceOf('EXTENDED') })));
  expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
});

test('leaves no trace in a PDF without an invoice', async () => {
  expect((await readFinished(await render({ conformance: 'PDF/A-3b' }))).xmp).not.toContain('fx:');
});

describe('invalid XML', () => {
  test('is rejected with the reason, and neither charged nor stored', async () => {
    const before = await used();
    const options = { invoice: { xml: XML, profile: 'BASIC' } };
    const refused = await problem(await client.pdf({ html: HTML, options, store: true }), 422, 'invoice_invalid');
    expect(refused).toMatchObject({
      found: 'urn:cen.eu:en16931:2017',
      expected: 'urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic',
      // The detail does not quote the XML, because it is stored in the record of an item.
      detail:
        'options.invoice.xml has the guideline of the profile EN 16931, and not that of BASIC; expected is urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic',
    });
    expect(await used()).toBe(before);
    expect((await client.json<{ data: unknown[] }>('/v1/documents')).data).toEqual([]);
  });

  test.each([
    ['what is no XML', 'Rechnung'],
    ['another document', '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>'],
    ['entities', `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${XML.replace(/^.*\?>/, '')}`],
  ])('%s', async (_, xml) => {
    const options = { invoice: { xml, profile: 'EN 16931' } };
    await problem(await client.pdf({ html: HTML, options }), 422, 'invoice_invalid');
  });

  test('is rejected if it is too large', async () => {
    const xml = XML.replace('</rsm:CrossIndustryInvoice>', `<!--${'x'.repeat(5_300_000)}--></rsm:CrossIndustryInvoice>`);
    const options = { invoice: { xml, profile: 'EN 16931' } };
    expect(await problem(await client.pdf({ html: HTML, options }), 413, 'content_too_large')).toMatchObject({
      limit: 5_242_880,
    });
  });
});

test.each([
  [{ invoice: { xml: XML } }, 'options.invoice.profile'],
  [{ invoice: { xml: XML, profile: 'COMFORT' } }, 'options.invoice.profile'],
  [{ invoice: { profile: 'BASIC' } }, 'options.invoice.xml'],
  [{ invoice: { xml: '\ud800', profile: 'BASIC' } }, 'options.invoice.xml'],
  [{ invoice: { xml: XML, profile: 'BASIC', filename: 'x' } }, 'options.invoice.filename'],
  [{ invoice: invoiceOf('BASIC'), conformance: 'PDF/A-2b' }, 'options.conformance'],
  [{ invoice: invoiceOf('BASIC'), password: 'x' }, 'options.password'],
  [{ invoice: invoiceOf('BASIC'), tagged: false }, 'options.tagged'],
  [{ invoice: invoiceOf('BASIC'), attachments: [{ name: 'factur-x.xml', content: 'YQ==' }] }, 'options.attachments[0].name'],
])('rejects options %# before anything is rendered', async (options, path) => {
  const { errors } = await problem(await client.pdf({ html: HTML, options }), 400, 'invalid_request');
  expect(errors?.map((error) => error.path)).toEqual([path]);
});

test('gives each batch item its own invoice, with defaults', async () => {
  const { template_id } = await client.template('<!doctype html><html lang="de"><title>{{n}}</title><h1>{{n}}</h1>');
  const of = (name: string) => ({ xml: invoiceXml(SALES[name] as Sale, 'EN 16931'), profile: 'EN 16931' });
  const items = [
    { template_id, data: { n: 1 }, options: { invoice: of('plain') } },
    { template_id, data: { n: 1 }, options: { invoice: of('credit note') } },
    { template_id, data: { n: 1 }, options: { invoice: { ...of('plain'), profile: 'BASIC' } } },
    { template_id, data: { n: 1 } },
  ];
  const defaults = { options: { conformance: 'PDF/A-3u', invoice: of('discounts') } };
  const batch = await client.batch({ items, defaults });
  expect(batch).toMatchObject({
    succeeded: 3,
    failed: 1,
    items: [{}, {}, { error: { code: 'invoice_invalid', detail: expect.stringContaining('EN 16931') } }, {}],
  });
  const contents = await Promise.all(
    ['plain', 'credit note', undefined, 'discounts'].map(async (name, index) => {
      if (!name) return;
      const { attachments } = await readFinished(await bytesOf(await fetch(batch.items[index]?.url ?? '')));
      expect(attachments.map(({ content }) => content.toString())).toEqual([invoiceXml(SALES[name] as Sale, 'EN 16931')]);
    }),
  );
  expect(contents).toHaveLength(4);
});

describe('invoices in a form', () => {
  const send = (form: FormData) =>
    fetch(`${service.url}/v1/pdf`, { method: 'POST', headers: { authorization: `Bearer ${client.key}` }, body: form });

  test('accepts the XML as a file with a profile field', async () => {
    const form = new FormData();
    form.set('html', HTML);
    form.set('invoice', new Blob([XML], { type: 'text/xml' }), 'factur-x.xml');
    form.set('invoice_profile', 'EN 16931');
    const { attachments } = await readFinished(await bytesOf(await send(form)));
    expect(attachments.map(({ content }) => content.toString())).toEqual([XML]);
  });

  test('accepts the XML next to a JSON request, and keeps its options', async () => {
    const form = new FormData();
    form.set('request', JSON.stringify({ html: HTML, options: { metadata: { title: 'Kept' } } }));
    form.set('invoice', new Blob([XML], { type: 'text/xml' }), 'factur-x.xml');
    form.set('invoice_profile', 'EN 16931');
    const { attachments, info } = await readFinished(await bytesOf(await send(form)));
    expect(attachments).toHaveLength(1);
    expect(info.Title).toBe('Kept');
  });

  test('names what is missing', async () => {
    const form = new FormData();
    form.set('html', HTML);
    form.set('invoice_profile', 'EN 16931');
    const { errors } = await problem(await send(form), 400, 'invalid_request');
    expect(errors?.map(({ path }) => path)).toEqual(['invoice.xml']);
  });
});
