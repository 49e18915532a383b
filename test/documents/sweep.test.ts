/** The sweep continues after failures and retries them. The data folder is locked, and claims of dead requests end. */
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Principal } from '../../src/accounts/accounts.ts';
import { loadConfig } from '../../src/config.ts';
import { Sweep } from '../../src/documents/sweep.ts';
import { openServices, type Services } from '../../src/services.ts';
import { readNamedBlobs } from '../../src/storage/named-blobs.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { blobFile, blobFiles } from '../support/data-folder.ts';

let dataDir: string;
let services: Services;
let sweep: Sweep;
let owner: Principal;
let now = 1_800_000_000_000;
let failures: unknown[];
let removed: Record<string, number>;
let outdated: number;

beforeEach(async () => {
  dataDir = await makeTestFolder();
  services = await openServices(loadConfig({ PLATEN_DATA_DIR: dataDir }).services, () => now);
  failures = [];
  outdated = 0;
  removed = { content: 0, orphans: 0 };
  sweep = new Sweep(services.database, services.blobs, {
    everyMs: 3_600_000,
    prepare: async () => {},
    expiringContent: [services.documents, services.idempotency],
    cleanupTasks: [() => services.idempotency.removeExpired()],
    named: (names) => readNamedBlobs(services.database, names),
    onOutdated: () => outdated++,
    onFailure: (error) => failures.push(error),
    onRemoved: (what, count) => {
      removed[what] = (removed[what] ?? 0) + count;
    },
  });
  const { id } = await services.accounts.createAccount('free');
  owner = (await services.accounts.authenticate((await services.accounts.createKey(id)).secret)) as Principal;
});
afterEach(async () => {
  sweep.stop();
  await services.close();
});

async function sweepAtStart(): Promise<void> {
  const turn = await sweep.take();
  if (turn.kind === 'claimed') await turn.work();
}

async function store(): Promise<string> {
  const draft = {
    chunks: [Buffer.from('pdf')],
    bytes: 3,
    pages: 1,
    filename: undefined,
    source: 'html',
    templateId: undefined,
    metadata: {},
    report: { warning_count: 0 },
  } as const;
  const document = await services.documents.write(draft, 1_000);
  await services.database.transaction((query) => services.documents.insert(document, owner, query));
  return document.id;
}

/** Replaces the file with a folder, which cannot be removed as a file. Returns a function that restores it. */
async function makeStuck(name: string): Promise<() => Promise<void>> {
  const file = join(dataDir, 'blobs', blobFile(name));
  const aside = join(dataDir, `${name}-aside`); // outside of the content folder, where the sweep would remove it as an orphan
  await rename(file, aside);
  await mkdir(join(file, 'x'), { recursive: true });
  return async () => {
    await rm(file, { recursive: true });
    await rename(aside, file);
  };
}

test('continues after a document that cannot be removed, and removes it later', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 120; n++) ids.push(await store());
  const repair = await makeStuck(ids[0] ?? '');
  now += 1_001;
  await sweep.run();
  expect(removed.content).toBe(119);
  expect(failures).toHaveLength(1);
  await repair();
  await sweep.run();
  expect(removed.content).toBe(120);
  expect(await blobFiles(dataDir)).toEqual([]);
});

test('retries a PDF kept for an Idempotency-Key that cannot be removed', async () => {
  const claim = await services.idempotency.claim(owner.keyId, 'k', 'fingerprint');
  if ('kind' in claim) throw new Error('the key is already claimed');
  const name = await services.idempotency.keep([Buffer.from('pdf')]);
  const response = { filename: 'secret.pdf', remaining: null, report: { warning_count: 0 } };
  const answer = { kind: 'file', type: 'application/pdf', bytes: 3, pages: 1, ...response } as const;
  await services.idempotency.complete(claim, answer, services.database.query, { blob: { name, keptMs: 1_000 } });
  const repair = await makeStuck(name);
  now += 1_001;
  await sweep.run();
  expect(failures).toHaveLength(1);
  await repair();
  await sweep.run();
  expect(await blobFiles(dataDir)).toEqual([]);
  const records = () => services.database.query.selectFrom('idempotency_keys').selectAll().execute();
  expect(JSON.stringify(await records())).not.toContain('secret');
  expect(await services.idempotency.claim(owner.keyId, 'k', 'fingerprint')).toEqual({ kind: 'not_kept' });
  now += 86_400_000;
  await sweep.run();
  expect(await records()).toEqual([]);
});

