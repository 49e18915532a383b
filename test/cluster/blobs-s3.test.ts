/**
 * Content in a bucket: the contract, versions, both styles of addresses, encryption, several installations, and a server that is
 * unavailable or silent.
 */
import dns from 'node:dns';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CreateMultipartUploadCommand, HeadObjectCommand, ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Blobs } from '../../src/storage/blobs/blobs.ts';
import { openBlobs } from '../../src/storage/blobs/open-blobs.ts';
import { blobsContract, name } from '../storage/blobs-contract.ts';
import { closeAfterAll, makeTestFolder } from '../support/close-after-all.ts';
import { Between } from './between.ts';
import { startMoto } from './moto-server.ts';
import { S3_CREDENTIALS, S3_DOMAIN, startS3 } from './s3-server.ts';

let dataDir: string;
let opened: Blobs[];
/** The host names that were resolved. Those of buckets lead to this machine, as an operator's DNS would have it. */
const resolved = new Set<string>();
const { lookup } = dns;
Object.assign(process.env, S3_CREDENTIALS);
const server = await startS3().then(closeAfterAll);
dns.lookup = ((host: string, ...rest: [never]) => {
  resolved.add(host);
  return lookup(host.endsWith(`.${S3_DOMAIN}`) ? '127.0.0.1' : host, ...rest);
}) as typeof dns.lookup;
afterAll(async () => {
  dns.lookup = lookup;
});
beforeEach(async () => {
  dataDir = await makeTestFolder('blobs');
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((blobs) => blobs.close()));
});

async function open(blobsUrl: string, installation = 'one'): Promise<Blobs> {
  const blobs = await openBlobs({ blobsUrl, dataDir }, installation);
  opened.push(blobs);
  return blobs;
}

async function namesOf(blobs: Blobs, before = Date.now() + 10_000): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of blobs.names(before)) names.push(...batch);
  return names;
}

const remains = async () => [...(await server.files()), ...(await readdir(dataDir, { recursive: true }))].sort();

describe('a bucket', () => {
  blobsContract(async () => ({ blobs: await open(server.urlOf(await server.createBucket())), remains }));
});

describe('a prefix of a bucket with versions', () => {
  blobsContract(async () => {
    const bucket = await server.createBucket({ versions: true });
    return { blobs: await open(server.urlOf(bucket, 'a/prefix')), remains };
  });
});

describe('a prefix of a bucket with versions whose name is in the host', () => {
  blobsContract(async () => {
    const bucket = await server.createBucket({ versions: true });
    return { blobs: await open(server.virtualUrlOf(bucket, 'a/prefix')), remains };
  });

  test('is reached by that host, also for a range', async () => {
    const bucket = await server.createBucket();
    const blobs = await open(server.virtualUrlOf(bucket));
    await blobs.put(name(), [Buffer.from('0123456789')]);
    expect(`${await buffer((await blobs.read(name(), { start: 3, end: 5 })) as Readable)}`).toBe('345');
    expect([...resolved]).toContain(`${bucket}.${S3_DOMAIN}`);
    expect(await namesOf(await open(server.urlOf(bucket)))).toEqual([name()]); // one bucket by both addresses
  });
});

test.each(['urlOf', 'virtualUrlOf'] as const)('leaves no version and no delete marker of removed content (%s)', async (urlOf) => {
  const Bucket = await server.createBucket({ versions: true });
  const blobs = await open(server[urlOf](Bucket));
  for (let n = 0; n < 3; n++) await blobs.put(name(), [Buffer.from(`secret ${n}`)]);
  await blobs.put(`${name()}x`, [Buffer.from('another')]);
  await blobs.remove(name());
  const left = await server.client.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'doc_' }));
  expect((left.Versions ?? []).map(({ Key }) => Key)).toEqual([`${name()}x`]);
  expect(left.DeleteMarkers ?? []).toEqual([]);
  const contents = await Promise.all((await server.files()).map((file) => readFile(file, 'latin1')));
  expect(contents.filter((content) => content.includes('secret'))).toEqual([]);
});

describe('a shared bucket', () => {
  test('does not list, read or remove content under another prefix', async () => {
    const bucket = await server.createBucket();
    const [root, part, deeper] = [
      await open(server.urlOf(bucket)),
      await open(server.urlOf(bucket, 'part'), 'two'),
      await open(server.urlOf(bucket, 'part/deeper'), 'three'),
    ];
    for (const blobs of [root, part, deeper]) await blobs.put(name(), [Buffer.from('x')]);
    await server.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'part/of-the-operator.txt', Body: 'x' }));
    await server.client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: `part/deeper/${name(7)}` }));
    expect(await namesOf(part)).toEqual([name()]);
    await part.remove(name());
    expect(await namesOf(part)).toEqual([]);
    expect(await part.removeUnfinished(Date.now() + 60_000)).toBe(0);
    expect(await namesOf(root)).toEqual([name()]);
    expect(await namesOf(deeper)).toEqual([name()]);
    expect(await deeper.removeUnfinished(Date.now() + 60_000)).toBe(1);
  });

  test('belongs to one installation for each prefix, also when several start together', async () => {
    const bucket = await server.createBucket();
    const starts = await Promise.allSettled(['a', 'b', 'c'].map((each) => open(server.urlOf(bucket, 'prefix'), each)));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = starts.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({
      reason: { code: 'storage_failed', message: expect.stringContaining('another installation') },
    });
  });

  test('must exist', async () => {
    await expect(open(server.urlOf('not-there'))).rejects.toMatchObject({ message: 'the bucket not-there cannot be used' });
  });
});

