/** `options.signature.field.name`: signs a signature field of the document without adding one. */
import { PDF, type PdfArray, PdfDict, PdfName, PdfRef } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { readAppearances } from '../support/read-appearances.ts';
import { readFields } from '../support/read-fields.ts';
import { readFinished } from '../support/read-finished.ts';
import { readSignature } from '../support/read-signature.ts';
import { sharedService } from '../support/shared-service.ts';

const place = (name: string, style = 'width: 300px; height: 80px', more = '') =>
  `<div data-signature-field="${name}" style="${style}" ${more}></div>`;
const page = (body: string) => `<!doctype html><html lang="en"><title>Contract</title><h1>Contract</h1>${body}`;
const TWO = page(
  `<label>Name <input name="who" value="Ada"></label>${place('applicant', undefined, 'aria-label="Signature of the applicant"')}${place('clerk')}`,
);
const PT_PER_PX = 0.75;

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);
const root = await issue('Test CA', { isAuthority: true });
const pkcs12 = pkcs12Of(await issue('Ada', { issuer: root }), [root], 'x');
const response = await client.send('POST', '/v1/certificates', { name: 'test', pkcs12, password: 'x' });
const certificate = ((await response.json()) as { certificate_id: string }).certificate_id;

const optionsOf = (field: object, options: object) => ({ forms: true, ...options, signature: { certificate, field } });

async function signed(field: object, options: object = {}, html = TWO): Promise<Buffer> {
  return client.rendered({ html, options: optionsOf(field, options) });
}

describe('the named field', () => {
  test('is signed in its rectangle with its description, and other fields stay unchanged', async () => {
    const unsigned = await readFields(await bytesOf(await client.pdf({ html: TWO, options: { forms: true } })));
    const pdf = await signed({ name: 'applicant' });
    const fields = await readFields(pdf);
    const facts = ({ name, type, rect, description }: (typeof fields)[number]) => ({ name, type, rect, description });
    expect(fields.map(facts)).toEqual(unsigned.map(facts));
    expect(fields.map(({ name }) => name)).toEqual(['who', 'applicant', 'clerk']);
    const [left = 0, bottom = 0, right = 0, top = 0] = fields[1]?.rect ?? [];
    expect([right - left, top - bottom].map(Math.round)).toEqual([300 * PT_PER_PX, 80 * PT_PER_PX]);
    expect(await signedFields(pdf)).toEqual(['applicant']);
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true, subject: 'CN=Ada' });
    expect((await readFinished(pdf)).texts.join()).toContain('Contract');
  });

  test('shows the signer and the time, or HTML', async () => {
    const plain = await readAppearances(await signed({ name: 'clerk' }));
    expect(plain.clerk).toMatch(/^Ada\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    expect(plain).toMatchObject({ who: 'Ada', applicant: '' });
    const own = await readAppearances(await signed({ name: 'applicant', html: '<b>Signed by ACME</b> 草' }));
    expect(own).toMatchObject({ applicant: 'Signed by ACME 草', clerk: '' });
    expect(await readAppearances(await signed({ name: 'clerk', html: '' }))).toMatchObject({ clerk: '' });
  });

  test.each([
    ['the last page', page(`<p style="break-after: page">One${place('by')}`), {}, 2],
    [
      'a page of a range',
      page(`<p style="break-after: page">One<p style="break-after: page">Two${place('by')}`),
      { pageRanges: '2-' },
      2,
    ],
    ['a scaled page', page(place('by')), { scale: 0.5 }, 1],
    ['an input', page('<input data-signature-field="by">'), {}, 1],
    ['a small box', page(place('by', 'width: 4px; height: 4px')), {}, 1],
    ['a wide box', page(place('by', 'width: 100%; height: 30mm')), { format: 'A3', landscape: true }, 1],
  ])('may be on %s', async (_, html, options, number) => {
    const pdf = await signed({ name: 'by' }, options, html);
    expect(await readFields(pdf)).toMatchObject([{ page: number, type: 'Sig', name: 'by', hasAppearance: true }]);
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
  });

  test('may have a name that is invalid for a PDF field, such as one with a period, or equal to that of a new field', async () => {
    const html = page(`<input name="a_b">${place('a.b')}${place('Signature1')}`);
    expect(await signedFields(await signed({ name: 'a.b' }, {}, html))).toEqual(['a_b_2']);
    expect(await signedFields(await signed({ name: 'Signature1' }, {}, html))).toEqual(['Signature1']);
  });

  test.each([
    ['packed', { compress: true }],
    ['not packed', { compress: false, tagged: true }],
    ['with all else', { outline: true, watermark: { text: 'DRAFT' }, attachments: [{ name: 'a.txt', content: 'YQ==' }] }],
    ['PDF/A-3a and PDF/UA-1', { conformance: ['PDF/A-3a', 'PDF/UA-1'] }],
  ])('is signed last (%s)', async (_, options) => {
    const pdf = await signed({ name: 'applicant' }, options);
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
    expect(await signedFields(pdf)).toEqual(['applicant']);
  });

  test('is signed in templates, batch items and stored documents', async () => {
    const { template_id } = await client.template(page(`<p>{{x}}${place('by')}`));
    const items = [
      { html: TWO, options: optionsOf({ name: 'clerk' }, {}) },
      { template_id, data: { x: 'y' } },
    ];
    const defaults = { options: optionsOf({ name: 'by' }, {}) };
    const { succeeded, items: done } = await client.batch({ items, defaults });
    expect(succeeded).toBe(2);
    const files = await Promise.all(done.map(async ({ url }) => bytesOf(await fetch(url ?? ''))));
    expect(await Promise.all(files.map(signedFields))).toEqual([['clerk'], ['by']]);
  });
});

