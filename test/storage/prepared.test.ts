/** Prepared statements return the same as statements that are compiled each time. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareQuery } from '../../src/storage/prepared.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

const dataDir = await makeFolder();
const database = await openTestDatabase(dataDir).then(closeAfterAll);

const insertKey = prepareQuery((query, { id, secret }: { id: string; secret: string }) =>
  query.insertInto('signing_keys').values({ id, secret, created_at: 7 }),
);
const selectKey = prepareQuery((query, { id }: { id: string }) =>
  query.selectFrom('signing_keys').selectAll().where('id', '=', id),
);

test('combines the values of each call with the constants of the statement', async () => {
  const ids = Array.from({ length: 50 }, (_, n) => `all-${n}`);
  await Promise.all(ids.map((id) => insertKey(database.query, { id, secret: `secret of ${id}` })));
  const results = await Promise.all(ids.map((id) => selectKey(database.query, { id })));
  expect(results.flatMap(({ rows }) => rows)).toEqual(ids.map((id) => ({ id, secret: `secret of ${id}`, created_at: 7 })));
});

test('runs in the transaction of the call', async () => {
  const failing = database.transaction(async (query) => {
    await insertKey(query, { id: 'undone', secret: 's' });
    expect((await selectKey(query, { id: 'undone' })).rows).toHaveLength(1);
    throw new Error('undo');
  });
  await expect(failing).rejects.toThrow('undo');
  expect((await selectKey(database.query, { id: 'undone' })).rows).toEqual([]);
});

test('works on another database', async () => {
  const other = await openTestDatabase(join(dataDir, 'other'));
  await insertKey(database.query, { id: 'here', secret: 's' });
  expect((await selectKey(other.query, { id: 'here' })).rows).toEqual([]);
  await other.close();
});

test('is compiled once', async () => {
  let times = 0;
  const select = prepareQuery((query, { id }: { id: string }) => {
    times++;
    return query.selectFrom('signing_keys').select('id').where('id', '=', id);
  });
  for (const id of ['a', 'b', 'c']) await select(database.query, { id });
  await database.transaction(async (query) => void (await select(query, { id: 'd' })));
  expect(times).toBe(1);
});

test('cannot depend on the values of its first call', () => {
  const compares = prepareQuery((query, { limit }: { limit: number }) =>
    query.selectFrom('signing_keys').select('id').where('created_at', '<', Math.min(limit, 5)),
  );
  expect(() => compares(database.query, { limit: 9 })).toThrow('cannot depend on limit');
  const spreads = prepareQuery((query, row: { id: string; secret: string; created_at: number }) =>
    query.insertInto('signing_keys').values({ ...row }),
  );
  expect(() => spreads(database.query, { id: 'x', secret: 's', created_at: 1 })).toThrow('by name');
});
