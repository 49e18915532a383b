/** `platen migrate-store` copies a data folder to PostgreSQL and S3. It is killed, resumed, and refused where it would do harm. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, type List, type TemplateRecord, type UsageRecord } from '../support/client.ts';
import { blobFiles } from '../support/data-folder.ts';
import { eventually, runCli, type Service, spawnCli, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { Between } from './between.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { S3_CREDENTIALS, type S3Server, startS3 } from './s3-server.ts';

interface Batch {
  batch_id: string;
  completed_at?: string;
  succeeded: number;
}

/** The data before the migration. */
interface Origin {
  key: string;
  documents: DocumentRecord[];
  deleted: string;
  template: TemplateRecord;
  usage: UsageRecord;
  kept: Buffer;
  batch: Batch;
}

const ITEMS = 6;
/** Objects sent of 13, eight at a time: the mark, and of 11 documents and one reply ten, so that a document has arrived, and not all. */
const SENT = 11;

let postgres: PostgresServer;
let s3: S3Server;
let folder: string;
let original: string;
let origin: Origin;
/** A copy of the folder for each test. */
let dataDir: string;
let env: Record<string, string>;
let databaseUrl: string;
let bucket: string;
beforeAll(async () => {
  Object.assign(process.env, S3_CREDENTIALS);
  folder = await mkdtemp(join(tmpdir(), 'platen-migrate-'));
  original = join(folder, 'original');
  const settings = { PLATEN_DATA_DIR: original, PLATEN_CONCURRENCY: '1', PLATEN_PLAYGROUND: 'off' };
  const service = await startService(settings);
  [postgres, s3, origin] = await Promise.all([startPostgres(), startS3(), fill(service)]);
  service.child.removeAllListeners('exit');
  service.child.kill('SIGKILL'); // while items are waiting
  await once(service.child, 'exit');
  env = service.env;
});
afterAll(async () => {
  await Promise.all([postgres[Symbol.asyncDispose](), s3[Symbol.asyncDispose]()]);
  await rm(folder, { recursive: true, force: true });
});
let copies = 0;
beforeEach(async () => {
  dataDir = join(folder, `copy-${++copies}`);
  await cp(original, dataDir, { recursive: true });
  [databaseUrl, bucket] = [await postgres.createDatabase(), await s3.createBucket()];
});

async function fill({ url, key }: Service): Promise<Origin> {
  const client = new Client(url, key);
  const documents: DocumentRecord[] = [];
  for (let n = 0; n < 12; n++) {
    const content = randomBytes(200_000).toString('base64');
    const options = { attachments: [{ name: 'a.bin', type: 'application/octet-stream', content }] };
    documents.push(await client.store({ html: `<p>${n}`, options, metadata: { order: `${n}` } }));
  }
  const [first] = documents.splice(0, 1);
  await client.send('DELETE', `/v1/documents/${first?.document_id}`);
  const template = await client.template('<p>{{naïve 😀}}');
  const kept = await bytesOf(await client.pdf({ html: '<p>kept' }, { 'idempotency-key': 'kept' }));
  const usage = await client.usage();
  const items = Array.from({ length: ITEMS }, (_, n) => ({ html: `<p>${n}`, options: { waitForTimeout: 5_000 } }));
  const batch = (await (await client.send('POST', '/v1/batches', { items })).json()) as Batch;
  return { key, documents, deleted: first?.document_id ?? '', template, usage, kept, batch };
}

const settings = () => ({
  ...env,
  PLATEN_DATA_DIR: dataDir,
  PLATEN_DATABASE_URL: databaseUrl,
  PLATEN_BLOBS_URL: s3.urlOf(bucket),
});
const migrate = (changes: Record<string, string> = {}) => runCli(['migrate-store'], { ...settings(), ...changes });
const count = async (table: string) => Number((await postgres.query(databaseUrl, `select count(*) as n from ${table}`))[0]?.n);
const objects = async () =>
  (await s3.files()).filter((file) => file.includes(`/${bucket}/`)).flatMap((file) => /(?:doc|idm)_\w+$/.exec(file) ?? []);