test('removes content without a row at the start, and keeps content with one', async () => {
  const id = await store();
  await mkdir(join(dataDir, 'blobs', 'lost+found')); // exists if the folder is the root of a file system
  await writeFile(join(dataDir, 'blobs', '.operator'), 'of the operator');
  const orphan = join(dataDir, 'blobs', 'Zz', 'doc_ZzZzZzZzZzZzZzZzZzZzZz');
  await mkdir(join(dataDir, 'blobs', 'Zz'));
  await writeFile(orphan, 'left');
  await utimes(orphan, new Date(0), new Date(0));
  await sweepAtStart();
  expect(await blobFiles(dataDir)).toEqual(['.operator', blobFile(id)]);
  expect(removed.orphans).toBe(1);
  expect(failures).toEqual([]);
});

test('keeps content that a newer version may refer to', async () => {
  const orphan = join(dataDir, 'blobs', 'Zz', 'new_ZzZzZzZzZzZzZzZzZzZzZz');
  await mkdir(join(dataDir, 'blobs', 'Zz'));
  await writeFile(orphan, 'named by a table of a newer version');
  await utimes(orphan, new Date(0), new Date(0));
  const { query } = services.database;
  await sql`insert into kysely_migration values ('9999-newer', '2030-01-01T00:00:00.000Z')`.execute(query);
  await sweepAtStart();
  expect(await blobFiles(dataDir)).toContain('Zz/new_ZzZzZzZzZzZzZzZzZzZzZz');
  expect({ outdated, removed, failures }).toEqual({ outdated: 1, removed: { content: 0, orphans: 0 }, failures: [] });
});

test('refuses a second service on the same folder', async () => {
  await expect(openServices(loadConfig({ PLATEN_DATA_DIR: dataDir }).services, () => now)).rejects.toThrow(
    'Another service uses the data folder',
  );
}, 30_000);

test('undoes a request if its lease ended and another request has taken over', async () => {
  const first = await services.idempotency.claim(owner.keyId, 'k', 'fingerprint');
  now += 60_000;
  const second = await services.idempotency.claim(owner.keyId, 'k', 'fingerprint');
  if ('kind' in first || 'kind' in second) throw new Error('there is no answer yet');
  const reservation = await services.allowance.reserve(owner);
  const answer = { kind: 'not_kept' } as const;
  const settle = services.allowance.commit(reservation, undefined, (query) =>
    services.idempotency.complete(first, answer, query),
  );
  await expect(settle).rejects.toMatchObject({ code: 'idempotency_running' });
  await services.allowance.release(reservation);
  expect((await services.allowance.usage(owner.accountId)).used).toBe(0);
  await services.idempotency.complete(second, answer, services.database.query);
  expect(await services.idempotency.claim(owner.keyId, 'k', 'fingerprint')).toEqual(answer);
});

test('tells a repeated request when the lease of the first one ends, after which it takes over', async () => {
  const claim = () => services.idempotency.claim(owner.keyId, 'k', 'fingerprint');
  await claim();
  for (const [laterMs, seconds] of [
    [0, 20],
    [4_500, 16],
    [15_000, 1],
  ] as const) {
    now += laterMs;
    await expect(claim()).rejects.toMatchObject({ code: 'idempotency_running', retryAfterSeconds: seconds });
  }
  now += 1_000;
  expect(await claim()).toMatchObject({ name: 'k' });
});

test('releases the idempotency key of a request that died without a response', async () => {
  await services.idempotency.claim(owner.keyId, 'k', 'first');
  await expect(services.idempotency.claim(owner.keyId, 'k', 'second')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  now += 60_000;
  expect(await services.idempotency.claim(owner.keyId, 'k', 'second')).toHaveProperty('id');
  await expect(services.idempotency.claim(owner.keyId, 'k', 'first')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
});
