/** Migrations are applied completely or not at all, and one that has landed stays as it is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import type { Query } from '../../src/storage/tables.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { sha256 } from '../support/sha256.ts';
import { unpackFolder } from '../support/unpack-folder.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeTestFolder();
});

/** The SHA-256 of the file of each migration. Databases have its tables, so add a migration instead of changing one. */
const LANDED: Record<string, string> = {
  '0025-baseline': 'b884a07e60822d2731451347b819eb547cb71f329916e8c47a753fb61aef2ed9',
  '0026-documents-of-reservations': '663b61f159445bc6ad3659b612d3fa7b00ea09d9238c5d0f4a4caf3dad49d16b',
  '0027-request-log': '2e7ed7d117be8caa21d4f1e70856c1a3918a2310f4704625c0bce8e73e56070c',
  '0028-templates': 'f728148a1e1c7e78e28dac2b57f79fc27f9b1dbcf5ffd9af46aaf89173bcafc1',
  '0030-shared-templates': '8f8d72e06138da4e3a7186c8749f6451946683bac9601c3202d0ab94dbf08f4e',
  '0031-account-defaults': '1245954634eddbc62085c53256ad8b8f3ef93f8e357d17cf2ad8794d0ebf3166',
  '0034-sessions': '8929adf7cdd3813b646914de552ac36b9c96473dae223922091bdaf291c8f0ea',
  '0035-failure-pictures': '40076c35c41beedf97dfb90bae1df65a67f3aec66ec07716ad037a0774ef311b',
  '0036-administration': 'ad52d65d82b06c5df1300e59a82e2495541d7d74604d52ae7f5dec9894e8c546',
  '0037-failed-webhooks': '6feca82796924729dcc9dc9fe7b652677b4e07f9c6d5abef4a5b4b9acc3b1796',
  '0038-equal-batch-items': '85151ce2f23f839911cbcb7750ed56a31ca8a564915f753f05aecb400ce1e099',
  '0039-due-batch-items': 'ad4e5e931203120ce5ee70c5367095c25fa7b5ba820c2ffa9d0df4f79e7a0f38',
  '0040-usage-sums': 'b409ab9ab262858131207a46890504c11e4a794093696111ff94ebb877072e05',
  '0041-webhook-history': '37a3384e8fbc07445d7b1adbd62b619cd5d9a4804c26e0ac547b3a5c785346d4',
};

test('does not change a migration that has landed', async () => {
  const folder = new URL('../../src/storage/migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => /^\d/.test(name));
  const checksums = files.map(async (name) => [name.slice(0, -3), sha256(await readFile(new URL(name, folder)))]);
  expect(Object.fromEntries(await Promise.all(checksums))).toEqual(LANDED);
  expect(Object.keys(migrations)).toEqual(Object.keys(LANDED));
  expect(Object.keys(LANDED)).toEqual(Object.keys(LANDED).toSorted());
});

const OPEN_AND_DIE = fileURLToPath(new URL('../support/open-and-die.ts', import.meta.url));

/** Opens the database in another process, which kills itself before this statement if there are that many. */
async function openAndDie(folder: string, statement: number): Promise<'killed' | 'opened'> {
  const child = spawn(process.execPath, [OPEN_AND_DIE, folder, String(statement)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  if (!signal) expect(code).toBe(0);
  return signal ? 'killed' : 'opened';
}

/** Returns the schema after all migrations. */
async function schemaOf(folder: string): Promise<unknown[]> {
  const database = await openDatabase({ dataDir: folder });
  const { rows } = await sql`select type, name, sql from sqlite_master order by name`.execute(database.query);
  await database.close();
  return rows;
}

test('completes a migration after a kill between two statements', async () => {
  const expected = await schemaOf(join(dataDir, 'whole'));
  let statement = 1;
  for (; ; statement += 11) {
    const folder = join(dataDir, String(statement));
    if ((await openAndDie(folder, statement)) === 'opened') break;
    expect(await schemaOf(folder)).toEqual(expected);
  }
  expect(statement).toBeGreaterThan(Object.keys(migrations).length);
}, 180_000);

test('allows processes to open an empty folder at the same time', async () => {
  const opened = await Promise.all(Array.from({ length: 6 }, () => openAndDie(dataDir, 0)));
  expect(opened).toEqual(opened.map(() => 'opened'));
}, 180_000);

/** Changes a database without opening it as Platen does. */
async function change(work: (query: Query) => Promise<unknown>): Promise<void> {
  const { query, release } = openSqlite(join(dataDir, 'platen.db'));
  await work(query);
  await query.destroy();
  await release();
}

async function namesOfApplied(): Promise<string[]> {
  const database = await openDatabase({ dataDir });
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database.query);
  await database.close();
  return rows.map(({ name }) => name);
}

test('takes over a database of the last checkout before the baseline, whose tables are the same', async () => {
  unpackFolder('before-baseline', dataDir);
  expect(await namesOfApplied()).toEqual(Object.keys(migrations));
  expect(await namesOfApplied()).toEqual(Object.keys(migrations));
});

test('counts what was charged before the sums, for no key', async () => {
  unpackFolder('before-baseline', dataDir);
  await change(async (query) => {
    await query
      .insertInto('accounts')
      .values({ id: 'acc', name: '', plan: 'free', created_at: 0 } as never)
      .execute();
    const days = [1, 2].map((documents) => ({ account_id: 'acc', day: `2026-10-0${documents}`, documents }));
    await query.insertInto('usage_days').values(days).execute();
  });
  await namesOfApplied();
  await change(async (query) => {
    const sums = await query.selectFrom('usage_sums').selectAll().execute();
    expect(sums).toEqual([{ account_id: 'acc', kind: 'key', month: '2026-10', object_id: '', documents: 3, pages: 0, bytes: 0 }]);
  });
});

test('refuses a database of an earlier checkout, and says what to do', async () => {
  unpackFolder('before-baseline', dataDir);
  await change((query) => sql`delete from kysely_migration where name = '0024-open-items'`.execute(query));
  await expect(openDatabase({ dataDir })).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringMatching(/its last migration is 0023-operator-key\): start commit \w{8} of Platen on it once/),
  });
});

test('refuses a database of a newer version', async () => {
  await namesOfApplied();
  await change((query) => sql`insert into kysely_migration values ('9999-newer', '2030-01-01T00:00:00.000Z')`.execute(query));
  await expect(openDatabase({ dataDir })).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringContaining('a newer version of Platen'),
  });
});

test('reports a migration below those in the database as an error of this version', async () => {
  await namesOfApplied();
  migrations['0024-too-low'] = { async up() {} };
  const refused: unknown = await openDatabase({ dataDir })
    .catch((error: unknown) => error)
    .finally(() => delete migrations['0024-too-low']);
  expect(refused).toMatchObject({ name: 'Error', message: expect.stringContaining('it must sort after all others') });
});