/** Expects that everything was copied and that work continues. */
async function requireWhole(changes: Record<string, string>): Promise<void> {
  const mine = { PLATEN_DATA_DIR: join(folder, `node-${copies}`), PLATEN_PLAYGROUND: 'off', ...changes };
  await using service = await startService(mine, { firstKey: origin.key });
  const client = new Client(service.url, origin.key);
  const listed = await client.json<List<DocumentRecord>>('/v1/documents?limit=100');
  expect(listed.data.map(({ document_id }) => document_id)).toEqual(
    expect.arrayContaining(origin.documents.map(({ document_id }) => document_id)),
  );
  for (const { document_id, sha256: hash } of origin.documents)
    expect(sha256(await bytesOf(await client.get(`/v1/documents/${document_id}`)))).toBe(hash);
  expect((await client.get(`/v1/documents/${origin.deleted}`)).status).toBe(410);
  expect((await client.json<TemplateRecord>(`/v1/templates/${origin.template.template_id}`)).html).toBe('<p>{{naïve 😀}}');
  expect((await client.json<List<DocumentRecord>>('/v1/documents?metadata[order]=7')).data).toHaveLength(1);
  const again = await client.pdf({ html: '<p>kept' }, { 'idempotency-key': 'kept' });
  expect((await bytesOf(again)).equals(origin.kept)).toBe(true);
  const look = () => client.json<Batch>(`/v1/batches/${origin.batch.batch_id}`);
  await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 100_000);
  expect((await look()).succeeded).toBe(ITEMS);
  const before = origin.usage.documents.used;
  expect((await client.usage()).documents.used).toBe(before + ITEMS);
}

test('loses and repeats nothing when it is killed while copying content or rows, and is resumed', {
  timeout: 300_000,
}, async () => {
  await using between = await Between.start(s3.endpoint);
  const through = { ...settings(), PLATEN_BLOBS_URL: `s3://${bucket}?endpoint=${encodeURIComponent(between.url)}` };
  const standsStill = between.standStillAfter(SENT, 'PUT /');
  const first = spawnCli(['migrate-store'], through);
  await standsStill;
  await eventually('some content has arrived', async () => (await objects()).length >= 1, 100_000);
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect((await objects()).length).toBeLessThan(origin.documents.length + 1);
  expect(await count('accounts')).toBe(0);

  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table batches in exclusive mode');
  const second = spawnCli(['migrate-store'], settings());
  const waits =
    "select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into \"batches\"%'";
  await eventually('rows are being written', async () => Number((await postgres.query(databaseUrl, waits))[0]?.n) === 1, 60_000);
  second.kill('SIGKILL');
  await once(second, 'exit');
  await holder.query('rollback');
  await holder.end();
  expect(await count('accounts')).toBe(0);
  expect(await readdir(dataDir)).toContain('migrate-store.journal');
  const { stdout } = await migrate();
  expect(stdout).toMatch(/^12 files with \d{7} bytes are in the bucket.*\n\d+ rows were copied and compared\.\n$/);
  expect((await objects()).length).toBe(origin.documents.length + 1);
  expect(await readdir(dataDir)).not.toContain('migrate-store.journal');
  expect((await migrate()).stdout).toContain('had all rows already');
  await requireWhole({ PLATEN_DATABASE_URL: databaseUrl, PLATEN_BLOBS_URL: s3.urlOf(bucket) });
  await expect(migrate()).rejects.toMatchObject({ stderr: expect.stringContaining('rows of its own') });
});

test('removes content from the bucket that was deleted after it was copied', async () => {
  await using between = await Between.start(s3.endpoint);
  const through = { ...settings(), PLATEN_BLOBS_URL: `s3://${bucket}?endpoint=${encodeURIComponent(between.url)}` };
  const standsStill = between.standStillAfter(SENT, 'PUT /');
  const first = spawnCli(['migrate-store'], through);
  await standsStill;
  const copied = async () => (await objects()).find((name) => origin.documents.some(({ document_id }) => document_id === name));
  await eventually('a document has arrived', async () => (await copied()) !== undefined, 100_000);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const gone = (await copied()) ?? '';
  {
    await using service = await startService({ PLATEN_DATA_DIR: dataDir, PLATEN_PLAYGROUND: 'off' }, { firstKey: origin.key });
    expect((await new Client(service.url, origin.key).send('DELETE', `/v1/documents/${gone}`)).status).toBe(204);
  }
  const stray = 'doc_ThisIsNobodysDocument0';
  await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: stray, Body: 'x' }));
  const same = { PLATEN_BLOBS_URL: through.PLATEN_BLOBS_URL };
  between.dropAll();
  between.goOn();
  await expect(migrate(same)).rejects.toMatchObject({
    stderr: expect.stringContaining(`does not belong to this installation (${stray})`),
  });
  expect(await objects()).toContain(stray);
  await s3.client.send(new DeleteObjectCommand({ Bucket: bucket, Key: stray }));
  await migrate(same);
  expect(await objects()).not.toContain(gone);
  await using node = await startService(
    { PLATEN_DATABASE_URL: databaseUrl, PLATEN_BLOBS_URL: s3.urlOf(bucket), PLATEN_PLAYGROUND: 'off' },
    { firstKey: origin.key },
  );
  const there = new Client(node.url, origin.key);
  expect((await there.get(`/v1/documents/${gone}`)).status).toBe(410);
  for (const { document_id, sha256: hash } of origin.documents.filter((each) => each.document_id !== gone))
    expect(sha256(await bytesOf(await there.get(`/v1/documents/${document_id}`)))).toBe(hash);
});

