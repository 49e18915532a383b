/** PostgreSQL: concurrent starts, colliding transactions, and a server that is unavailable or silent. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Accounts, type Principal } from '../../src/accounts/accounts.ts';
import { Allowance } from '../../src/accounts/allowance.ts';
import { Leases } from '../../src/accounts/leases.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { Documents } from '../../src/documents/documents.ts';
import { DiskBlobs } from '../../src/storage/blobs/blobs-disk.ts';
import { type Database, inspectDatabase, isOutcomeUnknown, openDatabase } from '../../src/storage/database.ts';
import type { Nodes } from '../../src/storage/engine.ts';
import { checkDatabaseUrl } from '../../src/storage/locations.ts';
import { collisionPauseMs } from '../../src/storage/postgres.ts';
import { joinNodes } from '../../src/storage/postgres-nodes.ts';
import { TemplateAssets } from '../../src/templates/assets.ts';
import { LiquidEngine } from '../../src/templates/liquid/liquid.ts';
import { openTemplates } from '../../src/templates/open-templates.ts';
import { Schemas } from '../../src/templates/schemas.ts';
import { WebhookSecrets } from '../../src/webhooks/secrets.ts';
import { closeAfterAll, makeTestFolder } from '../support/close-after-all.ts';
import { eventually, PLANS } from '../support/service.ts';
import { Between } from './between.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { startPostgres } from './postgres-server.ts';

let url: string;
let opened: Database[];
const server = await startPostgres().then(closeAfterAll);
beforeEach(async () => {
  url = await server.createDatabase();
  opened = [];
});
afterEach(() => Promise.all(opened.map((database) => database.close())));

async function open(databaseUrl = url, databaseConnections = 5): Promise<Database> {
  const database = await openDatabase({ dataDir: '', databaseUrl, databaseConnections });
  opened.push(database);
  return database;
}

/** Joins two nodes. A notice of one must reach the other, and not itself. */
async function joinAndNotify(one: Database, other: Database): Promise<Nodes[]> {
  const received = Promise.withResolvers<string>();
  const own: string[] = [];
  const here = await one.joinNodes({ alone: false, onNotice: (notice) => own.push(notice) });
  const there = await other.joinNodes({ alone: false, onNotice: received.resolve });
  here.notify('changed bat_x');
  expect(await received.promise).toBe('changed bat_x');
  expect(own).toEqual([]);
  return [here, there];
}

async function owner(database: Database, plan = 'growth'): Promise<Principal> {
  const accounts = new Accounts(database, loadPlans({ plansFile: PLANS }));
  const { id } = await accounts.createAccount(plan);
  return (await accounts.authenticate((await accounts.createKey(id)).secret)) as Principal;
}

const insert = (database: Database, id: string) =>
  database.query.insertInto('signing_keys').values({ id, secret: 's', created_at: 1_900_000_000_000 }).execute();
const isReady = async (nodes: Nodes) => {
  try {
    nodes.check();
    return true;
  } catch {
    return false;
  }
};
const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

describe('migrations', () => {
  test('are applied once by several nodes that start together', async () => {
    expect(await inspectDatabase({ dataDir: '', databaseUrl: url })).toBeUndefined();
    const databases = await times(6, () => open());
    await times(6, (n) => insert(databases[n] as Database, `key_${n}`));
    const rows = await databases[0]?.query.selectFrom('signing_keys').select('created_at').execute();
    expect(rows).toEqual(Array.from({ length: 6 }, () => ({ created_at: 1_900_000_000_000 })));
    expect(await inspectDatabase({ dataDir: '', databaseUrl: url })).toEqual({
      ...{ keys: 0, pending: [], unknown: [], plans: [] },
      certificates: {},
    });
  });

  test('of a newer version are refused', async () => {
    await (await open()).close();
    opened = [];
    await server.query(url, "insert into kysely_migration (name, timestamp) values ('9999-newer', '2026-01-01T00:00:00.000Z')");
    await expect(open()).rejects.toMatchObject({ code: 'storage_failed', message: expect.stringContaining('newer version') });
    expect(await inspectDatabase({ dataDir: '', databaseUrl: url })).toMatchObject({ unknown: ['9999-newer'] });
  });

  test.each([
    ['alter table batch_requests rename column ciphertext to sealed', 'batch_requests has no column ciphertext'],
    ['alter table visitor_requests alter column since type text', 'column since of visitor_requests is "text not null"'],
    ['drop index reservations_account', 'reservations has no index reservations_account'],
    ['alter table templates drop constraint templates_key_id_fkey', 'templates has no reference of key_id'],
  ])('on tables that somebody has changed are refused: %s', async (change, difference) => {
    await (await open()).close();
    opened = [];
    await server.query(url, 'create table notes (text text); create index mine on documents (filename)');
    await (await open()).checkSchema();
    await Promise.all(opened.splice(0).map((database) => database.close()));
    await server.query(url, change);
    const found = expect.stringContaining(difference);
    await expect(open()).rejects.toMatchObject({ code: 'storage_failed', message: found });
    expect(await inspectDatabase({ dataDir: '', databaseUrl: url })).toMatchObject({ refusal: { what: found } });
  });
});

