/**
 * A full disk: requests that cannot be stored fail with 503, and are neither listed nor charged. Stored documents stay readable. The
 * same process continues as soon as there is space. The tests mount small file systems, so they run as root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, type List, problem, withoutReport } from '../support/client.ts';
import { blobFiles, namedFiles, unfinishedFiles } from '../support/data-folder.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';

const MEGABYTE = 1_048_576;
const DISK_BYTES = 24 * MEGABYTE;
/** The file system allocates space in pages of this size. */
const PAGE = 4_096;
/** A document with incompressible noise. Its PDF has more than three megabytes. */
const LARGE = `<canvas width="1100" height="1000"></canvas><script>
  const context = document.querySelector('canvas').getContext('2d');
  const image = context.createImageData(1100, 1000);
  for (let n = 0; n < image.data.length; n++) image.data[n] = n % 4 === 3 ? 255 : Math.random() * 256;
  context.putImageData(image, 0, 0);
</script>`;
/** Larger than the write-ahead log. A smaller row may fit into space that the log already occupies. */
const LARGE_TEMPLATE = 'y'.repeat(4.5 * MEGABYTE);
/** Reservations that cannot be released on a full disk expire with their leases. */
const LEASES_END_MS = 60_000;

/** A small file system. A guard process unmounts it when this process closes it or ends, however it ends. */
class SmallDisk implements AsyncDisposable {
  readonly folder: string;
  readonly #guard: ChildProcess;

  private constructor(folder: string) {
    this.folder = folder;
    const end = 'cat; umount --lazy "$0" && rmdir "$0"';
    this.#guard = spawn('sh', ['-c', end, folder], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
  }

