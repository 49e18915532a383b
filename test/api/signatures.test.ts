/** `options.signature`: PDFs with valid signatures, and rejections without a charge. */
import { afterEach, describe, expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openPdf } from '../support/open-pdf.ts';
import { type IssuedCertificate, issue, pkcs12Of } from '../support/pki.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readSignature } from '../support/read-signature.ts';
import { startService } from '../support/service.ts';
import { type Fault, TimeStampAuthority } from '../support/time-stamp-authority.ts';

const HTML = '<!doctype html><html lang="en"><title>Contract</title><h1>Contract</h1><p>All is agreed.';
const TIME_STAMP = '1.2.840.113549.1.9.16.2.14';
const SIGNING_TIME = '1.2.840.113549.1.9.5';
const FIELD = { x: '20mm', y: '20mm', width: '60mm', height: '20mm' };

const ids: Record<string, string> = {};
const root = await issue('Test CA', { isAuthority: true });
const authority = await TimeStampAuthority.start(root).then(closeAfterAll);
const url = new URL(authority.url);
url.username = 'ada';
url.password = 's3cret';
const service = await startService({ PLATEN_TSA_URL: url.href }).then(closeAfterAll);
const client = new Client(service.url, service.key);
for (const kind of ['RSA', 'EC'] as const) ids[kind] = await upload(client, await issue(`Ada ${kind}`, { kind, issuer: root }));

afterEach(() => {
  authority.fault = undefined;
});

async function upload(by: Client, issued: IssuedCertificate, chain = [root]): Promise<string> {
  const body = { name: 'test', pkcs12: pkcs12Of(issued, chain, 'x'), password: 'x' };
  const response = await by.send('POST', '/v1/certificates', body);
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { certificate_id: string }).certificate_id;
}

async function signed(signature: object, options: object = {}, html = HTML): Promise<Buffer> {
  return client.rendered({ html, options: { ...options, signature: { certificate: ids.EC, ...signature } } });
}

