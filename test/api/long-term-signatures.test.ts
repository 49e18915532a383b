/** The levels B-LT and B-LTA: revocation data of the issuers is in the PDF, and is required to sign. */
import { createHash } from 'node:crypto';
import { PDF, PdfArray, PdfDict, PdfRef, type PdfStream } from '@libpdf/core';
import { ContentInfo, SignedData, TSTInfo } from 'pkijs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type CertificateOptions, type IssuedCertificate, issue, pkcs12Of } from '../support/pki.ts';
import { readFinished } from '../support/read-finished.ts';
import { readSignature } from '../support/read-signature.ts';
import { RevocationAuthority, type RevocationFault } from '../support/revocation-authority.ts';
import { startService } from '../support/service.ts';
import { TimeStampAuthority } from '../support/time-stamp-authority.ts';

const HTML = '<!doctype html><html lang="en"><title>Contract</title><h1>Contract</h1><p>All is agreed.';

/** The id of a certificate whose status is available by OCSP and in a revocation list. */
let certificate: string;
let own: IssuedCertificate;
const authority = await RevocationAuthority.start().then(closeAfterAll);
const root = await issue('Test CA', { isAuthority: true });
authority.issuer = root;
const stamps = await TimeStampAuthority.start(root, { crlUrl: authority.at('/list') }).then(closeAfterAll);
const service = await startService({ PLATEN_TSA_URL: stamps.url, PLATEN_OUTBOUND_ALLOW: new URL(authority.origin).host }).then(
  closeAfterAll,
);
const client = new Client(service.url, service.key);
/** The service caches revocation status, so each test gets a separate certificate. */
beforeEach(takeCertificate);
afterEach(() => {
  authority.faults.clear();
  authority.responder = undefined;
});

async function takeCertificate(): Promise<void> {
  own = await issue('Ada', { issuer: root, ocspUrl: authority.at('/ocsp'), crlUrl: authority.at('/list') });
  certificate = await upload(own, [root]);
}

async function upload(issued: IssuedCertificate, chain: IssuedCertificate[], by = client): Promise<string> {
  const body = { name: 'test', pkcs12: pkcs12Of(issued, chain, 'x'), password: 'x' };
  const response = await by.send('POST', '/v1/certificates', body);
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { certificate_id: string }).certificate_id;
}

async function signed(level: string, options: object = {}, by = certificate): Promise<Buffer> {
  return client.rendered({ html: HTML, options: { ...options, signature: { certificate: by, level } } });
}

/** Returns the file as it was after each signature. */
function revisions(pdf: Buffer): Buffer[] {
  const ranges = [...pdf.toString('latin1').matchAll(/\/ByteRange ?\[0 \d+ (\d+) (\d+) *\]/g)];
  return ranges.map(([, second, rest]) => pdf.subarray(0, Number(second) + Number(rest)));
}

/** Returns the validation data in the document security store of a PDF. */
async function storeOf(file: Buffer): Promise<Record<'Certs' | 'OCSPs' | 'CRLs', Buffer[]>> {
  const pdf = await PDF.load(file);
  const resolve = (value: unknown) => (value instanceof PdfRef ? pdf.getObject(value) : value);
  const store = resolve(pdf.context.catalog.getDict().get('DSS'));
  const streams = (name: string) => {
    const list = store instanceof PdfDict ? resolve(store.get(name)) : undefined;
    const items = list instanceof PdfArray ? list.toArray().map(resolve) : [];
    return items.map((item) => Buffer.from((item as PdfStream).getDecodedData()));
  };
  return { Certs: streams('Certs'), OCSPs: streams('OCSPs'), CRLs: streams('CRLs') };
}

