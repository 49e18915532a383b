/** The service's own secret key: made once and whole, and refused where it is damaged. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SecretKeyError, SecretKeys } from '../../src/certificates/secret-keys.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const open = () => new SecretKeys({ secretKeyFile: '', dataDir, isShared: false });

test('is made at the first use, for all who use the folder, and leaves nothing else behind', async () => {
  const [one, other] = [open(), open()];
  expect(await readdir(dataDir)).toEqual([]);
  expect(one.current().id).toBe(other.current().id);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
});

test('that is damaged is refused at the start, and named', async () => {
  await writeFile(join(dataDir, 'secret.key'), 'half');
  expect(open).toThrow(SecretKeyError);
  expect(open).toThrow(join(dataDir, 'secret.key'));
});

test('that is damaged later is told to callers without the path', async () => {
  const keys = open();
  await writeFile(join(dataDir, 'secret.key'), '');
  expect(() => keys.current()).toThrow(expect.objectContaining({ code: 'secret_key_missing' }));
  expect(() => keys.current()).toThrow(expect.objectContaining({ message: expect.not.stringContaining(dataDir) }));
});

test('that cannot be written is a failure of the storage', async () => {
  const keys = new SecretKeys({ secretKeyFile: '', dataDir: join(dataDir, 'missing'), isShared: false });
  expect(() => keys.current()).toThrow(expect.objectContaining({ code: 'storage_failed' }));
});
