/** The step `sign` of an assembly: signatures of PDFs that exist, and further ones that keep the earlier valid. */
import { PDF, PdfArray, type PdfDict, type PdfRef } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { PdfReader } from '../../src/pdf/objects/pdf-reader.ts';
import { bytesOf, Client, problem, type Report, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { HIDING_PLACES } from '../support/hidden-texts.ts';
import { type IssuedCertificate, issue, pkcs12Of } from '../support/pki.ts';
import { readFields } from '../support/read-fields.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readSignature, readSignatures } from '../support/read-signature.ts';
import { startService } from '../support/service.ts';
import { TimeStampAuthority } from '../support/time-stamp-authority.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const root = await issue('Test CA', { isAuthority: true });
const authority = await TimeStampAuthority.start(root).then(closeAfterAll);
const service = await startService({ PLATEN_TSA_URL: authority.url }).then(closeAfterAll);
const client = new Client(service.url, service.key);
const [ada, grace] = await Promise.all(['Ada', 'Grace'].map(async (name) => upload(await issue(name, { issuer: root }))));
const FIELD = { x: '20mm', y: '20mm', width: '60mm', height: '20mm' };
const FOREIGN = HIDING_PLACES['shown text']?.('nothing') as Buffer;

async function upload(issued: IssuedCertificate): Promise<string> {
  const body = { name: 'test', pkcs12: pkcs12Of(issued, [root], 'x'), password: 'x' };
  const reply = await client.send('POST', '/v1/certificates', body);
  expect(reply.status).toBe(201);
  return ((await reply.json()) as { certificate_id: string }).certificate_id;
}

const base64 = (pdf: Uint8Array) => Buffer.from(pdf).toString('base64');
const send = (body: object) => client.send('POST', '/v1/pdf/assemble', body);
const assembled = async (body: object) => Buffer.from(await bytesOf(await succeeded(send(body))));
const signed = (pdf: Uint8Array, ...steps: object[]) => assembled({ parts: [{ file: base64(pdf) }], steps });
const errorsOf = async (body: object) => {
  const { errors } = await problem(await send(body), 400, 'invalid_request');
  return (errors as Array<{ path: string; message: string }>).map(({ path, message }) => `${path}: ${message}`);
};

describe('a PDF is signed', () => {
  test('after other steps', async () => {
    const pdf = await assembled({
      parts: [{ html: '<p>one' }, { file: base64(FOREIGN) }],
      steps: [{ stamp: { text: 'PAID' } }, { sign: { certificate: ada, reason: 'Agreed' } }],
    });
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true, subject: 'CN=Ada' });
    expect((await readPdf(pdf)).pages.map((page) => page.replace(/\s+/g, ' '))).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('What stays is here.'),
    ]);
  });

  test('without other changes of its bytes', async () => {
    const pdf = await signed(FOREIGN, { sign: { certificate: ada } });
    expect(pdf.subarray(0, FOREIGN.length).equals(FOREIGN)).toBe(true);
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
  });

  test('if it is encrypted, but opens without a password', async () => {
    const open = await client.rendered({ html: '<p>x', options: { password: { owner: 'secret' } } });
    const pdf = await signed(open, { sign: { certificate: ada } });
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
    expect((await readPdf(pdf)).pages).toEqual(['x']);
    const dropped = async (...before: object[]) => {
      const body = { parts: [{ file: base64(open) }], steps: [...before, { sign: { certificate: ada } }] };
      const reply = await client.send('POST', '/v1/pdf/assemble', body, { accept: 'application/json' });
      return ((await reply.json()) as { report: Report }).report.dropped;
    };
    expect(await dropped()).toMatchObject([{ what: 'protection', part: 0 }]);
    expect(await dropped({ decrypt: {} })).toBeUndefined();
  });

  test('several times, and earlier signatures stay valid', async () => {
    const first = await client.rendered({ html: '<p>contract', options: { signature: { certificate: ada, field: FIELD } } });
    const pdf = await signed(
      first,
      { sign: { certificate: grace, field: { ...FIELD, y: '60mm' } } },
      { sign: { certificate: ada, level: 'B-T' } },
    );
    expect(pdf.subarray(0, first.length).equals(first)).toBe(true);
    const signatures = await readSignatures(pdf);
    expect(signatures.map(({ isValid, coversAll, subject }) => [isValid, coversAll, subject])).toEqual([
      [true, false, 'CN=Ada'],
      [true, false, 'CN=Grace'],
      [true, true, 'CN=Ada'],
    ]);
    expect((await readFields(pdf)).map(({ name }) => name)).toEqual(['Signature1', 'Signature2', 'Signature3']);
    expect(signatures[2]?.stampsFit).toBe(true);
  });

  test('with a visible field, where it was asked for', async () => {
    const html = '<b>signed by Grace</b>';
    const pdf = await signed(FOREIGN, { sign: { certificate: grace, field: { page: -1, ...FIELD, html } } });
    const [field] = await readFields(pdf);
    const millimetre = 72 / 25.4;
    const expected = [20 * millimetre, 400 - 40 * millimetre, 80 * millimetre, 400 - 20 * millimetre];
    expect(field?.rect.map((side) => Math.round(side))).toEqual(expected.map((side) => Math.round(side)));
    expect((await readFinished(pdf)).texts.join()).toContain('What stays is here.');
  });

  test('with a visible field that is upright on a page that is turned, at the place as it is shown', async () => {
    const turned = await assembled({ parts: [{ file: base64(FOREIGN) }], steps: [{ rotate: { angle: 90 } }] });
    const pdf = await signed(turned, { sign: { certificate: grace, field: FIELD } });
    const millimetre = 72 / 25.4;
    const [field] = await readFields(pdf);
    const expected = [20, 20, 40, 80].map((side) => Math.round(side * millimetre));
    expect(field?.rect.map((side) => Math.round(side))).toEqual(expected);
    expect(unpackedText(pdf)).toMatch(/\/Matrix ?\[0 1 -1 0 0 0\]/);
    const beyond = await send({
      parts: [{ file: base64(turned) }],
      steps: [{ sign: { certificate: ada, field: { ...FIELD, y: '130mm' } } }],
    });
    expect((await problem(beyond, 422, 'print_failed')).detail).toMatch(
      /^steps\[0\]\.sign\.field: the field extends beyond its page/,
    );
  });

  test('as well if it keeps its claims of PDF/A and PDF/UA', async () => {
    const html = '<!doctype html><html lang="en"><title>t</title><h1>t</h1>';
    const options = { conformance: ['PDF/A-2a', 'PDF/UA-1'] };
    const pdf = await assembled({ parts: [{ html, options }], steps: [{ sign: { certificate: ada, field: FIELD } }] });
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
    const validated = await client.send('POST', '/v1/pdf/validate', pdf, { 'content-type': 'application/pdf' });
    expect(await validated.json()).toMatchObject({ valid: true });
  });

  test('also if its tags have no common root, and do not say which of their numbers is free', async () => {
    const html = '<!doctype html><html lang="en"><title>t</title><h1>t</h1><p>text';
    const given = await PDF.load(await client.rendered({ html, options: { conformance: 'PDF/UA-1' } }));
    const reader = new PdfReader(given);
    const tree = given.context.catalog.getDict().get('StructTreeRoot') as PdfRef;
    const root = reader.asDict(tree) as PdfDict;
    const [document] = reader.listOrOne(root, 'K').map((kid) => reader.asDict(kid));
    const kids = reader.listOrOne(document, 'K');
    expect(kids).toHaveLength(2);
    root.set('K', PdfArray.of(...kids));
    for (const kid of kids) reader.asDict(kid)?.set('P', tree);
    root.delete('ParentTreeNextKey');
    const pdf = await signed(await given.save(), { sign: { certificate: ada, field: FIELD } });
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
    const validated = await client.send('POST', '/v1/pdf/validate', pdf, { 'content-type': 'application/pdf' });
    expect(await validated.json()).toMatchObject({ valid: true });
    const after = new PdfReader(await PDF.load(pdf));
    const [page] = after.pdf.getPages();
    const keys = [page?.dict, ...after.list(page?.dict, 'Annots').map((each) => after.asDict(each))];
    const numbers = keys.map((each) => after.number(each, 'StructParents') ?? after.number(each, 'StructParent'));
    expect(numbers).toEqual([0, 1]);
  });

  test('also if something follows its end, which is left out', async () => {
    const longer = Buffer.concat([FOREIGN, Buffer.alloc(100, ' and more\n')]);
    const pdf = await signed(longer, { sign: { certificate: ada } });
    expect(pdf.includes('and more')).toBe(false);
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
    expect((await PDF.load(pdf)).getPageCount()).toBe(1);
  });
});

