/** PKCS#12 files of several programs can be opened, and only with their password. */
import { describe, expect, test } from 'vitest';
import { parse } from '../../src/certificates/asn1.ts';
import { openPkcs12 } from '../../src/certificates/pkcs12.ts';
import { Pkcs12Ciphers, TooManyIterationsError } from '../../src/certificates/pkcs12-ciphers.ts';
import { Pkcs12Reader } from '../../src/certificates/pkcs12-reader.ts';
import { hasCode } from '../../src/errors.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type IssuedCertificate, issue, pkcs12Of } from '../support/pki.ts';
import { PKCS12 } from './pkcs12-files.ts';

const reader = closeAfterAll(new Pkcs12Reader());

const bytesOf = (name: keyof typeof PKCS12) => Buffer.from(PKCS12[name], 'base64');

test.each([
  ['modern', 'sécret'],
  ['legacy', 'sécret'],
  ['older', 'sécret'],
  ['empty', ''],
  ['nomac', 'sécret'],
] as const)('opens the file %s with its password', async (name, password) => {
  const { facts, key, chain } = await reader.open('owner', { content: bytesOf(name), password });
  expect(facts).toMatchObject({
    subject: 'CN=Ada Lovelace, O=Müller\\, Söhne, C=DE',
    issuer: 'O=ACME, CN=Test CA',
    keyType: 'EC P-256',
    commonName: 'Ada Lovelace',
  });
  expect(facts.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(chain).toHaveLength(1);
  expect(key.length).toBeGreaterThan(100);
});

test.each([
  ['modern', 'secret', 'certificate_password_wrong', /password/],
  ['legacy', '', 'certificate_password_wrong', /password/],
  ['nomac', 'wrong', 'certificate_password_wrong', /password/],
  ['costly', 'sécret', 'certificate_unusable', /iterations/],
  ['nokey', 'sécret', 'certificate_unusable', /no private key/],
  ['weak', 'secret', 'certificate_unusable', /1024 bits/],
  ['ed', 'sécret', 'certificate_unusable', /ed25519/],
] as const)('rejects %s with %j (%s)', async (name, password, code, what) => {
  const error: unknown = await reader.open('owner', { content: bytesOf(name), password }).catch((reason: unknown) => reason);
  expect(hasCode(error, code), String(error)).toBe(true);
  expect((error as Error).message).toMatch(what);
});

test('rejects a truncated or changed file, or returns its certificate', async () => {
  const file = bytesOf('modern');
  for (let at = 0; at < file.length; at += 37) {
    for (const damaged of [file.subarray(0, at), changedAt(file, at)]) {
      const outcome = await reader.open('owner', { content: damaged, password: 'sécret' }).then(
        ({ facts }) => facts.commonName,
        (error: unknown) => hasCode(error, 'certificate_password_wrong', 'certificate_unusable') && 'refused',
      );
      expect(['refused', 'Ada Lovelace'], `${at}`).toContain(outcome);
    }
  }
});

test('rejects endlessly nested values', async () => {
  const nested = Buffer.alloc(80_000, Buffer.from([0x30, 0x80]));
  const error: unknown = await reader.open('owner', { content: nested, password: '' }).catch((reason: unknown) => reason);
  expect(hasCode(error, 'certificate_unusable'), String(error)).toBe(true);
  expect(await reader.open('owner', { content: bytesOf('modern'), password: 'sécret' })).toBeDefined();
});

test('orders the chain', () => {
  const { chain } = openPkcs12(bytesOf('modern'), 'sécret');
  expect(chain[0].subject).toContain('Ada Lovelace');
});

describe('rejects certificates that cannot sign, or make each signature slow', () => {
  const refusalOf = async (issued: IssuedCertificate, chain: IssuedCertificate[] = []) => {
    const content = Buffer.from(pkcs12Of(issued, chain, 'x'), 'base64');
    const error: unknown = await reader.open('owner', { content, password: 'x' }).catch((reason: unknown) => reason);
    expect(hasCode(error, 'certificate_unusable'), String(error)).toBe(true);
    return (error as Error).message;
  };

  test('with a long chain', async () => {
    const chain = [await issue('0', { isAuthority: true })];
    for (let at = 1; at < 11; at++)
      chain.push(await issue(`${at}`, { isAuthority: true, issuer: chain.at(-1) as IssuedCertificate }));
    expect(await refusalOf(chain.pop() as IssuedCertificate, chain)).toMatch(/chain of 11 certificates; at most 10/);
  });

  test('with an issuer of many values or many bytes', async () => {
    const many = await issue('Many', { isAuthority: true, values: 3_000 });
    expect(await refusalOf(await issue('Ada', { issuer: many }), [many])).toMatch(/more than 2000 values/);
    const large = await issue('L'.repeat(17_000), { isAuthority: true });
    expect(await refusalOf(large)).toMatch(/more than 16384 bytes/);
  });

  test('with invalid dates', async () => {
    const issued = await issue('Ada', { notAfter: new Date('2036-01-02T03:04:05Z') });
    const der = Buffer.from(issued.der.toString('latin1').replace('360102030405Z', '991399000000Z'), 'latin1');
    expect(der).not.toEqual(issued.der);
    expect(await refusalOf({ ...issued, der })).toMatch(/validity period/);
  });
});

test('counts each digest of a key towards the iteration limit', () => {
  // pbeWithSHAAnd3-KeyTripleDES-CBC with 100 iterations: two digests for the key, and one for the initialization vector.
  const algorithm = parse(Buffer.from('301b060a2a864886f70d010c0103300d04080001020304050607020164', 'hex'));
  const decrypt = (maxIterations: number) => () => new Pkcs12Ciphers('x', { maxIterations }).decrypt(algorithm, Buffer.alloc(8));
  expect(decrypt(299)).toThrow(TooManyIterationsError);
  expect(decrypt(300)).not.toThrow(TooManyIterationsError);
});

function changedAt(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
}
