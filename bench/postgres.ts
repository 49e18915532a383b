/**
 * Is the database fast with many rows, on PostgreSQL and on SQLite, and does every statement of a render use an index? What do
 * PostgreSQL and S3 cost compared with SQLite and disk? PLATEN_BENCH_DATABASE_URL names an empty database; without it, the bench
 * starts a server. S3 is a local versitygw.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { loadConfig } from '../src/config.ts';
import { openServices, type Services } from '../src/services.ts';
import { putTurns } from '../src/storage/turns.ts';
import { startPostgres } from '../test/cluster/postgres-server.ts';
import { S3_CREDENTIALS, startS3 } from '../test/cluster/s3-server.ts';
import { invoice } from './documents.ts';
import { fill, HOT, NOW } from './many-rows.ts';
import { alternate, median, quantile, type Row, rowWithLimit, runClosedLoop, time } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const MAX_MS = 20;
const TIMES = 100;
const ROUNDS = 5;
const SECONDS = 4;
/** Jobs that the first run adds. Later runs find them waiting. */
const TURNS = {
  ...{ task: 'item', owners: Array.from({ length: 200 }, (_, n) => `key_${n}`) },
  ...{ isLater: false, delayMs: 0, unlessWaiting: true },
};
/** SQLite may scan the values in a statement, and the reservations, because there are only as many as active renders. */
const SCANNED = /^SCAN (?!open_keys|family|CONSTANT|reservations)/;
/** PostgreSQL scans a table with fewer rows even if an index fits. */
const FEW_ROWS = 1_000;

interface Engine {
  name: string;
  settings: Record<string, string>;
  run(statement: string): Promise<unknown>;
  /** Returns the scans of large tables in the query plans of the statements. */
  scansOf(statements: Statement[]): Promise<string[]>;
  close(): Promise<void>;
}

interface Statement {
  text: string;
  values: unknown[];
}

export async function* measurePostgres(): AsyncGenerator<Row> {
  Object.assign(process.env, S3_CREDENTIALS);
  const given = process.env.PLATEN_BENCH_DATABASE_URL;
  await using server = given === undefined ? await startPostgres() : undefined;
  for (const engine of [await openPostgres(given ?? (await server?.createDatabase()) ?? ''), await openSqlite()]) {
    yield* measureLookups(engine);
    await engine.close();
  }
  if (server) yield* measureNodes(await server.createDatabase());
}

async function openPostgres(databaseUrl: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    name: 'PostgreSQL',
    settings: { PLATEN_DATABASE_URL: databaseUrl, PLATEN_DATA_DIR: folder },
    run: (statement) => client.query(statement),
    async scansOf(statements) {
      const scans: string[] = [];
      for (const { text, values } of statements) {
        await client.query('begin');
        const explainOptions = text.startsWith('insert') ? 'format json' : 'analyze, format json'; // `analyze` would execute the insert again, which fails
        const { rows } = await client.query(`explain (${explainOptions}) ${text}`, values);
        await client.query('rollback');
        scans.push(...scansIn(rows[0]['QUERY PLAN'][0].Plan, text));
      }
      return scans;
    },
    async close() {
      await client.end();
      await rm(folder, { recursive: true });
    },
  };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Plan Rows': number;
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function scansIn(node: PlanNode, text: string): string[] {
  const read = (node['Actual Rows'] ?? node['Plan Rows']) + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Node Type'] === 'Seq Scan' && read > FEW_ROWS ? [`${node['Relation Name']} (${read} rows): ${text}`] : [];
  return [...own, ...(node.Plans ?? []).flatMap((child) => scansIn(child, text))];
}

