/** Storing certificates in a real database. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Keys } from '../../src/accounts/keys.ts';
import { Certificates } from '../../src/certificates/certificates.ts';
import { SecretKeys } from '../../src/certificates/secret-keys.ts';
import type { Database } from '../../src/storage/database.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { insertAccount } from '../support/owners.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

const FACTS = {
  ...{ subject: 'CN=Ada', issuer: 'CN=Ada', serialNumber: '01', notBefore: 0, notAfter: Number.MAX_SAFE_INTEGER },
  ...{ keyType: 'EC P-256', fingerprint: '00', commonName: 'Ada' },
};
const DRAFT = { name: 'x', pkcs12: Buffer.alloc(0), password: '' };

let dataDir: string;
let database: Database;
let keys: Keys;
beforeEach(async () => {
  dataDir = await makeTestFolder();
  database = await openTestDatabase(dataDir);
  keys = new Keys(database, Date.now);
  await insertAccount(database);
});
afterEach(() => database.close());

test('stores no private key if the API key is revoked while the certificate is being read', async () => {
  const { key } = await keys.create('acc_a', {});
  const open = async () => {
    await keys.revoke(undefined, key.id);
    return { facts: FACTS, key: Buffer.from('key'), chain: [Buffer.from('certificate')] };
  };
  const secretKeys = new SecretKeys({ secretKeyFile: '', dataDir, isShared: false });
  const certificates = new Certificates(database, Date.now, { open, close() {} } as never, secretKeys);
  await expect(certificates.create({ keyId: key.id, accountId: 'acc_a' }, DRAFT)).rejects.toMatchObject({ code: 'unauthorized' });
  expect((await certificates.list(key.id, 10)).items).toEqual([]);
});