test('what a signed PDF holds is extracted, because that changes nothing', async () => {
  const file = base64(await signed(FOREIGN, { sign: { certificate: ada } }));
  const body = { parts: [{ file }], steps: [{ extract: { what: ['text', 'fields'] } }] };
  const extracted = (await (await succeeded(send(body))).json()) as object;
  expect(extracted).toMatchObject({
    pages: [{ text: expect.stringContaining('What stays is here.') }],
    fields: [{ type: 'signature' }],
  });
  expect(extracted).not.toHaveProperty('dropped');
  expect(await (await succeeded(send({ ...body, dry_run: true }))).json()).toMatchObject({ would_render: true });
  const numbered = {
    ...body,
    steps: [{ stamp: { text: '{{page}} of {{pages}}', font_size: 9, position: 'bottom' } }, ...body.steps],
  };
  expect(await (await succeeded(send(numbered))).json()).toMatchObject({
    pages: [{ text: expect.stringContaining('1 of 1') }],
    fields: [{ type: 'signature' }],
  });
});

describe('the request is refused', () => {
  const file = base64(FOREIGN);
  test.each([
    [
      'for a step after it',
      [{ sign: { certificate: 'c' } }, { stamp: { text: 'x' } }],
      'steps[1].stamp: cannot follow sign, which ends the PDF',
    ],
    [
      'after a password',
      [{ encrypt: { user: 'x' } }, { sign: { certificate: 'c' } }],
      'steps[1].sign: cannot follow encrypt, which ends the PDF',
    ],
    [
      'before a division',
      [{ sign: { certificate: 'c' } }, { split: { every: 1 } }],
      'steps[1].split: cannot follow sign, which ends the PDF',
    ],
  ])('%s', async (_, steps, message) => {
    expect(await errorsOf({ parts: [{ file }], steps })).toEqual([message]);
  });

  test('for a certificate of another key, before anything is rendered', async () => {
    const { detail } = await problem(
      await send({ parts: [{ html: 'x' }], steps: [{ sign: { certificate: 'cert_0123456789ABCDEFGHIJKL' } }] }),
      404,
      'not_found',
    );
    expect(detail).toMatch(/^steps\[0\]\.sign\.certificate: /);
  });

  test('for a place outside of its page', async () => {
    const { detail } = await problem(
      await send({ parts: [{ file }], steps: [{ sign: { certificate: ada, field: { ...FIELD, page: 7 } } }] }),
      422,
      'print_failed',
    );
    expect(detail).toBe('steps[0].sign.field: the PDF has 1 page and no page 7');
  });

  test('for a PDF that cannot be read', async () => {
    const steps = [{ sign: { certificate: ada } }];
    const refusal = 'steps[0].sign: cannot be carried out: the PDF';
    expect(await errorsOf({ parts: [{ file: base64(Buffer.from('%PDF-1.7 no')) }], steps })).toEqual([
      `${refusal} is damaged, or is none`,
    ]);
    const secret = base64(await client.rendered({ html: '<p>x', options: { password: 'secret' } }));
    expect(await errorsOf({ parts: [{ file: secret }], steps })).toEqual([
      `${refusal} is protected by a password: send it as password of the part`,
    ]);
  });

  test('if another step would break a signature', async () => {
    const given = base64(await signed(FOREIGN, { sign: { certificate: ada } }));
    const steps = [{ rotate: { angle: 90 } }, { sign: { certificate: ada } }];
    expect(await errorsOf({ parts: [{ file: given }], steps })).toEqual([
      'parts[0]: is signed, and a change would break its signature; with drop_signatures it is removed',
    ]);
    const pdf = await assembled({ parts: [{ file: given }], steps, drop_signatures: true });
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
  });
});