async function openSqlite(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  let opened: DatabaseSync | undefined;
  const database = () => (opened ??= new DatabaseSync(join(folder, 'platen.db')));
  return {
    name: 'SQLite',
    settings: { PLATEN_DATA_DIR: folder },
    run: async (statement) => (statement === 'vacuum analyze' ? undefined : database().exec(statement)), // the service never runs it
    async scansOf(statements) {
      return statements.flatMap(({ text }) => {
        const plan = database().prepare(`explain query plan ${text}`).all();
        const scans = plan.map(({ detail }) => `${detail}`).filter((detail) => SCANNED.test(detail));
        return scans.map((detail) => `${detail}: ${text}`);
      });
    },
    async close() {
      opened?.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Records the statements of both drivers while `work` runs. */
async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const recorded = new Map<string, Statement>();
  const note = (text: unknown, values: unknown) => {
    if (typeof text !== 'string' || !/^\s*(select|insert|update|delete|with)/.test(text)) return;
    recorded.set(text, { text, values: Array.isArray(values) ? values : [] });
  };
  const { query } = pg.Client.prototype;
  const { prepare } = DatabaseSync.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    note(args[0], args[1]);
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  DatabaseSync.prototype.prepare = function (text, ...rest) {
    note(text, []);
    return prepare.call(this, text, ...rest);
  };
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
    DatabaseSync.prototype.prepare = prepare;
  }
  return [...recorded.values()];
}

async function* measureLookups(engine: Engine): AsyncGenerator<Row> {
  const settings = loadConfig({ ...engine.settings, PLATEN_LOG_LEVEL: 'silent' }).services;
  const first = await openServices(settings, () => NOW);
  await first.close();
  const fillMs = await time(() => fill(engine.run));
  await engine.run('vacuum analyze'); // the server does this by itself within minutes
  process.stdout.write(`${engine.name}: filled in ${Math.round(fillMs / 1000)} s\n`);
  const services = await openServices(settings, () => NOW);
  for (const [what, work] of Object.entries(worksOf(services))) {
    const scans = await engine.scansOf(await recordStatements(work));
    const { times } = await alternate(TIMES, { times: () => time(work) });
    for (const scan of scans) process.stdout.write(`${engine.name}, ${what}: reads all of ${scan}\n`);
    const [p50Ms, p99Ms] = [median(times), quantile(times, 0.99)];
    yield {
      measure: `${engine.name}: ${what}`,
      value: `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; ${scans.length ? `${scans.length} scans` : 'every statement uses an index'}`,
      target: `p50 under ${MAX_MS} ms, and no scan`,
      met: p50Ms < MAX_MS && !scans.length,
      figures: { p50Ms, p99Ms, scans: scans.length },
    };
  }
  await services.close();
}

function worksOf({ accounts, allowance, documents, idempotency, batches, batchQueue, webhooks, plans, database }: Services) {
  const plan = plans.all.find(({ documents: limit }) => limit !== 0) ?? plans.all[0];
  if (!plan) throw new Error('there are plans');
  const limited = { ...plan, documents: 1_000_000, requestsPerMinute: 1_000_000, concurrency: 1_000 };
  const principal = { ...HOT, plan: limited, autoStore: false, scopes: null, isTest: false };
  const { keyId, accountId, templateId } = HOT;
  let count = 0;
  const draft = () => ({
    ...{
      id: `doc_new${String(++count).padStart(19, '0')}`,
      filename: 'x.pdf',
      bytes: 1,
      pages: 1,
      sha256: 'x',
      source: 'html' as const,
    },
    ...{ templateId: null, metadata: { tenant: '1' }, createdAt: NOW, expiresAt: NOW + 1e9, report: { warning_count: 0 } },
  });
  const middle = { createdAt: NOW - 200 * 86_400_000, id: 'doc_x' };
  return {
    'the charge, with a document': async () => {
      const reservation = await allowance.reserve(principal);
      await allowance.commit(reservation, { pages: 1, bytes: 1_000 }, (query) => documents.insert(draft(), principal, query));
    },
    'a charge that is given back': async () => allowance.release(await allowance.reserve(principal)),
    'the key of a request': () => accounts.findPrincipal(keyId),
    'an Idempotency-Key': async () => {
      const claim = await idempotency.claim(keyId, `name ${++count}`, 'x');
      if ('id' in claim) await idempotency.completeAlone(claim, { kind: 'not_kept' });
    },
    'a document': () => documents.find(keyId, `doc_${'0'.repeat(22)}`),
    'documents, first page': () => documents.list(keyId, 50, {}),
    'documents, from the middle': () => documents.list(keyId, 50, {}, middle),
    'documents of a template': () => documents.list(keyId, 50, { templateId }),
    'documents by metadata': () => documents.list(keyId, 50, { metadata: { tenant: '1' } }),
    'documents by metadata, of a template': () => documents.list(keyId, 50, { metadata: { tenant: '0' }, templateId }),
    'documents by a part of the name': () => documents.list(keyId, 50, { text: 'voice 9' }),
    'usage of a month': () => allowance.usage(accountId),
    'what is stored (it adds up all documents)': () => documents.readStorage(accountId),
    'deliveries, first page': () => webhooks.list(keyId, 50),
    'batches, first page': () => batches.list(keyId, 50, {}),
    'keys with work': () => batchQueue.keysWithWork(),
    ...(database.isShared && { 'turns of 200 keys, as recovery gives them': () => putTurns(database.query, TURNS) }),
    'an item of a batch, claimed and failed': async () => {
      const item = await batchQueue.claim(keyId);
      if (item) await batchQueue.complete(item, { status: 'failed', error: { code: 'print_failed', detail: '' } });
    },
    'what the sweep looks for': async () => {
      await documents.dueContent(50);
      await idempotency.dueContent(50);
      await database.query.selectFrom('batches').select('id').where('id', '=', 'bat_x').execute();
    },
  };
}

/** Compares nodes on SQLite and on PostgreSQL. Each ratio is of one round. */
async function* measureNodes(databaseUrl: string): AsyncGenerator<Row> {
  await using s3 = await startS3();
  const settings = { PLATEN_DATABASE_URL: databaseUrl, PLATEN_BLOBS_URL: s3.urlOf(await s3.createBucket()) };
  await using embedded = await startService(1);
  await using shared = await startService(1, settings);
  for (const [what, body, least] of [
    ['not storing', {}, 0.85],
    ['storing', { store: true }, 0.7],
  ] as const) {
    const renderWith = (service: ServiceUnderTest) => async () =>
      (await runClosedLoop(4, SECONDS, () => service.render({ html: invoice(20), ...body }))).perSecond;
    const rates = await alternate(ROUNDS, { embedded: renderWith(embedded), shared: renderWith(shared) }, { warmUp: 1 });
    const ratio = median(rates.shared.map((rate, round) => rate / (rates.embedded[round] ?? 1)));
    const [sharedPerSecond, embeddedPerSecond] = [median(rates.shared), median(rates.embedded)];
    yield rowWithLimit(
      `one node on PostgreSQL and S3 against SQLite and disk, ${what}, 4 clients`,
      `${ratio.toFixed(2)} (${sharedPerSecond.toFixed(0)}/s against ${embeddedPerSecond.toFixed(0)}/s)`,
      { ratio, sharedPerSecond, embeddedPerSecond },
      { limited: ratio, least },
    );
  }
}
