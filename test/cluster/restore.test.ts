/**
 * `platen restore` moves an installation from a data folder to PostgreSQL and S3, and back. It is killed, resumed, and refused where it
 * would do harm.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import {
  type Batch,
  bytesOf,
  Client,
  type DocumentRecord,
  type List,
  type TemplateRecord,
  type UsageRecord,
} from '../support/client.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { eventually, runCli, type Service, spawnCli, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { Between } from './between.ts';
import { S3_CREDENTIALS } from './s3-server.ts';
import { startBoth } from './start-both.ts';

/** The data in the backup. */
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
/** Objects sent of 13: the mark, and of 11 documents and one reply some. */
const SENT = 7;

let dataDir: string;
let databaseUrl: string;
let bucket: string;
let made = 0;
const fresh = () => join(folder, String(++made));
const { postgres, s3 } = await startBoth();
const folder = await makeFolder('restore');
/** Of the data folder, while items are waiting. */
const backup = fresh();
const service = await startService({ PLATEN_CONCURRENCY: '1', PLATEN_PLAYGROUND: 'off' });
const origin = await fill(service);
await runCli(['backup', backup], service.env);
/** The documents and the reply, and what items of the batch had made by then, which depends on how busy the machine is. */
const files = (await readdir(join(backup, 'blobs'), { recursive: true, withFileTypes: true })).filter((each) =>
  each.isFile(),
).length;
expect(files).toBeGreaterThan(origin.documents.length);
await service[Symbol.asyncDispose]();
beforeEach(async () => {
  [dataDir, databaseUrl, bucket] = [fresh(), await postgres.createDatabase(), await s3.createBucket()];
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

const settings = (changes: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  ...S3_CREDENTIALS,
  PLATEN_DATA_DIR: dataDir,
  PLATEN_DATABASE_URL: databaseUrl,
  PLATEN_BLOBS_URL: s3.urlOf(bucket),
  PLATEN_PLAYGROUND: 'off',
  ...changes,
});
const restore = (changes: Record<string, string> = {}, source = backup) => runCli(['restore', source], settings(changes));
const refused = (why: string) => ({ code: 1, stderr: expect.stringContaining(why) });
const count = async (table: string) => Number((await postgres.query(databaseUrl, `select count(*) as n from ${table}`))[0]?.n);
const objects = async () => {
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.flatMap(({ Key = '' }) => (/^(doc|idm|tas)_/.test(Key) ? [Key] : []));
};

/** Expects that everything was restored and that work continues. */
async function requireWhole(changes: Record<string, string> = {}): Promise<void> {
  await using service = await startService(settings(changes), { firstKey: origin.key });
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

test('loses and repeats nothing when it is killed while it restores content or rows, and is resumed', {
  timeout: 300_000,
}, async () => {
  await using between = await Between.start(s3.endpoint);
  const through = { PLATEN_BLOBS_URL: `s3://${bucket}?endpoint=${encodeURIComponent(between.url)}` };
  const standsStill = between.standStillAfter(SENT, 'PUT /');
  const first = spawnCli(['restore', backup], settings(through));
  await standsStill;
  await eventually('some content has arrived', async () => (await objects()).length >= 1, 100_000);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const arrived = await objects();
  expect(arrived.length).toBeLessThan(files);
  expect(await count('accounts')).toBe(0);

  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table batches in exclusive mode');
  const second = spawnCli(['restore', backup], settings());
  const waits =
    "select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into \"batches\"%'";
  await eventually('rows are being written', async () => Number((await postgres.query(databaseUrl, waits))[0]?.n) === 1, 60_000);
  second.kill('SIGKILL');
  await once(second, 'exit');
  await holder.query('rollback');
  await holder.end();
  expect(await count('accounts')).toBe(0);
  expect(await readdir(dataDir)).toContain('restore');
  await cp(join(dataDir, 'restore'), join(folder, 'interrupted'), { recursive: true });
  const { stderr } = await restore();
  expect(stderr).toMatch(
    new RegExp(
      `^restored \\d+ rows and ${files} files with \\d{7} bytes into the database of PLATEN_DATABASE_URL and PLATEN_BLOBS_URL,`,
    ),
  );
  expect((await objects()).length).toBe(files);
  expect(await readdir(dataDir)).not.toContain('restore');
  const isNotEmpty = refused('the database of PLATEN_DATABASE_URL is not empty');
  await expect(restore()).rejects.toMatchObject(isNotEmpty);
  await cp(join(folder, 'interrupted'), join(dataDir, 'restore'), { recursive: true }); // as if it had been killed at its very end
  await expect(restore()).rejects.toMatchObject(isNotEmpty);
  expect((await objects()).length).toBe(files);
  await requireWhole();
});

test('moves from PostgreSQL and S3 back to a data folder, from a backup of a running service', { timeout: 300_000 }, async () => {
  await restore();
  const again = `${fresh()}.tar`;
  {
    await using service = await startService(settings(), { firstKey: origin.key });
    expect((await runCli(['backup', again], service.env)).stderr).toMatch(/^backed up \d+ rows and \d+ files/);
  }
  const local = { PLATEN_DATA_DIR: fresh(), PLATEN_DATABASE_URL: '', PLATEN_BLOBS_URL: '' };
  expect((await restore(local, again)).stderr).toContain(`into ${local.PLATEN_DATA_DIR}`);
  await requireWhole(local);
});

test.each([
  ['only the database', { PLATEN_BLOBS_URL: '' }],
  ['only the content', { PLATEN_DATABASE_URL: '' }],
])('moves %s', async (_what, changes) => {
  await restore(changes);
  expect((await objects()).length).toBe('PLATEN_BLOBS_URL' in changes ? 0 : files);
  await requireWhole(changes);
});

test('leaves content in its bucket if only the database is backed up', async () => {
  const inBucket = { PLATEN_DATABASE_URL: '' };
  await restore(inBucket);
  const database = fresh();
  const { stderr } = await runCli(['backup', '--database-only', database], settings(inBucket));
  expect(stderr).toContain('The content of documents is in the bucket');
  expect(await readdir(database)).not.toContain('blobs');
  const local = { PLATEN_DATA_DIR: fresh(), PLATEN_DATABASE_URL: '' };
  await expect(restore({ ...local, PLATEN_BLOBS_URL: '' }, database)).rejects.toMatchObject(
    refused('set PLATEN_BLOBS_URL to it'),
  );
  await restore(local, database);
  await requireWhole(local);
});

test('removes from the bucket what it has put there if the backup fails a check', async () => {
  const damaged = fresh();
  await cp(backup, damaged, { recursive: true });
  await rm(join(damaged, 'SHA256SUMS'));
  await expect(restore({}, damaged)).rejects.toMatchObject(refused('the backup is not complete'));
  expect([await objects(), await count('accounts'), await readdir(dataDir)]).toEqual([
    [],
    0,
    expect.not.arrayContaining(['restore']),
  ]);
  await restore();
});

test('does not continue the restore of another backup', async () => {
  await using between = await Between.start(s3.endpoint);
  const standsStill = between.standStillAfter(SENT, 'PUT /');
  const through = { PLATEN_BLOBS_URL: `s3://${bucket}?endpoint=${encodeURIComponent(between.url)}` };
  const first = spawnCli(['restore', backup], settings(through));
  await standsStill;
  first.kill('SIGKILL');
  await once(first, 'exit');
  const other = fresh();
  await cp(backup, other, { recursive: true });
  const header = join(other, 'platen-backup.json');
  await writeFile(header, (await readFile(header, 'utf8')).replace(/"created_at": "20/, '"created_at": "19'));
  await expect(restore({}, other)).rejects.toMatchObject(
    refused('a restore of another backup into this data folder was interrupted'),
  );
  await restore();
});

test('names text that PostgreSQL cannot store, and writes nothing', async () => {
  const local = { PLATEN_DATA_DIR: fresh(), PLATEN_DATABASE_URL: '', PLATEN_BLOBS_URL: '' };
  await restore(local);
  {
    using database = new DatabaseSync(join(local.PLATEN_DATA_DIR, 'platen.db'));
    database.exec(`UPDATE templates SET html = 'a' || char(0)`);
  }
  const odd = fresh();
  await runCli(['backup', odd], settings(local));
  await expect(restore({}, odd)).rejects.toMatchObject(
    refused(`templates ${origin.template.template_id} has the character U+0000`),
  );
  expect([await count('accounts'), await objects()]).toEqual([0, []]);
});

test('refuses targets where it would do harm', async () => {
  await using node = await startService(settings({ PLATEN_DATA_DIR: fresh() }));
  await expect(restore()).rejects.toMatchObject(refused('a node uses'));
  await expect(restore({ PLATEN_DATABASE_URL: '' })).rejects.toMatchObject(refused('another installation'));
  await node.stop();
  await expect(restore()).rejects.toMatchObject(refused('is not empty'));
  const another = await s3.createBucket();
  const stray = { Bucket: another, Key: 'doc_ThisIsNobodysDocument0' };
  await s3.client.send(new PutObjectCommand({ ...stray, Body: 'x' }));
  const elsewhere = { PLATEN_DATABASE_URL: '', PLATEN_BLOBS_URL: s3.urlOf(another) };
  await expect(restore(elsewhere)).rejects.toMatchObject(refused(`has content already (${stray.Key})`));
  await s3.client.send(new DeleteObjectCommand(stray));
  await restore(elsewhere);
});
