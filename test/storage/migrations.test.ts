/** A database of an earlier version is migrated with its data, even if the process is killed meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Allowance } from '../../src/accounts/allowance.ts';
import { Leases } from '../../src/accounts/leases.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openSqlite } from '../../src/storage/sqlite.ts';
import type { Query } from '../../src/storage/tables.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Creates a database as it was after the migration `last`, and fills it. */
async function createEarlier(last: string, fill: (query: Query) => Promise<unknown>): Promise<void> {
  const { query, release } = openSqlite(join(dataDir, 'platen.db'));
  await new Migrator({ db: query, provider: { getMigrations: async () => migrations } }).migrateTo(last);
  await fill(query);
  await query.destroy();
  await release();
}

test('releases reservations that a process left behind in the next version', async () => {
  const account_id = 'acc_a';
  await createEarlier('0002-resources', async (query) => {
    await query.insertInto('accounts').values({ id: account_id, name: '', plan: 'free', auto_store: 0, created_at: 1 }).execute();
    await query.insertInto('usage_months').values({ account_id, month: '2026-11', used: 5 }).execute();
    const rows = ['rsv_a', 'rsv_b'].map((id) => ({ id, account_id, day: '2026-11-21', lease_until: 1_000 }));
    await query.insertInto('reservations').values(rows).execute();
  });
  const database = await openDatabase({ dataDir });
  const clock = () => Date.UTC(2026, 10, 21);
  const leases = new Leases(clock);
  const allowance = new Allowance(database, clock, leases);
  expect(await allowance.releaseExpired()).toBe(2);
  expect((await allowance.usage(account_id)).used).toBe(3);
  leases.stop();
  await database.close();
});

test('numbers existing outcomes of batches in the order of their items', async () => {
  await createEarlier('0006-webhooks', async (query) => {
    await query.insertInto('accounts').values({ id: 'acc_a', name: '', plan: 'free', auto_store: 0, created_at: 1 }).execute();
    const key = { id: 'key_a', account_id: 'acc_a', name: '', secret_hash: '', hint: '', created_at: 1, revoked_at: null };
    await query.insertInto('api_keys').values(key).execute();
    const counts = { total: 4, unfinished: 1, succeeded: 1, failed: 1, cancelled: 1, created_at: 1, kept_until: 9 };
    for (const id of ['bat_a', 'bat_b'])
      await query
        .insertInto('batches')
        .values({ id, key_id: 'key_a', account_id: 'acc_a', ...counts })
        .execute();
    const items = ['succeeded', 'queued', 'failed', 'cancelled'].flatMap((status, position) =>
      ['bat_a', 'bat_b'].map((batch_id) => ({ batch_id, position, leader: position, status, attempts: 0 })),
    );
    await query.insertInto('batch_items').values(items).execute();
  });
  const database = await openDatabase({ dataDir });
  const rows = await database.query
    .selectFrom('batch_items')
    .select(['batch_id', 'position', 'finished_no'])
    .orderBy('batch_id')
    .orderBy('position')
    .execute();
  const numbers = (id: string) => rows.filter(({ batch_id }) => batch_id === id).map(({ finished_no }) => finished_no);
  expect([numbers('bat_a'), numbers('bat_b')]).toEqual([
    [1, null, 2, 3],
    [1, null, 2, 3],
  ]);
  await database.close();
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
  for (; ; statement += 7) {
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

/** The names in released databases. Kysely runs migrations in the order of their names, and refuses a new one before these. */
const RELEASED = [
  '0001-accounts',
  '0002-resources',
  '0003-reports',
  '0004-reservations',
  '0005-batches',
  '0006-webhooks',
  '0007-batch-events',
  '0008-template-versions',
  '0009-metadata',
  '0010-key-management',
  '0011-batch-lists',
  '0013-tracing',
];

test('numbers new migrations after all released ones', () => {
  const names = Object.keys(migrations);
  expect(names.slice(0, RELEASED.length)).toEqual(RELEASED);
  expect(names).toEqual(names.toSorted());
});

async function changeApplied(change: (query: Query) => Promise<unknown>): Promise<void> {
  const database = await openDatabase({ dataDir });
  await change(database.query);
  await database.close();
}

test('refuses a database of a newer version', async () => {
  await changeApplied((query) =>
    sql`insert into kysely_migration values ('9999-newer', '2030-01-01T00:00:00.000Z')`.execute(query),
  );
  await expect(openDatabase({ dataDir })).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringContaining('a newer version of Platen'),
  });
});

test('reports a migration below those in the database as an error of this version', async () => {
  await changeApplied((query) => sql`delete from kysely_migration where name = '0011-batch-lists'`.execute(query));
  const refused: unknown = await openDatabase({ dataDir }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'Error', message: expect.stringContaining('it must sort after all others') });
});