  static async mount(): Promise<SmallDisk> {
    if (process.getuid?.() !== 0) throw new Error('this suite mounts a file system: run it as root');
    const folder = await mkdtemp(join(tmpdir(), 'platen-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'platen-test', folder]);
    return new SmallDisk(folder);
  }

  /** Fills the disk, except for this many bytes. */
  async fill(left = 0): Promise<void> {
    const file = await open(this.#filler, 'a');
    try {
      for (let block = MEGABYTE; block >= PAGE; block /= 2) while (await fits(file, block));
      await file.truncate((await file.stat()).size - left);
    } finally {
      await file.close();
    }
  }

  async freeSpace(): Promise<void> {
    await rm(this.#filler, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#guard.stdin?.end();
    const [code] = await once(this.#guard, 'exit');
    expect(code).toBe(0);
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}

let disk: SmallDisk;
let service: Service;
let client: Client;

describe('a disk that other programs filled', () => {
  // Sweeps free the space of the write-ahead log. Without them, the disk stays full.
  onSmallDisk({ PLATEN_SWEEP_SECONDS: '3600' });

  test('stores and charges nothing, reads stored documents, and recovers with free space', async () => {
    const kept = await client.store({ html: '<p>before' });
    const template = await client.template('<p>{{x}}');
    await disk.fill();
    await expectFull(await client.pdf({ html: 'x', store: true }));
    await expectFull(await client.pdf({ html: 'x', store: true }, { 'idempotency-key': 'on-the-full-disk' }));
    await expectFull(await client.send('POST', '/v1/templates', { name: 'x', html: LARGE_TEMPLATE }));
    await expectFull(await client.send('PUT', `/v1/templates/${template.template_id}`, { html: LARGE_TEMPLATE }));
    const charged = await successOrFull(await client.pdf({ html: 'x' }));
    await expectWhole(kept);
    expect((await client.json<List<DocumentRecord>>('/v1/documents')).data).toEqual([withoutReport(kept)]);
    expect(await client.json(`/v1/templates/${template.template_id}`)).toMatchObject({ version: 1, html: '<p>{{x}}' });
    const link = (await (await client.send('POST', `/v1/documents/${kept.document_id}/links`)).json()) as { url: string };
    expect((await fetch(link.url)).status).toBe(200);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503); // nothing can be charged
    expect(await service.metric('platen_disk_free_bytes')).toBeLessThan(PAGE);
    expect(await service.metric('platen_stored_bytes')).toBe(kept.bytes);
    expect(await unfinishedFiles(dataDir())).toEqual([]);
    expect(complaints()).toMatch(/ENOSPC|database or disk is full/);
    await disk.freeSpace();
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.metric('platen_disk_size_bytes')).toBe(DISK_BYTES);
    expect(await service.metric('platen_disk_free_bytes')).toBeGreaterThan(MEGABYTE);
    const after = await client.store({ html: '<p>after' });
    const named = await storeOnceItMayRun('on-the-full-disk', { html: 'x' });
    await expectListed([named, after, kept]);
    await expectCharged(3 + charged);
    expect((await client.send('PUT', `/v1/templates/${template.template_id}`, { html: 'y' })).status).toBe(200);
    await expectConsistent();
  });

  test('deletes a document, or keeps it complete', async () => {
    const kept = await client.store({ html: '<p>x' });
    await disk.fill();
    const deleted = await successOrFull(await client.send('DELETE', `/v1/documents/${kept.document_id}`));
    if (!deleted) await expectWhole(kept);
    await disk.freeSpace();
    if (!deleted) expect((await client.send('DELETE', `/v1/documents/${kept.document_id}`)).status).toBe(204);
    await problem(await client.get(`/v1/documents/${kept.document_id}`), 410, 'document_deleted');
    await expectConsistent();
  });

  test('fails in the middle of a large PDF', async () => {
    await disk.fill(MEGABYTE);
    await expectFull(await client.pdf({ html: LARGE, store: true }));
    await expectFull(await client.pdf({ html: LARGE, store: true }, { 'idempotency-key': 'large' }));
    await expectFull(await client.pdf({ html: LARGE }, { 'idempotency-key': 'large-and-not-stored' }));
    expect(complaints()).toContain('ENOSPC');
    expect(await unfinishedFiles(dataDir())).toEqual([]);
    expect((await client.usage()).documents.used).toBe(0);
    const response = await client.pdf({ html: LARGE });
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(3 * MEGABYTE);
    const small = await client.store({ html: '<p>there is room for this' });
    await disk.freeSpace();
    const large = await storeOnceItMayRun('large', { html: LARGE });
    expect(large.bytes).toBeGreaterThan(3 * MEGABYTE);
    await expectListed([large, small]);
    await expectCharged(3);
    await expectConsistent();
  });

  test('stores and charges a render completely or not at all, at whatever point the space runs out', async () => {
    const stored: DocumentRecord[] = [];
    const refused: string[] = [];
    for (let pages = 0; pages <= 40; pages++) {
      await disk.fill(pages * PAGE);
      const name = `with-${pages}-pages-left`;
      const response = await client.pdf({ html: `<p>${name}`, store: true }, { 'idempotency-key': name });
      if (response.status === 201) stored.unshift((await response.json()) as DocumentRecord);
      else await expectFull(response);
      if (response.status !== 201) refused.push(name);
    }
    expect([stored.length > 0, refused.length > 0]).toEqual([true, true]);
    expect(await unfinishedFiles(dataDir())).toEqual([]);
    await expectListed(stored);
    await disk.freeSpace();
    await expectListed(stored);
    await expectCharged(stored.length);
    for (const name of refused) stored.unshift(await storeOnceItMayRun(name, { html: `<p>${name}` }));
    await expectListed(stored);
    await expectCharged(41);
    await expectConsistent();
  }, 180_000);
});

describe('a disk that the service filled', () => {
  onSmallDisk({ PLATEN_SWEEP_SECONDS: '1' });

  test('frees space by expiry, although nothing can be written', async () => {
    client = new Client(service.url, (await service.createKey('short')).key);
    await disk.fill(8 * MEGABYTE);
    const answers: number[] = [];
    for (let full = false; !full; ) {
      const response = await client.pdf({ html: LARGE, store: true });
      answers.push(await successOrFull(response));
      full = answers.at(-1) === 0;
      if (answers.length > 50) throw new Error('eight megabytes hold fifty large PDFs');
    }
    await disk.fill();
    let again: Response | undefined;
    await eventually('there is room', async () => {
      again = await client.pdf({ html: LARGE, store: true });
      return (await successOrFull(again)) === 1;
    });
    await disk.freeSpace();
    await expectCharged(answers.length);
    await eventually('all of it is gone', async () => (await blobFiles(dataDir())).length === 0);
    await expectConsistent();
  });
});

/** Starts a service whose data folder is on a small disk. */
function onSmallDisk(settings: Record<string, string>): void {
  beforeAll(async () => {
    disk = await SmallDisk.mount();
    service = await startService({ PLATEN_DATA_DIR: dataDir(), PLATEN_LOG_LEVEL: 'warn', ...settings });
  });
  beforeEach(async () => {
    client = new Client(service.url, (await service.createKey()).key);
  });
  afterEach(() => disk.freeSpace());
  afterAll(async () => {
    await using _ = disk;
    await service?.[Symbol.asyncDispose]();
  });
}

async function fits(file: Awaited<ReturnType<typeof open>>, bytes: number): Promise<boolean> {
  try {
    await file.write(Buffer.alloc(bytes));
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
    return false;
  }
}

async function expectFull(response: Response): Promise<void> {
  const { detail } = await problem(response, 503, 'storage_failed');
  expect(detail).toBe('the storage of the service is full');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.headers.get('platen-document-id')).toBeNull();
}

/** Returns 1 for a success, and 0 if the disk was full. */
async function successOrFull(response: Response): Promise<0 | 1> {
  if (response.ok) return 1;
  await expectFull(response);
  return 0;
}

/** Stores a document under a name whose claim may last until its lease ends, because the full disk kept it from being released. */
async function storeOnceItMayRun(name: string, body: object): Promise<DocumentRecord> {
  let response: Response | undefined;
  const runs = async () => {
    response = await client.pdf({ ...body, store: true }, { 'idempotency-key': name });
    return response.status !== 409;
  };
  await eventually(`${name} runs`, runs, LEASES_END_MS);
  expect(response?.status, await response?.clone().text()).toBe(201);
  return (await response?.json()) as DocumentRecord;
}

async function expectWhole({ document_id, sha256: digest, bytes }: DocumentRecord): Promise<void> {
  const response = await client.get(`/v1/documents/${document_id}`);
  expect(response.status).toBe(200);
  const content = await bytesOf(response);
  expect(content.length).toBe(bytes);
  expect(sha256(content)).toBe(digest);
}

/** Expects exactly these documents in the list, newest first, with complete content. */
async function expectListed(records: DocumentRecord[]): Promise<void> {
  expect((await client.json<List<DocumentRecord>>('/v1/documents?limit=100')).data).toEqual(records.map(withoutReport));
  for (const record of records) await expectWhole(record);
}

async function expectCharged(documents: number): Promise<void> {
  const used = async () => (await client.usage()).documents.used;
  await eventually(`${documents} are charged`, async () => (await used()) === documents, LEASES_END_MS);
  expect((await client.usage()).daily.at(-1)?.documents).toBe(documents);
}

/** Expects that the process still runs, its database is intact, and every content file belongs to a row. */
async function expectConsistent(): Promise<void> {
  expect(service.child.exitCode ?? service.child.signalCode).toBeNull();
  const databaseFile = join(dataDir(), 'platen.db');
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
  expect(await blobFiles(dataDir())).toEqual(namedFiles(databaseFile).map(({ file }) => file));
  expect(await unfinishedFiles(dataDir())).toEqual([]);
}

function dataDir(): string {
  return join(disk.folder, 'data');
}

/** Returns the lines of the log that report errors. */
function complaints(): string {
  const lines = service.output().split('\n');
  return lines.filter((line) => line.includes('"level":50')).join('\n');
}
