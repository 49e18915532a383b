/** A database whose tables are not those of its migrations is refused at the start, and reported wherever somebody asks. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { eventually, runCli, type Service, startService } from '../support/service.ts';

const RENAME = 'alter table batch_requests rename column ciphertext to sealed';
const CHANGED = 'the tables of the database are not those that its migrations make';

let dataDir: string;
let made = 0;
const folder = await makeFolder();
beforeEach(async () => {
  dataDir = join(folder, String(++made));
  await (await openDatabase({ dataDir })).close();
});

function change(...statements: string[]): void {
  using database = new DatabaseSync(join(dataDir, 'platen.db'));
  for (const statement of statements) database.exec(statement);
}

const run = (...args: string[]) =>
  runCli(args, {
    PATH: process.env.PATH ?? '',
    PLATEN_DATA_DIR: dataDir,
    PLATEN_PORT: '0',
    PLATEN_BROWSER_PATH: '/bin/true',
  }).catch((error: { code: number; stdout: string; stderr: string }) => error);

test.each([
  ['a renamed column', [RENAME], 'batch_requests has no column ciphertext; batch_requests has an unknown column sealed'],
  ['a missing table', ['drop table batch_requests'], 'there is no table batch_requests'],
  ['a new column', ['alter table templates add column extra text'], 'templates has an unknown column extra'],
  ['a missing index', ['drop index documents_list'], 'documents has no index documents_list'],
  [
    'an index with another condition',
    ['drop index batches_open', 'create index batches_open on batches (key_id, created_at, id) where completed_at is not null'],
    'index batches_open of batches is "key_id, created_at, id completed_atisnotnull" instead of',
  ],
  [
    'a column of another type',
    [
      'drop table visitor_requests',
      'create table visitor_requests (visitor text primary key, since text not null, requests int)',
    ],
    'column since of visitor_requests is "text not null" instead of "bigint not null"',
  ],
])('refuses %s', async (_what, statements, difference) => {
  change(...statements);
  await expect(openDatabase({ dataDir })).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringContaining(`${CHANGED} (${difference}`),
  });
});

test('accepts tables and indexes that the operator has added', async () => {
  change('create table notes (text text)', 'create index mine on documents (filename)', 'analyze');
  await (await openDatabase({ dataDir })).close();
});

test('is refused by every command, in one sentence', async () => {
  change(RENAME);
  for (const args of [['serve'], ['keys', 'list'], ['backup', join(folder, `backup-${made}`)]]) {
    const { code, stderr } = (await run(...args)) as { code: number; stderr: string };
    expect(stderr, args[0]).toMatch(
      /^platen: the tables of the database .* \(batch_requests has no column .*\): use the version .*\n$/,
    );
    expect(code).toBe(1);
  }
  expect((await run('doctor')).stdout).toMatch(/^PROBLEM {2}database: the tables .*ciphertext.*\n +-> use the version/m);
});

test('makes a running service not ready until it is repaired', async () => {
  await using service: Service = await startService({ PLATEN_DATA_DIR: dataDir, PLATEN_PLAYGROUND: 'off' });
  const status = async () => (await fetch(`${service.url}/readyz`)).status;
  await eventually('it is ready', async () => (await status()) === 200);
  change('PRAGMA busy_timeout = 5000', RENAME);
  await eventually('it is not ready', async () => (await status()) === 503, 30_000);
  await eventually('the log says why', async () => service.output().includes('batch_requests has no column ciphertext'));
  change('PRAGMA busy_timeout = 5000', 'alter table batch_requests rename column sealed to ciphertext');
  await eventually('it is ready again', async () => (await status()) === 200, 30_000);
});
