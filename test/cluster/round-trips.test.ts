/** Round trips of a render to PostgreSQL, and writes that stay in their transaction. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { prepareWrite } from '../../src/storage/prepared.ts';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { startService } from '../support/service.ts';
import { Between } from './between.ts';
import { startPostgres } from './postgres-server.ts';
import { S3_CREDENTIALS, startS3 } from './s3-server.ts';

const server = await startPostgres().then(closeAfterAll);

/** Returns the fewest of several measurements, because renewed leases and checks of connections add round trips. */
async function fewest(between: Between, expected: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 100 && least > expected; n++) {
    const before = between.roundTrips;
    await work();
    least = Math.min(least, between.roundTrips - before);
  }
  return least;
}

test('needs a fixed number of round trips for a render, and one more for a template', async () => {
  const address = await server.createDatabase();
  await using between = await Between.start(address);
  const direct = new URL(address);
  const through = new URL(address);
  through.port = new URL(between.url).port;
  await using s3 = await startS3();
  await using service = await startService({
    ...S3_CREDENTIALS,
    PLATEN_DATABASE_URL: through.href,
    PLATEN_BLOBS_URL: s3.urlOf(await s3.createBucket()),
  });
  expect(through.port).not.toBe(direct.port);
  const ada = new Client(service.url, service.key);
  const narrow = new Client(service.url, (await service.createKey('narrow')).key);
  const { template_id } = await ada.template('<p>{{name}}', { assets: { 'a.css': { content: '' } } });
  const rendering = (client: Client, body: object) => async () => {
    const { status } = await client.send('POST', '/v1/pdf', body);
    expect(status).toBeLessThan(202);
  };
  // The key; the month, and its commit; the end of the reservation, and the commit. The limit of a plan asks whether there is a place.
  const trips: Array<[number, () => Promise<void>]> = [
    [5, rendering(ada, { html: '<p>x' })],
    [5, rendering(ada, { html: '<p>x', store: true })],
    [5, rendering(ada, { html: '<p>x', store: true, metadata: { a: 'b' } })],
    [6, rendering(narrow, { html: '<p>x', store: true })],
    [6, rendering(ada, { template_id, data: { name: 'x' } })],
  ];
  const found: number[] = [];
  for (const [expected, render] of trips) found.push(await fewest(between, expected, render));
  expect(found).toEqual(trips.map(([expected]) => expected));
});

describe('a write without a result', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ dataDir: '', databaseUrl: await server.createDatabase(), databaseConnections: 1 });
  });
  afterAll(() => database.close());

  const write = prepareWrite((query, { id }: { id: string }) =>
    query.insertInto('signing_keys').values({ id, secret: 's', created_at: 1 }),
  );
  const ids = async () =>
    (await database.query.selectFrom('signing_keys').select('id').orderBy('id').execute()).map(({ id }) => id);

  test('is visible to later statements and after the commit', async () => {
    await database.transaction(async (query) => {
      await write(query, { id: 'one' });
      expect(await query.selectFrom('signing_keys').select('id').execute()).toEqual([{ id: 'one' }]);
      await write(query, { id: 'two' });
    });
    await write(database.query, { id: 'alone' });
    expect(await ids()).toEqual(['alone', 'one', 'two']);
  });

  test('makes the commit fail if it fails, and is undone with it', async () => {
    const before = await ids();
    const failing = database.transaction(async (query) => {
      await write(query, { id: 'three' });
      await write(query, { id: 'one' });
      await write(query, { id: 'four' });
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' }); // the error of the statement itself, not that the transaction was aborted
    expect(await ids()).toEqual(before);
  });

  test('is undone with its transaction, sent or not', async () => {
    const before = await ids();
    for (const isSent of [false, true]) {
      const failing = database.transaction(async (query) => {
        await write(query, { id: 'five' });
        if (isSent) await query.selectFrom('signing_keys').select('id').execute();
        throw new Error('undo');
      });
      await expect(failing).rejects.toThrow('undo');
    }
    await database.transaction(async () => {});
    expect(await ids()).toEqual(before);
  });
});
