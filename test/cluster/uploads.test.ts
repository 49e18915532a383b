/** Uploads on PostgreSQL, where statements do not see uncommitted rows of other transactions. */
import { expect, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { type Announce, announceUploaded, countOutcomes } from '../../src/batches/outcomes.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { eventually, PLANS } from '../support/service.ts';
import { startPostgres } from './postgres-server.ts';

const server = await startPostgres().then(closeAfterAll);
const url = await server.createDatabase();
const database = await openDatabase({ dataDir: '', databaseUrl: url, databaseConnections: 2 }).then(closeAfterAll);
const other = await openDatabase({ dataDir: '', databaseUrl: url, databaseConnections: 2 }).then(closeAfterAll);

/** One of two items is finished and its result is being uploaded. */
async function createBatch(batchId: string): Promise<void> {
  const accounts = new Accounts(database, loadPlans({ plansFile: PLANS }));
  const { id: account_id } = await accounts.createAccount('growth');
  const { key } = await accounts.createKey(account_id);
  const owner = { key_id: key.id, account_id };
  const counts = { total: 2, unfinished: 1, succeeded: 1, failed: 0, cancelled: 0 };
  const times = { created_at: 1, started_at: 1, cancelled_at: null, completed_at: null, kept_until: 1 };
  await database.query
    .insertInto('batches')
    .values({ id: batchId, ...owner, ...counts, ...times, webhook_url: 'http://hooks.test/', metadata: null, traceparent: null })
    .execute();
  const upload = {
    id: `upl_${batchId}`,
    ...owner,
    type: 'upload',
    url: 'https://bucket.test',
    host: 'bucket.test',
    payload: '1 x',
  };
  const delivery = {
    status: 'pending' as const,
    attempts: 1,
    created_at: 1,
    lease_until: 9,
    batch_id: batchId,
    batch_position: 0,
  };
  await database.query
    .insertInto('webhook_deliveries')
    .values({ ...upload, ...delivery })
    .execute();
}

test.each(['the last item', 'the upload'])('ends a batch once if %s is committed last', async (last) => {
  const batchId = `bat_${last.length}`;
  await createBatch(batchId);
  const events: string[] = [];
  const announce: Announce = async ({ type }) => events.push(type);
  const endItem: Work = async (query) =>
    void (await countOutcomes(query, batchId, { status: 'failed', positions: [1], now: 2 }, announce));
  const endUpload: Work = async (query) => {
    await query.updateTable('webhook_deliveries').set({ status: 'delivered' }).where('batch_id', '=', batchId).execute();
    await announceUploaded(query, batchId, announce);
  };
  await overlapping(...((last === 'the upload' ? [endItem, endUpload] : [endUpload, endItem]) as [Work, Work]));
  expect(events).toEqual(['batch.completed']);
});

type Work = Parameters<Database['transaction']>[0];

/** Runs the second while the first has finished but is not committed. The second ends, or waits for the first. */
async function overlapping(first: Work, second: Work): Promise<void> {
  const isDone = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const one = database.transaction(async (query) => {
    await first(query);
    isDone.resolve();
    await mayCommit.promise;
  });
  await isDone.promise;
  let isOver = false;
  const two = other.transaction(second).finally(() => {
    isOver = true;
  });
  const waiting = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually('the second has ended or waits', async () => isOver || (await server.query(url, waiting))[0]?.count === '1');
  mayCommit.resolve();
  await Promise.all([one, two]);
}