describe('a signature', () => {
  test.each(['RSA', 'EC'])('with the key type %s is valid for the file, with the certificate and its chain', async (kind) => {
    const pdf = await signed({ certificate: ids[kind], reason: 'Agreed (all)', location: 'Zürich', contact: 'ada@example.com' });
    const signature = await readSignature(pdf);
    expect(signature).toMatchObject({ coversAll: true, isValid: true, subject: `CN=Ada ${kind}`, certificates: 2 });
    expect(signature.digestAlgorithm).toBe('sha256');
    expect(signature.signedAttributes).not.toContain(SIGNING_TIME);
    expect(signature.unsignedAttributes).toEqual([]);
    expect(signature.dictionary).toContain('/SubFilter /ETSI.CAdES.detached');
    expect(signature.dictionary).toContain(`/Reason <${Buffer.from('Agreed (all)').toString('hex')}>`);
    expect((await readFinished(pdf)).texts.join()).toContain('All is agreed.');
  });

  test('is invalid for a file that differs in one byte', async () => {
    const pdf = await signed({});
    for (const at of [200, pdf.indexOf('stream\n') + 50, pdf.length - 20]) {
      const changed = Buffer.from(pdf);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const found = await readSignature(changed).catch(() => undefined);
      expect(found?.isValid ?? false, `byte ${at}`).toBe(false);
    }
  });

  test('of the level B-T has a time stamp of the authority, which gets the password', async () => {
    const signature = await readSignature(await signed({ level: 'B-T' }));
    const expected = { coversAll: true, isValid: true, unsignedAttributes: [TIME_STAMP], stampsFit: true };
    expect(signature).toMatchObject(expected);
    expect(authority.requests.at(-1)).toMatchObject({
      authorization: `Basic ${Buffer.from('ada:s3cret').toString('base64')}`,
      'content-type': 'application/timestamp-query',
    });
  });

  test.each([
    ['packed', { compress: true }],
    ['not packed', { compress: false, tagged: true }],
    [
      'with all else',
      {
        outline: true,
        metadata: { title: 'T' },
        watermark: { text: 'DRAFT' },
        attachments: [{ name: 'a.txt', content: 'YQ==' }],
      },
    ],
    ['PDF/A-3a and PDF/UA-1', { conformance: ['PDF/A-3a', 'PDF/UA-1'] }],
  ])('is the last change (%s)', async (_, options) => {
    expect(await readSignature(await signed({ field: FIELD }, options))).toMatchObject({ coversAll: true, isValid: true });
  });

  test('is visible on request, with the name and the reason', async () => {
    const [field] = await fieldsOf(
      await signed(
        { reason: 'Because', field: { ...FIELD, page: -1 } },
        { format: 'A4' },
        `${HTML}<p style="break-before:page">Two`,
      ),
      2,
    );
    expect(field).toMatchObject({ fieldType: 'Sig', fieldName: 'Signature1', alternativeText: 'Signature: Ada EC' });
    const [left, bottom, right, top] = (field?.rect ?? []).map((value) => Math.round((value / 72) * 25.4));
    expect([left, bottom, right, top]).toEqual([20, 297 - 40, 80, 297 - 20]);
    const [hidden] = await fieldsOf(await signed({}), 1);
    expect(hidden?.rect).toEqual([0, 0, 0, 0]);
  });

  test('may show HTML, which loads nothing and runs no script', async () => {
    const html = `<b>Signed by ACME</b><script>document.body.textContent = 'script'</script><img src="http://127.0.0.1:9/x">`;
    const pdf = await signed({ field: { ...FIELD, html } });
    expect(await readSignature(pdf)).toMatchObject({ isValid: true });
    expect(await textShown(pdf)).toBe('Signed by ACME');
  });

  test('may show nothing, in a rectangle of its size', async () => {
    const [field] = await fieldsOf(await signed({ field: { ...FIELD, html: '' } }), 1);
    const [left = 0, , right = 0] = field?.rect ?? [];
    expect(Math.round(((right - left) / 72) * 25.4)).toBe(60);
  });

  test('is placed, but neither made nor time-stamped, for a conformance report', async () => {
    const before = authority.requests.length;
    const report = (signature: object) => {
      const options = { conformance: 'PDF/A-3b', signature: { certificate: ids.EC, level: 'B-T', ...signature } };
      return client.pdf({ html: HTML, options, conformance_report: true });
    };
    expect(await (await report({ field: FIELD })).json()).toEqual({ violations: [] });
    const { violations } = (await (await report({ field: { ...FIELD, html: '<p>\u{10fffd}' } })).json()) as {
      violations: Array<{ rule: string }>;
    };
    expect(violations.map(({ rule }) => rule)).toEqual(['glyph_missing']);
    await problem(await report({ field: { ...FIELD, page: 9 } }), 422, 'print_failed');
    expect(authority.requests).toHaveLength(before);
  });

  test('stays in a stored document, whatever happens to its record', async () => {
    const body = { html: HTML, options: { signature: { certificate: ids.RSA } }, metadata: { order: '1' } };
    const { document_id: id, sha256 } = await client.store(body);
    const pdf = await bytesOf(await client.get(`/v1/documents/${id}`));
    expect(await readSignature(pdf)).toMatchObject({ coversAll: true, isValid: true });
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test('works with templates and batch items', async () => {
    const { template_id } = await client.template('<!doctype html><title>T</title><p>{{x}}');
    const options = { signature: { certificate: ids.EC } };
    const items = [{ html: HTML }, { template_id, data: { x: 'y' } }];
    const { succeeded, items: done } = await client.batch({ items, defaults: { options } });
    expect(succeeded).toBe(2);
    const { batch_id: id } = (await client.json<{ data: Array<{ batch_id: string }> }>('/v1/batches?limit=1')).data[0] ?? {};
    const merged = await problem(await client.get(`/v1/batches/${id}.pdf`), 422, 'not_mergeable');
    expect(merged.items).toHaveLength(2); // The signatures would not be valid for a merged PDF.
    for (const { url } of done)
      expect(await readSignature(await bytesOf(await fetch(url ?? '')))).toMatchObject({ isValid: true });
  });
});

describe('charges and stores nothing', () => {
  const used = async () => (await client.usage()).documents.used;
  const refused = async (signature: object, status: number, code: string, by = client) => {
    const before = await used();
    const response = await by.pdf({ html: HTML, store: true, options: { signature } });
    const answer = await problem(response, status, code);
    expect(await used()).toBe(before);
    return answer;
  };

  test('for a certificate of another key, a deleted one and an unknown one', async () => {
    const other = new Client(service.url, (await service.createKey()).key);
    await refused({ certificate: ids.EC }, 404, 'not_found', other);
    await refused({ certificate: 'cert_0123456789ABCDEFGHIJKL' }, 404, 'not_found');
    const gone = await upload(client, await issue('Gone', { issuer: root }));
    expect((await client.send('DELETE', `/v1/certificates/${gone}`)).status).toBe(204);
    await refused({ certificate: gone }, 404, 'not_found');
  });

  test('for a certificate that is not valid yet', async () => {
    const early = await issue('Early', { notBefore: new Date(Date.now() + 86_400_000), issuer: root });
    const { detail } = await refused({ certificate: await upload(client, early) }, 422, 'certificate_expired');
    expect(detail).toContain('not valid before');
  });

  test.each<[Fault, RegExp]>([
    ['http', /status 500/],
    ['garbage', /something other/],
    ['status', /refused the request with status 2/],
    ['imprint', /other data/],
    ['nonce', /different nonce/],
    ['signature', /invalid signature/],
    ['endless', /more than 65536 bytes/],
    ['usage', /not valid for time stamping/],
    ['expired', /not valid at that time/],
    ['clock', /more than 5 minutes/],
    ['silent', /10 seconds/],
  ])('when the authority has the fault %s', async (fault, what) => {
    authority.fault = fault;
    expect((await refused({ certificate: ids.EC, level: 'B-T' }, 503, 'timestamp_failed')).detail).toMatch(what);
  });

  test('for a field outside of the page, or on a missing page', async () => {
    for (const field of [
      { ...FIELD, x: '200mm' },
      { ...FIELD, page: 9 },
      { ...FIELD, page: -1, y: '290mm' },
    ]) {
      const { detail } = await refused({ certificate: ids.EC, field }, 422, 'print_failed');
      expect(detail).toContain('options.signature.field');
    }
  });
});

test('rejects the level B-T without PLATEN_TSA_URL, but not B-B', async () => {
  await using plain = await startService();
  const own = new Client(plain.url, plain.key);
  const certificate = await upload(own, await issue('Ada', { issuer: root }));
  const refused = await own.pdf({ html: HTML, options: { signature: { certificate, level: 'B-T' } } });
  expect((await problem(refused, 422, 'timestamps_unavailable')).detail).toContain('PLATEN_TSA_URL');
  expect((await own.pdf({ html: HTML, options: { signature: { certificate } } })).status).toBe(200);
});

test.each([
  [{ signature: { certificate: 'cert_x' }, password: 'x' }, 'options.password'],
  [{ signature: {} }, 'options.signature.certificate'],
  [{ signature: { certificate: 'cert_x', level: 'B-X' } }, 'options.signature.level'],
  [{ signature: { certificate: 'cert_x', field: { ...FIELD, width: '1mm' } } }, 'options.signature.field.width'],
  [{ signature: { certificate: 'cert_x', field: { ...FIELD, page: 0 } } }, 'options.signature.field.page'],
  [{ signature: { certificate: 'cert_x', field: { ...FIELD, x: 'left' } } }, 'options.signature.field.x'],
  [{ signature: { certificate: 'cert_x', reason: 'a\0' } }, 'options.signature.reason'],
])('rejects %j before anything is rendered', async (options, path) => {
  const { errors } = await problem(await client.pdf({ html: HTML, options }), 400, 'invalid_request');
  expect(errors?.map((error) => error.path)).toEqual([path]);
});

test('signs nothing in the playground', async () => {
  const body = JSON.stringify({ html: HTML, options: { signature: { certificate: ids.EC } } });
  const response = await fetch(`${service.url}/v1/playground/pdf`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const { errors } = await problem(response, 400, 'invalid_request');
  expect(errors?.map((error) => error.path)).toEqual(['options.signature']);
});

interface Field {
  fieldType: string;
  rect: number[];
}

async function fieldsOf(pdf: Buffer, number: number): Promise<Field[]> {
  await using opened = await openPdf(pdf);
  const annotations = await (await opened.document.getPage(number)).getAnnotations();
  return (annotations as Field[]).filter(({ fieldType }) => fieldType === 'Sig');
}

/** Returns the text in the appearance of the field, which it prints as a separate page. */
async function textShown(pdf: Buffer): Promise<string> {
  const { PDF, PdfDict, PdfStream } = await import('@libpdf/core');
  const source = await PDF.load(pdf);
  const annotations =
    source
      .getPages()[0]
      ?.dict.getArray('Annots', (ref) => source.getObject(ref))
      ?.toArray() ?? [];
  const widget = source.getObject(annotations.at(-1) as never);
  const appearance = widget instanceof PdfDict ? widget.getDict('AP')?.getRef('N') : undefined;
  const form = appearance && source.getObject(appearance);
  if (!(form instanceof PdfStream)) throw new Error('the field shows nothing');
  const page = source.getPages()[0]?.dict;
  page?.set('Contents', source.register(PdfStream.fromDict({}, Buffer.from('/F Do'))));
  page?.set('Resources', PdfDict.of({ XObject: PdfDict.of({ F: appearance as never }) }));
  page?.delete('Annots');
  return (await readPdf(Uint8Array.from(await source.save()).buffer)).pages.join('').trim();
}