test('moves only the database', async () => {
  expect((await migrate({ PLATEN_BLOBS_URL: '' })).stdout).toContain('where the content stays');
  expect(await objects()).toEqual([]);
  await requireWhole({ PLATEN_DATA_DIR: dataDir, PLATEN_DATABASE_URL: databaseUrl });
});

test('moves only the content, and the database later', async () => {
  await migrate({ PLATEN_DATABASE_URL: '' });
  await rm(join(dataDir, 'blobs'), { recursive: true });
  await migrate();
  await requireWhole({ PLATEN_DATABASE_URL: databaseUrl, PLATEN_BLOBS_URL: s3.urlOf(bucket) });
});

test('reports missing and damaged content, and copies the rest', async () => {
  const [missing = '', damaged = ''] = await blobFiles(dataDir);
  await rm(join(dataDir, 'blobs', missing));
  await writeFile(join(dataDir, 'blobs', damaged), 'x');
  const failed = await migrate().catch((error: unknown) => error);
  const nameOf = (file: string) => file.slice(3);
  const names = [missing, damaged].filter((file) => file.includes('doc_')).map(nameOf);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('missing or damaged') });
  for (const name of names) expect(failed).toMatchObject({ stderr: expect.stringContaining(name) });
  expect(await count('documents')).toBe(origin.documents.length + 1);
});

test('names text that PostgreSQL cannot store, and writes nothing', async () => {
  {
    using database = new DatabaseSync(join(dataDir, 'platen.db'));
    database.exec(`UPDATE templates SET html = 'a' || char(0)`);
  }
  await expect(migrate()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`templates ${origin.template.template_id} has the character U+0000`),
  });
  expect(await count('accounts')).toBe(0);
});

test('refuses targets where it would do harm', async () => {
  const nothing = { PLATEN_DATABASE_URL: '', PLATEN_BLOBS_URL: '' };
  await expect(migrate(nothing)).rejects.toMatchObject({ stderr: expect.stringContaining('set PLATEN_DATABASE_URL') });
  await expect(migrate({ PLATEN_DATA_DIR: join(folder, 'none') })).rejects.toMatchObject({
    stderr: expect.stringContaining('there is no database'),
  });

  const other = { ...settings(), PLATEN_DATA_DIR: join(folder, `other-${copies}`) };
  await using node = await startService({ ...other, PLATEN_PLAYGROUND: 'off' });
  await expect(migrate()).rejects.toMatchObject({ stderr: expect.stringContaining('a node uses') });
  await expect(migrate({ PLATEN_DATA_DIR: node.env.PLATEN_DATA_DIR ?? '' })).rejects.toMatchObject({
    stderr: expect.stringContaining('there is no database'),
  });
  const another = await s3.createBucket();
  const stray = 'doc_ThisIsNobodysDocument0';
  await s3.client.send(new PutObjectCommand({ Bucket: another, Key: stray, Body: 'x' }));
  const elsewhere = { PLATEN_DATABASE_URL: '', PLATEN_BLOBS_URL: s3.urlOf(another) };
  await expect(migrate(elsewhere)).rejects.toMatchObject({
    stderr: expect.stringContaining('does not belong to this installation'),
  });
  await expect(migrate({ PLATEN_DATABASE_URL: '' })).rejects.toMatchObject({
    stderr: expect.stringContaining('another installation'),
  });
});

test('refuses while the folder is in use', async () => {
  await using service = await startService({ PLATEN_DATA_DIR: dataDir, PLATEN_PLAYGROUND: 'off' }, { firstKey: origin.key });
  await expect(migrate()).rejects.toMatchObject({ stderr: expect.stringContaining('a service uses the data folder') });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});
