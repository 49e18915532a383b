/** `/v1/certificates`: what is stored of a certificate, who can read it, and when it is deleted. */
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PKCS12 } from '../certificates/pkcs12-files.ts';
import { Client, type List, problem } from '../support/client.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { eventually, startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { storedWith } from '../support/stored.ts';

interface CertificateRecord {
  certificate_id: string;
  [member: string]: unknown;
}

const PASSWORD = 'sécret';
const MODERN = PKCS12.modern.replace(/\s/g, '');

const service = await sharedService();
const ada = new Client(service.url, service.key);
const bob = new Client(service.url, (await service.createKey()).key);
const leaf = await issue('Ada Lovelace', { kind: 'RSA' });

const upload = (client: Client, body: object, headers = {}) => client.send('POST', '/v1/certificates', body, headers);

async function stored(
  client: Client,
  body: object = { name: 'mine', pkcs12: MODERN, password: PASSWORD },
): Promise<CertificateRecord> {
  const response = await upload(client, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return (await response.json()) as CertificateRecord;
}

test('stores, returns, lists and deletes a certificate, and never returns its key', async () => {
  const body = { name: 'invoices', pkcs12: pkcs12Of(leaf, [], PASSWORD), password: PASSWORD };
  const response = await upload(ada, body);
  expect(response.status).toBe(201);
  const text = await response.text();
  const record = JSON.parse(text) as CertificateRecord;
  const id = record.certificate_id;
  expect(response.headers.get('location')).toBe(`${service.url}/v1/certificates/${id}`);
  expect(Object.keys(record).sort()).toEqual(
    'certificate_id created_at fingerprint_sha256 id issuer key_type name not_after not_before serial_number subject'.split(' '),
  );
  expect(record).toMatchObject({ name: 'invoices', subject: 'CN=Ada Lovelace', issuer: 'CN=Ada Lovelace', key_type: 'RSA 2048' });
  expect(id).toMatch(/^cert_[0-9A-Za-z]{22}$/);
  expect(await ada.json(`/v1/certificates/${id}`)).toEqual(record);
  expect((await ada.json<List<CertificateRecord>>('/v1/certificates')).data).toContainEqual(record);
  expect((await ada.send('DELETE', `/v1/certificates/${id}`)).status).toBe(204);
  await problem(await ada.get(`/v1/certificates/${id}`), 404, 'not_found');
  await problem(await ada.send('DELETE', `/v1/certificates/${id}`), 404, 'not_found');
});

test('continues lists on the next page', async () => {
  const { key } = await service.createKey();
  const client = new Client(service.url, key);
  const ids = [await stored(client), await stored(client)].map((each) => each.certificate_id);
  const first = await client.json<List<CertificateRecord>>('/v1/certificates?limit=1');
  expect(first).toMatchObject({ has_more: true, data: [{ certificate_id: ids[1] }] });
  const second = await client.json<List<CertificateRecord>>(`/v1/certificates?limit=1&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ has_more: false, data: [{ certificate_id: ids[0] }] });
});

test('returns 404 for a certificate of another key and for a malformed id', async () => {
  const { certificate_id: id } = await stored(ada);
  const answers = await Promise.all(
    [`/v1/certificates/${id}`, '/v1/certificates/cert_0123456789ABCDEFGHIJKL', '/v1/certificates/%00'].map(async (path) => {
      const read = await problem(await bob.get(path), 404, 'not_found');
      const removed = await problem(await bob.send('DELETE', path), 404, 'not_found');
      return [read.detail, removed.detail];
    }),
  );
  expect(new Set(answers.flat()).size).toBe(1);
  expect((await bob.json<List<CertificateRecord>>('/v1/certificates')).data).toEqual([]);
});

describe('stores nothing for', () => {
  test.each([
    ['a wrong password', { pkcs12: MODERN, password: 'wrong' }, 422, 'certificate_password_wrong'],
    ['a file that is none', { pkcs12: 'AAAA', password: '' }, 422, 'certificate_unusable'],
    ['a weak key', { pkcs12: PKCS12.weak.replace(/\s/g, ''), password: 'secret' }, 422, 'certificate_unusable'],
    ['a costly file', { pkcs12: PKCS12.costly.replace(/\s/g, ''), password: PASSWORD }, 422, 'certificate_unusable'],
    ['text that is not base64', { pkcs12: '*' }, 400, 'invalid_request'],
    ['a file that is too large', { pkcs12: 'A'.repeat(131_076) }, 400, 'invalid_request'],
    ['an unknown field', { pkcs12: MODERN, password: PASSWORD, keys: 1 }, 400, 'invalid_request'],
  ])('%s', async (_, body, status, code) => {
    const before = await bob.json('/v1/certificates');
    const answer = await problem(await upload(bob, { name: 'x', ...body }), status, code);
    expect(JSON.stringify(answer)).not.toContain(PASSWORD);
    expect(await bob.json('/v1/certificates')).toEqual(before);
  });

  test('an expired certificate, or one that must not sign', async () => {
    const past = await issue('Past', { notAfter: new Date(Date.now() - 1_000) });
    const expired = await upload(bob, { name: 'x', pkcs12: pkcs12Of(past, [], 'x'), password: 'x' });
    expect((await problem(expired, 422, 'certificate_expired')).detail).toContain('expired at');
    const wrong = await issue('Encipherment', { keyUsage: 0b0010_0000 });
    const refused = await upload(bob, { name: 'x', pkcs12: pkcs12Of(wrong, [], 'x'), password: 'x' });
    expect((await problem(refused, 422, 'certificate_unusable')).detail).toContain('key usage');
  });
});

test('stores one certificate for one Idempotency-Key', async () => {
  const body = { name: 'once', pkcs12: MODERN, password: PASSWORD };
  const answers = await Promise.all([1, 2].map(() => upload(bob, body, { 'idempotency-key': 'one' })));
  const again = await upload(bob, body, { 'idempotency-key': 'one' });
  const [record] = (await bob.json<List<CertificateRecord>>('/v1/certificates')).data.filter(({ name }) => name === 'once');
  expect(answers.map(({ status }) => status).filter((status) => status !== 409)).not.toEqual([]);
  expect(await again.json()).toEqual(record);
});

test('requires the scope to store and to read certificates', async () => {
  const made = await ada.send('POST', '/v1/keys', { scopes: ['render'] });
  const { key } = (await made.json()) as { key: string };
  const narrow = new Client(service.url, key);
  const answer = await problem(await narrow.get('/v1/certificates'), 403, 'insufficient_scope');
  expect(answer.required_scope).toBe('certificates');
});

test('the certificates of a key that is revoked are removed', async () => {
  const made = await ada.send('POST', '/v1/keys', { name: 'short' });
  const { key, key_id } = (await made.json()) as { key: string; key_id: string };
  const marker = 'marker-of-a-revoked-certificate';
  await stored(new Client(service.url, key), { name: marker, pkcs12: MODERN, password: PASSWORD });
  expect(await storedWith(service.env, marker)).not.toEqual([]);
  expect((await ada.send('DELETE', `/v1/keys/${key_id}`)).status).toBe(204);
  await eventually('its name is nowhere any more', async () => (await storedWith(service.env, marker)).length === 0);
});

test('the private key is stored nowhere in the open', async () => {
  const der = leaf.key.export({ type: 'pkcs8', format: 'der' });
  await stored(ada, { name: 'disk', pkcs12: pkcs12Of(leaf, [], PASSWORD), password: PASSWORD });
  for (const needle of [der.subarray(60, 140), Buffer.from(der.toString('base64').slice(80, 160)), Buffer.from(PASSWORD)])
    expect(await storedWith(service.env, needle)).toEqual([]);
});

/** Skipped with a shared database, because its nodes get their secret key from the settings instead of the data folder. */
const testOfFolder = test.skipIf(process.env.PLATEN_TEST_SECRET_KEY_FILE);
testOfFolder('the secret key is for this user alone', async () => {
  const folder = service.env.PLATEN_DATA_DIR ?? '';
  expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
});

test('keeps certificates readable when PLATEN_SECRET_KEY_FILE is rotated, and refuses an unknown key', async () => {
  const file = join(await makeTestFolder('secret'), 'secret.key');
  const [first, second] = ['1'.repeat(64), '2'.repeat(64)];
  await writeFile(file, `${first}\n`);
  await using own = await startService({ PLATEN_SECRET_KEY_FILE: file });
  const client = new Client(own.url, own.key);
  const { certificate_id: id } = await stored(client);
  await writeFile(file, `${second}\n${first}\n`);
  expect(await own.cli('certificates', 'reencrypt')).toContain('re-encrypted 1 certificates');
  expect(await own.cli('certificates', 'reencrypt')).toContain('re-encrypted 0 certificates');
  await writeFile(file, `${'3'.repeat(64)}\n`);
  await expect(own.cli('certificates', 'reencrypt')).rejects.toThrow('PLATEN_SECRET_KEY_FILE');
  expect(await client.json(`/v1/certificates/${id}`)).toMatchObject({ certificate_id: id });
  await writeFile(file, 'short\n');
  await expect(own.cli('certificates', 'reencrypt')).rejects.toThrow('at least 32 bytes');
});
