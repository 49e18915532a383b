/** Locks of PostgreSQL: turns, a node that lost its lock, and a key that is revoked while it creates another. */
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { eventually, PLANS } from '../support/service.ts';
import { startPostgres } from './postgres-server.ts';

let url: string;
let opened: Database[];
let session: pg.Client;
const server = await startPostgres().then(closeAfterAll);
beforeEach(async () => {
  url = await server.createDatabase();
  opened = [];
  session = new pg.Client({ connectionString: url, application_name: 'the test' });
  await session.connect();
});
afterEach(async () => {
  await session.end();
  await Promise.all(opened.map((database) => database.close()));
});

async function open(): Promise<Database> {
  const database = await openDatabase({ dataDir: '', databaseUrl: url, databaseConnections: 5 });
  opened.push(database);
  return database;
}

const insert = (database: Pick<Database, 'query'>, id: string) =>
  database.query.insertInto('signing_keys').values({ id, secret: 's', created_at: 1 }).execute();

async function idsIn(database: Database): Promise<string[]> {
  return (await database.query.selectFrom('signing_keys').select('id').orderBy('id').execute()).map(({ id }) => id);
}

/** Resolves when a connection with this name waits for a lock. */
async function waits(name: string): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where application_name = '${name}' and wait_event_type = 'Lock' and datname = current_database()`;
  await eventually(`${name} waits for a lock`, async () => (await server.query(url, waiting)).length > 0);
}

test('gives up a turn that does not come, and keeps the order of the following ones', async () => {
  const database = await open();
  const end = Promise.withResolvers<void>();
  const order: number[] = [];
  const first = database.transaction(() => end.promise, 'one name');
  const late = database.transaction(async () => void order.push(1), 'one name').catch((error: unknown) => error);
  expect(await late).toMatchObject({ code: 'storage_failed', retryAfterSeconds: 30 });
  const waiting = [2, 3, 4].map((n) => database.transaction(async () => void order.push(n), 'one name'));
  await database.transaction(async () => void order.push(0), 'another name');
  end.resolve();
  await Promise.all([first, ...waiting]);
  expect(order).toEqual([0, 2, 3, 4]);
});

test('pauses a node that lost its lock, without commits, until it has it again', async () => {
  const database = await open();
  const refused = Promise.withResolvers<unknown>();
  const nodes = await database.joinNodes({ alone: true, onNotice: () => {}, onRefused: refused.resolve });
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open_ = database.transaction(async (query) => {
    await insert({ query }, 'begun before');
    begun.resolve();
    await goOn.promise;
  });
  await begun.promise;
  const taking = session.query("select pg_advisory_lock(hashtext('platen nodes'), 0)"); // waits in line for the lock of the node
  await waits('the test');
  await server.query(url, "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'platen nodes'");
  await taking;
  expect(await refused.promise).toMatchObject({ code: 'storage_failed' });
  expect(() => nodes.check()).toThrow('another node');
  goOn.resolve();
  await expect(open_).rejects.toThrow('another node');
  await expect(insert(database, 'refused')).rejects.toThrow('another node');
  const swept: string[] = [];
  await expect(database.exclusively('sweep', async () => void swept.push('something'))).rejects.toThrow('another node');
  expect(swept).toEqual([]);
  await session.query("select pg_advisory_unlock(hashtext('platen nodes'), 0)");
  await eventually('it works again', () =>
    insert(database, 'after').then(
      () => true,
      () => false,
    ),
  );
  nodes.check();
  expect(await idsIn(database)).toEqual(['after']);
  await nodes.close();
});

test('leaves no new key behind when its maker is revoked meanwhile', async () => {
  const [here, there] = [await open(), await open()].map((database) => new Accounts(database, loadPlans({ plansFile: PLANS })));
  if (!here || !there) throw new Error('two nodes');
  const { id: accountId } = await here.createAccount('growth');
  const { key } = await here.createKey(accountId);
  await session.query(`
    create function hold() returns trigger as $$ begin perform pg_advisory_xact_lock(42); return new; end $$ language plpgsql;
    create trigger held before insert on api_keys for each row execute function hold();
    select pg_advisory_lock(42)`);
  const making = here.keys.create(accountId, { madeBy: key.id });
  await waits('platen'); // its key is written, and not committed
  const revoking = there.keys.revoke(undefined, key.id);
  await eventually('both wait', async () => {
    const waiting =
      "select 1 from pg_stat_activity where application_name = 'platen' and wait_event_type = 'Lock' and datname = current_database()";
    return (await server.query(url, waiting)).length === 2;
  });
  await session.query('select pg_advisory_unlock(42)');
  const [{ key: made, secret }] = await Promise.all([making, revoking]);
  expect((await here.keys.find(undefined, made.id)).revokedAt).not.toBeNull();
  expect(await there.authenticate(secret)).toBeUndefined();
  await expect(here.keys.create(accountId, { madeBy: key.id })).rejects.toMatchObject({ code: 'unauthorized' });
});