describe('transactions', () => {
  test('that wait for each other both complete', async () => {
    const database = await open();
    await insert(database, 'a');
    await insert(database, 'b');
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const rename = (first: string, second: string) =>
      database.transaction(async (query) => {
        const update = (id: string) => query.updateTable('signing_keys').set({ secret: first }).where('id', '=', id).execute();
        await update(first);
        if (++begun === 2) both.resolve();
        await both.promise;
        await update(second);
      });
    await Promise.all([rename('a', 'b'), rename('b', 'a')]);
    const rows = await database.query.selectFrom('signing_keys').select('secret').execute();
    expect(rows[0]).toEqual(rows[1]);
    expect(begun).toBeGreaterThan(2);
  });

  test('that collide again and again are given up', async () => {
    const database = await open(url, 1);
    let begun = 0;
    const collide = (times: number) =>
      database.transaction(async (query) => {
        if (begun++ < times) await sql`do $$ begin raise exception 'met' using errcode = '40P01'; end $$`.execute(query);
      });
    await collide(5);
    expect(begun).toBe(6);
    begun = 0;
    await expect(collide(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: 'storage_failed' });
    expect(begun).toBe(6);
    await insert(database, 'a');
  });

  test('that collide pause at random for longer each time, up to a limit', () => {
    const longest = [0, 1, 2, 3, 4].map((collisions) => collisionPauseMs(collisions, 1));
    expect(longest).toEqual([20, 40, 80, 160, 200]);
    expect(collisionPauseMs(1, 0.25)).toBe(10);
    expect(new Set(Array.from({ length: 10 }, () => collisionPauseMs(4))).size).toBeGreaterThan(1);
  });

  test('of a key at its limit do not exceed it on two nodes', async () => {
    const databases = [await open(), await open()];
    const limits = { maxTemplates: 5, maxTemplateBytes: 1_000_000 };
    const liquid = new LiquidEngine();
    const holder = await owner(databases[0] as Database);
    const blobs = await DiskBlobs.open(await makeTestFolder());
    const nodes = databases.map((database) => {
      const assets = new TemplateAssets(database, blobs, { maxAssets: 1, maxAssetsBytes: 1 });
      return openTemplates(database, Date.now, { liquid, schemas: new Schemas(), assets }, limits);
    });
    const changesOf = (n: number) => (nodes[n % 2] as ReturnType<typeof openTemplates>).templateChanges;
    const draft = { name: 'x', html: '<p>', engine: 'placeholders', metadata: {} } as const;
    const made = await times(20, (n) =>
      changesOf(n)
        .create(holder, draft)
        .catch((error: Error) => error),
    );
    const templates = made.flatMap((each) => (each instanceof Error ? [] : each));
    expect(templates).toHaveLength(5);
    expect(made.filter((each) => each instanceof Error)).toMatchObject(Array(15).fill({ code: 'template_limit' }));
    const { id } = templates[0] ?? { id: '' };
    await times(20, (n) => changesOf(n).replace(holder, id, { html: `<p>${n}` }));
    expect((await nodes[0]?.templates.versions(holder, id))?.map(({ version }) => version)).toEqual(
      Array.from({ length: 21 }, (_, n) => 21 - n),
    );
    await liquid.close();
  });

  test('use a month to its last document and no further on two nodes', async () => {
    const databases = [await open(), await open()];
    const principal = await owner(databases[0] as Database);
    const limited = { ...principal, plan: { ...principal.plan, documents: 10 } };
    const leases = new Leases(Date.now);
    const nodes = databases.map((database) => new Allowance(database, Date.now, leases));
    const taken = await times(60, async (n) => {
      const allowance = nodes[n % 2] as Allowance;
      const reservation = await allowance.reserve(limited).catch(() => undefined);
      if (reservation) await (n % 3 ? allowance.commit(reservation) : allowance.release(reservation));
      return reservation && n % 3 ? 1 : 0;
    });
    const charged = taken.reduce((sum: number, one) => sum + one, 0);
    expect(charged).toBeLessThanOrEqual(10);
    expect((await nodes[0]?.usage(principal.accountId))?.used).toBe(charged);
    leases.stop();
  });

  test('that replace the secret of an account at once run in sequence', async () => {
    const databases = [await open(), await open()];
    const { accountId } = await owner(databases[0] as Database);
    const nodes = databases.map((database) => new WebhookSecrets(database, Date.now));
    await times(6, (n) => (nodes[n % 2] as WebhookSecrets).rotate(accountId));
    const secrets = await (nodes[0] as WebhookSecrets).of(accountId);
    expect(secrets).toHaveLength(4);
    expect(secrets.filter(({ validUntil }) => validUntil === null)).toHaveLength(1);
  });
});