test('includes the appearance of the field in a conformance report', async () => {
  const report = (field: object) => {
    const options = optionsOf(field, { conformance: ['PDF/A-3a', 'PDF/UA-1'] });
    return client.pdf({ html: TWO, options, conformance_report: true });
  };
  expect(await (await report({ name: 'clerk' })).json()).toEqual({ violations: [] });
  const { violations } = (await (await report({ name: 'clerk', html: '<p>\u{10fffd}' })).json()) as {
    violations: Array<{ rule: string }>;
  };
  expect(violations.map(({ rule }) => rule)).toEqual(['glyph_missing']);
  await problem(await report({ name: 'nobody' }), 422, 'print_failed');
});

describe('charges and stores nothing', () => {
  const kept = async () => {
    const { data } = await client.json<{ data: Array<{ document_id: string }> }>('/v1/documents?limit=1');
    return [(await client.usage()).documents.used, data[0]?.document_id];
  };
  const refused = async (html: string, name: string, options: object = {}) => {
    const before = await kept();
    const response = await client.pdf({ html, store: true, options: optionsOf({ name }, options) });
    const answer = await problem(response, 422, 'print_failed');
    expect(await kept()).toEqual(before);
    expect(answer.detail).toMatch(/^options\.signature\.field\.name: /);
    return answer;
  };

  test('for a name that is unknown, or belongs to another control', async () => {
    for (const name of ['nobody', 'who', 'Applicant']) {
      const { detail, names } = await refused(TWO, name);
      expect(detail).toContain('it has "applicant", "clerk"');
      expect(names).toEqual(['applicant', 'clerk']);
    }
  });

  test('for a field without a size, a rotated one, and one on a page that is not printed', async () => {
    const html = page(
      `${place('none', 'display: none')}${place('flat', 'height: 0')}${place('turned', 'height: 60px; rotate: 5deg')}${place('here')}<p style="break-before: page">Two${place('there')}`,
    );
    for (const name of ['none', 'flat', 'turned', 'there'])
      expect((await refused(html, name, { pageRanges: '1' })).names).toEqual(['here']);
  });

  test('for a document without signature fields, and for a name that two fields have', async () => {
    expect((await refused(page('<p>Nothing'), 'by')).detail).toContain('no signature places at all');
    expect((await refused(page(place('by').repeat(2)), 'by')).detail).toContain('2 signature places of this name');
  });

  test('with a limited list of names in the error', async () => {
    const html = page(Array.from({ length: 50 }, (_, index) => place(`${'x'.repeat(500)}${index}`, 'height: 9px')).join(''));
    const { detail, names } = await refused(html, 'by');
    expect(names).toHaveLength(20);
    expect(detail).toContain('and 30 more');
    expect(detail?.length).toBeLessThan(2_000);
  });
});

const PLACED = { x: 0, y: 0, width: 99, height: 99 };
test.each<[object, string, string, object?]>([
  [{ name: 'by' }, 'name', 'requires options.forms: true, which makes fields of the document', { forms: false }],
  [{ name: 'by', x: 1 }, 'x', 'cannot be combined with options.signature.field.name'],
  [{ name: 'by', html: '', page: 1 }, 'page', 'cannot be combined with options.signature.field.name'],
  [{ name: 'by', ...PLACED }, 'name', 'cannot be combined with options.signature.field.x'],
  [{ name: '' }, 'name', 'must be a string of 1 to 1000 characters'],
  [{ name: 'by', html: 'a\0' }, 'html', 'contains a NUL character at position 1'],
])('rejects %j before anything is rendered', async (field, member, message, options = {}) => {
  const response = await client.pdf({ html: TWO, options: optionsOf(field, options) });
  const { errors } = await problem(response, 400, 'invalid_request');
  expect(errors).toEqual([{ path: `options.signature.field.${member}`, message }]);
});

/** Returns the names of the signed fields, and checks that the flags of the form announce signatures. */
async function signedFields(file: Buffer): Promise<string[]> {
  const pdf = await PDF.load(file);
  const resolve = (value: unknown) => (value instanceof PdfRef ? pdf.getObject(value) : value);
  const form = resolve(pdf.context.catalog.getDict().get('AcroForm')) as PdfDict;
  expect((form.get('SigFlags') as { value?: number } | undefined)?.value).toBe(3);
  const fields = (resolve(form.get('Fields')) as PdfArray).toArray().map(resolve);
  const found = fields.filter(
    (field): field is PdfDict => field instanceof PdfDict && resolve(field.get('V')) instanceof PdfDict,
  );
  expect(found.map((field) => (resolve(field.get('V')) as PdfDict).get('Type'))).toEqual(found.map(() => PdfName.of('Sig')));
  return found.map((field) => (field.get('T') as unknown as { asString(): string }).asString());
}