describe('B-LT', () => {
  test.each([
    ['as it is', {}],
    ['packed', { compress: true }],
    [
      'with all else',
      { conformance: ['PDF/A-3a', 'PDF/UA-1'], attachments: [{ name: 'a.txt', type: 'text/plain', content: 'YQ==' }] },
    ],
  ])('appends revocation data to the signed file without changing it (%s)', async (_, options) => {
    const pdf = await signed('B-LT', options);
    const [before] = revisions(pdf);
    expect(revisions(pdf)).toHaveLength(1);
    expect(await readSignature(before as Buffer)).toMatchObject({ coversAll: true, isValid: true, stampsFit: true });
    expect(pdf.length).toBeGreaterThan((before as Buffer).length);
    const { Certs, OCSPs, CRLs } = await storeOf(pdf);
    expect(Certs.some((each) => each.equals(own.der)) && Certs.some((each) => each.equals(root.der))).toBe(true);
    expect(Certs).toHaveLength(3); // The third one is the certificate of the time stamp authority.
    expect([OCSPs.length, CRLs.length]).toEqual([1, 1]);
    expect((await readFinished(pdf)).texts.join()).toContain('All is agreed.');
  });

  test.each<[RevocationFault, string]>([
    ['http', 'OCSP of another status'],
    ['status', 'an OCSP responder that asks to retry later'],
    ['unknown', 'OCSP that does not know it'],
    ['other', 'OCSP about another'],
    ['old', 'OCSP of the day before'],
    ['signature', 'OCSP that is not signed'],
    ['garbage', 'no OCSP'],
    ['endless', 'OCSP without end'],
  ])('uses the CRL after the OCSP fault (%s)', async (fault) => {
    authority.faults.set('/ocsp', fault);
    const { OCSPs, CRLs } = await storeOf(await signed('B-LT'));
    expect([OCSPs.length, CRLs.length]).toEqual([0, 1]);
  });

  test('accepts the response of an OCSP responder that the issuer authorized, with its certificate', async () => {
    authority.responder = await issue('Responder', { issuer: root, signsOcsp: true, ocspNoCheck: true });
    const { Certs, OCSPs } = await storeOf(await signed('B-LT'));
    expect(Certs.some((each) => each.equals((authority.responder as IssuedCertificate).der))).toBe(true);
    expect(OCSPs).toHaveLength(1);
    await takeCertificate();
    authority.responder = await issue('Responder', { issuer: root, signsOcsp: true, crlUrl: authority.at('/list') });
    expect((await storeOf(await signed('B-LT'))).Certs).toHaveLength(4);
    for (const order of [
      { issuer: root },
      { signsOcsp: true },
      { issuer: root, signsOcsp: true, notAfter: new Date(Date.now() - 1) },
    ]) {
      await takeCertificate();
      authority.responder = await issue('Nobody', order);
      authority.faults.set('/list', 'http');
      const answer = await problem(await refusedBy(certificate), 503, 'revocation_failed');
      expect(answer.detail).toContain('status 500'); // The message is about the list, which is requested when OCSP has given no usable answer.
      authority.faults.clear();
    }
  });

  test('fetches an issuer certificate that was not uploaded', async () => {
    const order = { issuer: root, ocspUrl: authority.at('/ocsp'), issuerUrl: authority.at('/issuer') };
    const { Certs } = await storeOf(await signed('B-LT', {}, await upload(await issue('Alone', order), [])));
    expect(Certs.some((each) => each.equals(root.der))).toBe(true);
  });
});

test('adds a document time stamp for B-LTA', async () => {
  const pdf = await signed('B-LTA', { compress: true });
  const [first, second] = revisions(pdf);
  expect(await readSignature(first as Buffer)).toMatchObject({ coversAll: true, isValid: true });
  expect(second).toHaveLength(pdf.length);
  const text = pdf.toString('latin1');
  const [range, from, to] = [...text.matchAll(/\/ByteRange ?\[0 (\d+) (\d+) \d+ *\]/g)].at(-1) ?? [];
  expect(text.slice((text.lastIndexOf(range as string) ?? 0) - 200)).toContain('/SubFilter /ETSI.RFC3161');
  const [start, end] = [Number(from), Number(to)];
  const content = ContentInfo.fromBER(Uint8Array.from(Buffer.from(text.slice(start + 1, end - 1), 'hex')));
  const token = new SignedData({ schema: content.content });
  const stamped = Buffer.concat([pdf.subarray(0, start), pdf.subarray(end)]);
  const info = TSTInfo.fromBER(token.encapContentInfo.eContent?.getValue() as ArrayBuffer);
  expect(Buffer.from(info.messageImprint.hashedMessage.valueBlock.valueHexView)).toEqual(
    createHash('sha256').update(stamped).digest(),
  );
  expect(await token.verify({ signer: 0, data: Uint8Array.from(stamped).buffer, checkChain: false })).toBe(true);
  expect((await storeOf(pdf)).Certs).toHaveLength(3);
});

