/** The secret key of the service is created once and completely, and is refused if it is damaged. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { SecretKeyError, SecretKeys } from '../../src/certificates/secret-keys.ts';
import { makeTestFolder } from '../support/close-after-all.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeTestFolder();
});

const open = () => new SecretKeys({ secretKeyFile: '', dataDir, isShared: false });

test('is created at first use, for all users of the folder, and leaves no other files', async () => {
  const [one, other] = [open(), open()];
  expect(await readdir(dataDir)).toEqual([]);
  expect(one.current().id).toBe(other.current().id);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
});

test('is rejected with its path at the start if it is damaged', async () => {
  await writeFile(join(dataDir, 'secret.key'), 'half');
  expect(open).toThrow(SecretKeyError);
  expect(open).toThrow(join(dataDir, 'secret.key'));
});

test('is reported without its path if it is damaged later', async () => {
  const keys = open();
  await writeFile(join(dataDir, 'secret.key'), '');
  expect(() => keys.current()).toThrow(expect.objectContaining({ code: 'secret_key_missing' }));
  expect(() => keys.current()).toThrow(expect.objectContaining({ message: expect.not.stringContaining(dataDir) }));
});

test('that is missing is looked for where it would be, which only the log names in full', () => {
  const lookUp = () => open().withId('0123');
  const message = 'the certificate is encrypted with a secret key that is not in secret.key in the data folder of the service';
  expect(lookUp).toThrow(expect.objectContaining({ code: 'secret_key_missing', message }));
  const cause = expect.objectContaining({ message: `the secret key 0123 is not in ${join(dataDir, 'secret.key')}` });
  expect(lookUp).toThrow(expect.objectContaining({ cause }));
});

test('fails as a storage error if it cannot be written', async () => {
  const keys = new SecretKeys({ secretKeyFile: '', dataDir: join(dataDir, 'missing'), isShared: false });
  expect(() => keys.current()).toThrow(expect.objectContaining({ code: 'storage_failed' }));
});