test('removes unfinished uploads of a dead process', async () => {
  const Bucket = await server.createBucket();
  const blobs = await open(server.urlOf(Bucket));
  await server.client.send(new CreateMultipartUploadCommand({ Bucket, Key: name() }));
  expect(await blobs.removeUnfinished(Date.now() - 60_000)).toBe(0);
  expect(await blobs.removeUnfinished(Date.now() + 60_000)).toBe(1);
  expect(await blobs.removeUnfinished(Date.now() + 60_000)).toBe(0);
});

test.each(['urlOf', 'virtualUrlOf'] as const)('stores objects with a checksum (%s)', async (urlOf) => {
  const Bucket = await server.createBucket();
  const blobs = await open(server[urlOf](Bucket));
  for (const bytes of [10, 9_000_000]) {
    await blobs.put(name(bytes), [Buffer.alloc(bytes)]);
    const head = await server.client.send(new HeadObjectCommand({ Bucket, Key: name(bytes), ChecksumMode: 'ENABLED' }));
    expect(head.ChecksumCRC32).toBeTruthy();
  }
});

describe('encryption by the server', () => {
  const kmsKey = 'arn:aws:kms:eu-central-1:123456789012:key/of-the-operator';
  test.each([
    ['', undefined, undefined],
    ['&sse=AES256', 'AES256', undefined],
    [`&sse=aws:kms&sse_kms_key_id=${kmsKey}`, 'aws:kms', kmsKey],
  ] as const)('is reported for each object with "%s"', async (parameters, algorithm, key) => {
    await using moto = await startMoto();
    const Bucket = await moto.createBucket();
    const blobs = await open(`s3://${Bucket}?endpoint=${moto.endpoint}${parameters}`);
    const sizes = [10, 9_000_000]; // the second in parts
    for (const bytes of sizes) await blobs.put(name(bytes), [Buffer.alloc(bytes)]);
    for (const Key of ['platen.json', ...sizes.map((bytes) => name(bytes))]) {
      const head = await moto.client.send(new HeadObjectCommand({ Bucket, Key }));
      expect([head.ServerSideEncryption, head.SSEKMSKeyId]).toEqual([algorithm, key]);
    }
    for (const bytes of sizes) expect((await buffer((await blobs.read(name(bytes))) as Readable)).length).toBe(bytes);
  });
});

describe('a server with a bad connection', () => {
  test('is a storage failure if it disconnects during a read, and the next read works', async () => {
    await using between = await Between.start(server.endpoint);
    const bucket = await server.createBucket();
    const blobs = await open(`s3://${bucket}?endpoint=${between.url}`);
    await blobs.put(name(), [Buffer.alloc(30_000_000)]);
    const content = (await blobs.read(name())) as Readable;
    await once(content, 'readable');
    between.dropAll();
    await expect(buffer(content)).rejects.toMatchObject({ code: 'storage_failed' });
    expect((await buffer((await blobs.read(name())) as Readable)).length).toBe(30_000_000);
  });

  test('is given up when it is silent', async () => {
    await using between = await Between.start(server.endpoint);
    const bucket = await server.createBucket();
    const blobs = await open(`s3://${bucket}?endpoint=${between.url}`);
    await blobs.put(name(), [Buffer.alloc(30_000_000)]);
    const content = (await blobs.read(name())) as Readable;
    await once(content, 'readable');
    between.standStill();
    await expect(buffer(content)).rejects.toMatchObject({ code: 'storage_failed', message: expect.stringContaining('stopped') });
  });

  test('is a storage failure if it is unavailable', async () => {
    const between = await Between.start(server.endpoint);
    const bucket = await server.createBucket();
    const blobs = await open(`s3://${bucket}?endpoint=${between.url}`);
    await between[Symbol.asyncDispose]();
    await expect(blobs.put(name(), [Buffer.from('x')])).rejects.toMatchObject({ code: 'storage_failed', retryAfterSeconds: 30 });
    await expect(blobs.read(name())).rejects.toMatchObject({ code: 'storage_failed' });
    await expect(blobs.remove(name())).rejects.toMatchObject({ code: 'storage_failed' });
  });
});