test('with a character that PostgreSQL cannot store are the fault of the caller', async () => {
  const database = await open();
  await expect(insert(database, 'a\0b')).rejects.toMatchObject({ code: 'invalid_request' });
  await insert(database, 'a');
});

describe('a server that', () => {
  test('ends is a storage failure until it is back', async () => {
    const database = await open();
    await insert(database, 'before');
    await server.kill();
    await expect(insert(database, 'meanwhile')).rejects.toMatchObject({ code: 'storage_failed', retryAfterSeconds: 30 });
    await expect(database.transaction((query) => query.deleteFrom('signing_keys').execute())).rejects.toMatchObject({
      code: 'storage_failed',
    });
    await server.start();
    await insert(database, 'after');
    const rows = await database.query.selectFrom('signing_keys').select('id').orderBy('id').execute();
    expect(rows).toEqual([{ id: 'after' }, { id: 'before' }]);
  });

  test('has no connection left does not block callers forever', async () => {
    const database = await open(url, 3);
    const end = Promise.withResolvers<void>();
    const holding = times(3, () => database.transaction(() => end.promise));
    await expect(insert(database, 'late')).rejects.toMatchObject({ code: 'storage_failed' });
    end.resolve();
    await holding;
    await insert(database, 'later');
  });

  test('keeps connections for others while transactions of one name wait for each other', async () => {
    const database = await open(url, 2);
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const order: number[] = [];
    const waiting = times(10, (n) =>
      database.transaction(async () => {
        order.push(n);
        begun.resolve();
        await end.promise;
        if (n === 3) throw new Error('fails');
      }, 'one name'),
    );
    const failure = waiting.catch((error: Error) => error.message);
    await begun.promise;
    await insert(database, 'meanwhile');
    end.resolve();
    expect(await failure).toBe('fails');
    await database.transaction(async () => {}, 'one name');
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('does not answer a commit leaves its content in place', async () => {
    await using between = await Between.start(url);
    const through = new URL(url);
    through.port = new URL(between.url).port;
    const database = await open(through.href, 3);
    const folder = await makeTestFolder();
    const blobs = await DiskBlobs.open(folder);
    const documents = new Documents(database, blobs, Date.now);
    const holder = await owner(database);
    const [chunks, report] = [[randomBytes(10)], { warning_count: 0 }];
    const draft = { chunks, bytes: 10, pages: 1, filename: undefined, source: 'html', templateId: undefined, report } as const;
    const document = await documents.write({ ...draft, metadata: {} }, 60_000);
    const storing = database.transaction(async (query) => {
      await documents.insert(document, holder, query);
      between.standStill();
    });
    const failure = await storing.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'storage_failed' });
    expect(isOutcomeUnknown(failure)).toBe(true);
    await documents.discard(document, failure);
    between.goOn();
    expect(await blobs.read(document.id).then((content) => content?.destroy())).toBeDefined();
    expect((await documents.find(holder.keyId, document.id).catch((error: unknown) => error)) as object).toBeDefined();
    await insert(database, 'after');
  });
});

describe('nodes', () => {
  test('run exclusive work in turns', async () => {
    const [one, other] = [await open(), await open()];
    const done: string[] = [];
    await one.exclusively('sweep', async () => {
      await other.exclusively('sweep', async () => void done.push('other, at the same time'));
      await other.exclusively('another', async () => void done.push('another'));
      done.push('one');
    });
    await other.exclusively('sweep', async () => void done.push('other'));
    expect(done).toEqual(['another', 'one', 'other']);
  });

  test('notify each other', async () => {
    const [one, other] = [await open(), await open()];
    const joined = await joinAndNotify(one, other);
    await Promise.all(joined.map((node) => node.close()));
  });

  test('that must run alone are not ready if another joined while they were disconnected', async () => {
    await using between = await Between.start(url);
    const through = new URL(url);
    through.port = new URL(between.url).port;
    const [first, second] = [await open(), await open()];
    const refused = Promise.withResolvers<unknown>();
    const away = await joinNodes(through.href, { alone: true, onNotice: () => {}, onRefused: refused.resolve });
    away.check();
    between.standStill();
    between.dropAll();
    let other: Nodes | undefined;
    await eventually('the other has joined', async () => {
      other = await first.joinNodes({ alone: true, onNotice: () => {} }).catch(() => undefined);
      return other !== undefined;
    });
    between.goOn();
    expect(await refused.promise).toMatchObject({ code: 'storage_failed' });
    expect(() => away.check()).toThrow('another node');
    await other?.close();
    await eventually('it has joined again', () => isReady(away));
    await expect(second.joinNodes({ alone: true, onNotice: () => {} })).rejects.toMatchObject({ code: 'storage_failed' });
    await away.close();
  });

  test('that must run alone do not start next to each other', async () => {
    const [one, other] = [await open(), await open()];
    const onNotice = () => {};
    const shared = await one.joinNodes({ alone: false, onNotice });
    await expect(other.joinNodes({ alone: true, onNotice })).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('PLATEN_BLOBS_URL'),
    });
    await shared.close();
    const alone = await other.joinNodes({ alone: true, onNotice });
    await expect(one.joinNodes({ alone: false, onNotice })).rejects.toMatchObject({ code: 'storage_failed' });
    await alone.close();
  });
});