function refusedBy(by: string, more: object = {}): Promise<Response> {
  return client.pdf({ html: HTML, store: true, options: { signature: { certificate: by, level: 'B-LT' } }, ...more });
}

describe('charges and stores nothing', () => {
  const used = async () => (await client.usage()).documents.used;
  const refused = async (status: number, code: string, by = certificate) => {
    const before = await used();
    const answer = await problem(await refusedBy(by), status, code);
    expect(await used()).toBe(before);
    return answer.detail as string;
  };

  test('when a certificate is revoked, by OCSP or by CRL', async () => {
    authority.revoked.push(own.certificate.serialNumber);
    authority.faults.set('/ocsp', 'revoked');
    expect(await refused(422, 'certificate_unusable')).toContain('revoked since 2026-01-02T03:04:05.000Z'); // This answer is not cached, so the next signature requests it again.
    authority.faults.set('/ocsp', 'http').set('/list', 'revoked');
    expect(await refused(422, 'certificate_unusable')).toContain('revoked since');
  });

  test.each<[RevocationFault, RegExp]>([
    ['http', /status 500/],
    ['redirect', /answered with a redirect/],
    ['garbage', /cannot be read/],
    ['old', /out of date/],
    ['future', /from the future/],
    ['signature', /has not signed/],
    ['part', /partial list/],
    ['endless', /more than 8388608 bytes/],
    ['silent', /within 10 seconds/],
  ])('when there is only a CRL, with the fault %s', async (fault, what) => {
    authority.faults.set('/ocsp', 'http').set('/list', fault);
    expect(await refused(503, 'revocation_failed')).toMatch(what);
  });

  test('when the outbound policy blocks the requests', async () => {
    const ocspRequests = () => authority.requestedPaths.filter((path) => path === '/ocsp').length;
    const before = ocspRequests();
    const away = authority.at('/ocsp').replace('127.0.0.1', '127.0.0.2');
    const issued = await issue('Away', { issuer: root, ocspUrl: away });
    expect(await refused(503, 'revocation_failed', await upload(issued, [root]))).toContain('no address that may be reached');
    expect(ocspRequests()).toBe(before);
  });

  test.each<[string, CertificateOptions, RegExp]>([
    ['says nowhere whom to ask', {}, /does not say where to ask/],
    [
      'has an address of another kind',
      { ocspUrl: 'ldap://127.0.0.1/x', crlUrl: 'file:///etc/passwd' },
      /does not say where to ask/,
    ],
  ])('for a certificate that %s', async (_, order, what) => {
    const id = await upload(await issue('Mute', { issuer: root, ...order }), [root]);
    expect(await refused(422, 'certificate_unusable', id)).toMatch(what);
    const dry = await (await refusedBy(id, { dry_run: true })).json();
    expect(JSON.stringify(dry)).toMatch(what);
  });

  test('for a certificate without its issuer, and for a self-signed one', async () => {
    const ocspUrl = authority.at('/ocsp');
    expect(
      await refused(422, 'certificate_unusable', await upload(await issue('Alone', { issuer: root, ocspUrl }), [])),
    ).toContain('ends before a root');
    expect(await refused(422, 'certificate_unusable', await upload(await issue('Own', { ocspUrl }), []))).toContain(
      'self-signed',
    );
  });
});