describe('a database that the operator has set up in another way', () => {
  const as = (user: string, parameters = '') => `${url.replace('platen@', `${user}@`)}${parameters}`;
  const execute = async (...statements: string[]) => {
    for (const statement of statements) await server.query(url, statement);
  };
  const refusal = (message: string) => ({ code: 'storage_failed', message: expect.stringContaining(message) });

  test('says so if the user may not create tables, as in the schema public of PostgreSQL 15', async () => {
    await execute('create role ordinary login', 'revoke create on schema public from public');
    await expect(open(as('ordinary'))).rejects.toMatchObject(refusal('the owner of the database'));
    await execute(`alter database ${new URL(url).pathname.slice(1)} owner to ordinary`, 'alter schema public owner to ordinary');
    await insert(await open(as('ordinary')), 'a');
  });

  test('may have tables of the same names in other schemas, but no second installation', async () => {
    await execute('create schema other', 'create table other.kysely_migration (name text)', 'create schema mine');
    expect(await inspectDatabase({ dataDir: '', databaseUrl: url })).toBeUndefined();
    const mine = as('platen', '?options=-csearch_path%3Dmine');
    await insert(await open(mine), 'a');
    expect(await inspectDatabase({ dataDir: '', databaseUrl: mine })).toMatchObject({ pending: [] });
    expect(await server.query(url, 'select id from mine.signing_keys')).toEqual([{ id: 'a' }]);
    await expect(open()).rejects.toMatchObject(refusal('in the schema mine'));
    await expect(open(as('platen', '?options=-csearch_path%3Dnone'))).rejects.toMatchObject(refusal('search_path'));
  });

  test('cannot be written after a failover, which costs the connection', async () => {
    await (await open()).query.selectFrom('signing_keys').select('id').execute();
    await execute('create role moved login superuser', 'alter role moved set default_transaction_read_only = on');
    const database = await open(as('moved'));
    await expect(insert(database, 'a')).rejects.toMatchObject(refusal('cannot be written'));
    await execute('alter role moved reset default_transaction_read_only');
    await insert(database, 'b'); // a new connection reaches a server that can be written
  });

  test('is reached by a Unix socket, with a password of all characters', async () => {
    const password = `a:b/c?d#e%f@g h+ü'`;
    await execute(`create role odd login password 'a:b/c?d#e%f@g h+ü'''`, `grant all on schema public to odd`);
    const { port, pathname } = new URL(url);
    const user = `odd:${encodeURIComponent(password)}`;
    for (const address of [`${user}@`, `${user}@localhost`]) {
      const databaseUrl = `postgres://${address}${pathname}?host=${server.folder}&port=${port}`;
      checkDatabaseUrl(databaseUrl);
      await open(databaseUrl);
    }
  });
});

describe('PgBouncer', () => {
  test('in session mode keeps locks, notices and time limits apart', async () => {
    await using bouncer = await startPgBouncer(server.port, 'session');
    const [one, other] = [await open(bouncer.urlOf(url)), await open(bouncer.urlOf(url))];
    const joined = await joinAndNotify(one, other);
    const limits = await sql<object>`show statement_timeout`.execute(one.query);
    expect(limits.rows).toEqual([{ statement_timeout: '15s' }]);
    await Promise.all(joined.map((node) => node.close()));
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });

  test('in transaction mode is refused', async () => {
    await using bouncer = await startPgBouncer(server.port, 'transaction');
    const database = await open(bouncer.urlOf(url));
    const joined = database.joinNodes({ alone: true, onNotice: () => {} });
    await expect(joined).rejects.toMatchObject({ code: 'storage_failed', message: expect.stringContaining('transaction mode') });
    await database.close();
    opened = [];
  });
});
