/** `platen backup` next to a running service, and `platen restore`: what is restored, and what is refused. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { restore } from '../../src/storage/backup/restore.ts';
import { removeAbandonedWork } from '../../src/storage/backup/work-folder.ts';
import { bytesOf, Client, type DocumentRecord, type List, problem } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { blobFile, blobFiles, namedFiles } from '../support/data-folder.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { readPdf } from '../support/read-pdf.ts';
import { runCli, type Service, spawnCli, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';

const folder = await makeFolder('backup');
const service = await startService({ PLATEN_SWEEP_SECONDS: '1', PLATEN_PLAYGROUND: 'off' }).then(closeAfterAll);

let made = 0;
const fresh = (suffix = '') => join(folder, `${++made}${suffix}`);
const newClient = async (plan?: string) => new Client(service.url, (await service.createKey(plan)).key);
const pathOf = ({ document_id }: DocumentRecord) => `/v1/documents/${document_id}`;

/** A document of this many bytes that cannot be compressed. */
function large(bytes: number): object {
  const content = randomBytes(bytes).toString('base64');
  return { html: '<p>x', options: { attachments: [{ name: 'a.bin', type: 'application/octet-stream', content }] } };
}

const backUp = (destination: string) => runCli(['backup', destination], service.env);
const restoring = (source: string, dataDir: string) => runCli(['restore', source], { ...service.env, PLATEN_DATA_DIR: dataDir });

async function serving<T>(dataDir: string, work: (restored: Service) => Promise<T>): Promise<T> {
  await using restored = await startService({ PLATEN_DATA_DIR: dataDir, PLATEN_PLAYGROUND: 'off' }, { firstKey: service.key });
  return await work(restored);
}

test('says that the secret key of certificates is not in a backup, and what cannot sign without it', async () => {
  const client = await newClient();
  const pkcs12 = pkcs12Of(await issue('Ada'), [], 'pw');
  const stored = await client.send('POST', '/v1/certificates', { name: 'ada', pkcs12, password: 'pw' });
  const { certificate_id: certificate } = (await stored.json()) as { certificate_id: string };
  const [source, dataDir] = [fresh(), fresh()];
  const secretKey = join(service.env.PLATEN_DATA_DIR ?? '', 'secret.key');
  const advice = `The secret key of the stored certificates (1) is not part of a backup: keep a copy of ${secretKey} in another place`;
  expect((await backUp(source)).stderr).toContain(advice);
  const lost = `1 of 1 stored certificates cannot sign: the secret key that encrypts their private keys is not in ${dataDir}/secret.key; copy`;
  expect((await restoring(source, dataDir)).stderr).toContain(lost);
  const doctor = () =>
    runCli(['doctor'], { ...service.env, PLATEN_DATA_DIR: dataDir, PLATEN_PORT: '0' }).catch(
      (error: { stdout: string }) => error,
    );
  expect((await doctor()).stdout).toMatch(
    /^PROBLEM {2}certificates: 1 of 1 cannot sign: .*\n {9}-> copy .*PLATEN_SECRET_KEY_FILE/m,
  );
  const body = { html: '<p>signed', options: { signature: { certificate } } };
  await serving(dataDir, async (restored) => {
    expect(restored.output()).toContain('some certificates cannot sign');
    await problem(await new Client(restored.url, client.key).pdf(body), 503, 'secret_key_missing');
  });

  await cp(secretKey, join(dataDir, 'secret.key'));
  expect((await doctor()).stdout).toMatch(/^ok {7}certificates: 1, with their secret key/m);
  await serving(dataDir, async (restored) => {
    expect(restored.output()).not.toContain('cannot sign');
    expect((await new Client(restored.url, client.key).pdf(body)).status).toBe(200);
  });
  expect((await client.send('DELETE', `/v1/certificates/${certificate}`)).status).toBe(204);
});

test('says in a sentence that the secret key cannot be read, and completes all the same', async () => {
  const missing = { PLATEN_SECRET_KEY_FILE: fresh() };
  const short = { PLATEN_SECRET_KEY_FILE: fresh() };
  await writeFile(short.PLATEN_SECRET_KEY_FILE, 'too short');
  expect((await runCli(['backup', fresh()], { ...service.env, ...missing })).stderr).toMatch(/^backed up .*\n$/); // no certificates
  const pkcs12 = pkcs12Of(await issue('Grace'), [], 'pw');
  const client = await newClient();
  const stored = await client.send('POST', '/v1/certificates', { name: 'grace', pkcs12, password: 'pw' });
  const { id } = (await stored.json()) as { id: string };
  const source = fresh();
  const told = [
    await runCli(['backup', source], { ...service.env, ...missing }),
    await runCli(['restore', source], { ...service.env, ...short, PLATEN_DATA_DIR: fresh() }),
  ].map(({ stderr }) => stderr);
  const start = 'None of 1 stored certificates can sign: PLATEN_SECRET_KEY_FILE=';
  expect(told[0]).toContain(`\n${start}${missing.PLATEN_SECRET_KEY_FILE}: cannot be read (ENOENT`);
  expect(told[1]).toContain(`\n${start}${short.PLATEN_SECRET_KEY_FILE}: each key must have at least 32 bytes`);
  for (const stderr of told) expect(stderr).not.toMatch(/^ {4}at /m);
  expect((await client.send('DELETE', `/v1/certificates/${id}`)).status).toBe(204);
});

test('backs up a running service so that every document is restored byte for byte', async () => {
  const client = await newClient();
  const stored = new Map<string, string>();
  const removed = new Set<string>();
  let atWork = true;
  const work = async () => {
    for (let n = 0; atWork; n++) {
      const record = await client.store(large(20_000));
      stored.set(record.document_id, record.sha256);
      if (n % 3 !== 2) continue;
      const [oldest = ''] = [...stored.keys()].filter((id) => !removed.has(id));
      removed.add(oldest);
      expect((await client.send('DELETE', `/v1/documents/${oldest}`)).status).toBe(204);
    }
  };
  const before = await Promise.all(Array.from({ length: 20 }, () => client.store(large(20_000))));
  const template = await client.template('<p>{{name}}', {
    assets: { 'a.txt': { content: 'a2VwdA==' } },
    samples: { short: { name: 'Ada' } },
  });
  const assets = { 'b.css': { content: Buffer.from('p::after { content: " kept" }').toString('base64') } };
  expect((await client.send('PATCH', '/v1/account', { assets })).status).toBe(200);
  const link = (await (await client.send('POST', `${pathOf(before[0] as DocumentRecord)}/links`, {})).json()) as { url: string };
  const kept = await bytesOf(await client.pdf({ html: '<p>kept' }, { 'idempotency-key': 'kept' }));
  const workers = [work(), work()];
  const destination = fresh();
  await backUp(destination);
  atWork = false;
  await Promise.all(workers);

  const dataDir = fresh();
  await restoring(destination, dataDir);
  const living = namedFiles(join(dataDir, 'platen.db')).filter(({ until }) => until > Date.now()); // the others are about to be deleted
  expect(living.map(({ file }) => file)).toEqual(await blobFiles(dataDir));
  await serving(dataDir, async ({ url }) => {
    const there = new Client(url, client.key);
    for (const record of before) expect(sha256(await bytesOf(await there.get(pathOf(record))))).toBe(record.sha256);
    const all = await there.json<List<DocumentRecord>>('/v1/documents?limit=100');
    for (const record of all.data) expect(sha256(await bytesOf(await there.get(pathOf(record))))).toBe(record.sha256);
    const samples = { short: { name: 'Ada' } };
    expect(await there.json(`/v1/templates/${template.template_id}`)).toMatchObject({ html: '<p>{{name}}', samples });
    expect(await (await there.get(`/v1/templates/${template.template_id}/assets/a.txt`)).text()).toBe('kept');
    const styled = await there.rendered({ html: '<link rel="stylesheet" href="b.css"><p>style' });
    expect((await readPdf(styled)).pages).toEqual(['style kept']);
    expect((await fetch(link.url.replace(service.url, url))).status).toBe(200);
    const again = await there.pdf({ html: '<p>kept' }, { 'idempotency-key': 'kept' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await bytesOf(again)).equals(kept)).toBe(true);
    expect((await there.store({ html: '<p>new' })).pages).toBe(1);
  });
});

/** Starts a backup to a pipe. It stops wherever the test does not read on. */
async function stalledBackup(env = service.env) {
  const child = spawnCli(['backup', '-'], env);
  const ended = once(child, 'exit');
  const { stdout } = child;
  if (!stdout) throw new Error('no standard output');
  await once(stdout, 'readable');
  const read: Buffer[] = [];
  const more = async () => {
    for (;;) {
      const chunk = stdout.read() as Buffer | null;
      if (chunk) return read.push(chunk);
      if (stdout.readableEnded) throw new Error('the backup has ended');
      await once(stdout, 'readable'); // `readable` is also emitted at the end of the stream.
    }
  };
  return {
    child,
    /** Reads until one of these names has arrived. */
    async readTo(names: string[]): Promise<string> {
      for (;;) {
        const text = Buffer.concat(read.slice(-2)).toString('latin1'); // a name may be cut in two
        const found = names.find((name) => text.includes(name));
        if (found !== undefined) return found;
        await more();
      }
    },
    /** Returns the archive. */
    async finish(): Promise<string> {
      const archive = fresh('.tar');
      const file = createWriteStream(archive);
      for (const chunk of read) file.write(chunk);
      await pipeline(stdout, file);
      expect(await ended).toEqual([0, null]);
      return archive;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('does not restore what is deleted during the backup', async () => {
  const client = await newClient();
  const documents: DocumentRecord[] = [];
  for (let n = 0; n < 12; n++) documents.push(await client.store({ ...large(300_000), metadata: { secret: `member-${n}` } }));
  const gone = [...documents.slice(0, 3), ...documents.slice(-3)];
  await using backup = await stalledBackup();
  for (const document of gone) expect((await client.send('DELETE', pathOf(document))).status).toBe(204);
  const later = await client.store({ html: '<p>later' });
  const archive = await backup.finish();

  const dataDir = fresh();
  await restoring(archive, dataDir);
  const files = await blobFiles(dataDir);
  for (const { document_id } of gone) expect(files).not.toContain(blobFile(document_id));
  const database = await readFile(join(dataDir, 'platen.db'), 'latin1');
  expect(database).toContain('member-5');
  for (const n of [0, 1, 2, 9, 10, 11]) expect(database).not.toMatch(new RegExp(`member-${n}\\b`));
  await serving(dataDir, async ({ url }) => {
    const there = new Client(url, client.key);
    for (const document of gone) await problem(await there.get(pathOf(document)), 410, 'document_deleted');
    for (const document of documents.slice(3, -3))
      expect(sha256(await bytesOf(await there.get(pathOf(document))))).toBe(document.sha256);
    expect(sha256(await bytesOf(await there.get(pathOf(later))))).toBe(later.sha256);
  });
});

test('keeps replacements, revocations and cancellations made while content was copied', async () => {
  const client = await newClient();
  const account = await newClient();
  const [revoked, rotated] = [await service.createKey(), await service.createKey()];
  const template = await client.template('<p>the-secret-of-a-template');
  const kept = await client.template('<p>the-secret-of-a-version');
  const items = Array.from({ length: 20 }, (_, n) => ({ html: `<p>${n}`, options: { waitForTimeout: 3_000 } })); // some wait
  const batch = (await (await client.send('POST', '/v1/batches', { items })).json()) as { batch_id: string };
  const before = await account.json<{ secret: string }>('/v1/webhooks/secret');
  for (let n = 0; n < 6; n++) await client.store(large(300_000));
  await using backup = await stalledBackup();
  for (const [method, path, body, status] of [
    ['DELETE', `/v1/templates/${template.template_id}`, undefined, 204],
    ['PUT', `/v1/templates/${kept.template_id}`, { name: 'kept', html: '<p>new' }, 200],
    ['DELETE', `/v1/batches/${batch.batch_id}`, undefined, 200],
  ] as const)
    expect((await client.send(method, path, body)).status, path).toBe(status);
  const rotatedClient = new Client(service.url, rotated.key);
  const next = (await (await rotatedClient.send('POST', `/v1/keys/${rotated.key_id}/rotate`, { expires_in: 0 })).json()) as {
    key: string;
  };
  await service.cli('keys', 'revoke', revoked.key_id);
  const after = (await (await account.send('POST', '/v1/webhooks/secret/rotate')).json()) as { secret: string };
  const newer = await service.createKey();
  const archive = await backup.finish();

  const dataDir = fresh();
  await restoring(archive, dataDir);
  const database = await readFile(join(dataDir, 'platen.db'), 'latin1');
  expect(database).not.toContain('the-secret-of-a-template');
  await serving(dataDir, async ({ url }) => {
    const statusFor = async (key: string) => (await new Client(url, key).get('/v1/usage')).status;
    expect(await Promise.all([revoked.key, rotated.key, next.key, newer.key].map(statusFor))).toEqual([401, 401, 200, 200]);
    const there = new Client(url, client.key);
    await problem(await there.get(`/v1/templates/${template.template_id}`), 404, 'not_found');
    expect((await there.json<{ html: string }>(`/v1/templates/${kept.template_id}`)).html).toBe('<p>new');
    const { cancelled } = await client.json<{ cancelled: number }>(`/v1/batches/${batch.batch_id}`);
    expect(cancelled).toBeGreaterThan(0);
    const restored = await there.json<{ cancelled: number }>(`/v1/batches/${batch.batch_id}`);
    expect(restored.cancelled).toBeGreaterThanOrEqual(cancelled); // running items are not started again
    const { secret } = await new Client(url, account.key).json<{ secret: string }>('/v1/webhooks/secret');
    expect([secret, before.secret === after.secret]).toEqual([after.secret, false]);
  });
});

test('does not restore a document that is deleted between the copy of the database and of its content', async () => {
  const client = await newClient();
  for (let n = 0; n < 3; n++) await client.store(large(300_000));
  await using backup = await stalledBackup();
  const later: DocumentRecord[] = [];
  for (let n = 0; n < 4; n++) later.push(await client.store({ ...large(1_000_000), metadata: { n: `${n}` } }));
  const id = await backup.readTo(later.map(({ document_id }) => document_id));
  const [found, gone] = [later.filter((each) => each.document_id === id), later.filter((each) => each.document_id !== id)];
  for (const document of gone) expect((await client.send('DELETE', pathOf(document))).status).toBe(204);
  const archive = await backup.finish(); // and reports nothing as missing

  const dataDir = fresh();
  await restoring(archive, dataDir);
  await serving(dataDir, async ({ url }) => {
    const there = new Client(url, client.key);
    for (const document of gone) await problem(await there.get(pathOf(document)), 410, 'document_deleted');
    for (const document of found) expect(sha256(await bytesOf(await there.get(pathOf(document))))).toBe(document.sha256);
  });
});

describe('the copy of the database in the data folder', () => {
  let dataDir: string;
  let work: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    const backup = fresh();
    await backUp(backup);
    dataDir = fresh();
    await restoring(backup, dataDir);
    {
      using database = new DatabaseSync(join(dataDir, 'platen.db'));
      database.exec('UPDATE accounts SET name = hex(randomblob(500000))'); // more than fits into a pipe
    }
    work = join(dataDir, 'backup');
    env = { ...service.env, PLATEN_DATA_DIR: dataDir };
  });

  test('is readable only by its user, is ignored by a service that starts, and is removed at the end', async () => {
    await using backup = await stalledBackup(env);
    await backup.readTo(['platen.db\0']);
    const modes = [work, join(work, 'platen.db')].map(async (path) => (await stat(path)).mode & 0o777);
    expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
    await removeAbandonedWork(dataDir);
    await serving(dataDir, ({ url }) => new Client(url, service.key).usage());
    expect(await readdir(work)).toEqual(['platen.db']);
    await expect(runCli(['backup', fresh()], env)).rejects.toMatchObject({
      stderr: expect.stringContaining('another backup'),
    });
    const archive = await backup.finish();
    expect(await readdir(dataDir)).not.toContain('backup');
    await restoring(archive, fresh());
  });

  test('is removed by a service when the backup was killed', async () => {
    {
      await using backup = await stalledBackup(env);
      await backup.readTo(['platen.db\0']);
    }
    expect(await readdir(work)).toEqual(['platen.db']);
    await serving(dataDir, () =>
      expect.poll(async () => (await readdir(dataDir)).includes('backup'), { timeout: 60_000 }).toBe(false),
    );
  });

  test('is removed when the backup fails', async () => {
    await using backup = await stalledBackup(env);
    await backup.readTo(['platen.db\0']);
    const ended = once(backup.child, 'exit');
    backup.child.stdout?.destroy();
    expect((await ended)[0]).toBe(1);
    expect(await readdir(dataDir)).not.toContain('backup');
  });
});

test('marks a document that expires during the backup as expired, without its content', async () => {
  const client = await newClient();
  const brief = await client.store(large(300_000));
  for (let n = 0; n < 6; n++) await client.store(large(300_000));
  await using backup = await stalledBackup();
  endNow(brief);
  const content = join(service.env.PLATEN_DATA_DIR ?? '', 'blobs', blobFile(brief.document_id));
  await expect.poll(() => stat(content).then(Boolean, () => false), { timeout: 60_000 }).toBe(false);
  const archive = await backup.finish();
  const dataDir = fresh();
  await restoring(archive, dataDir);
  expect(await blobFiles(dataDir)).not.toContain(blobFile(brief.document_id));
  await serving(dataDir, async ({ url }) =>
    problem(await new Client(url, client.key).get(pathOf(brief)), 410, 'document_expired'),
  );
});

/** Makes a document expire now. */
function endNow({ document_id }: DocumentRecord): void {
  using database = new DatabaseSync(join(service.env.PLATEN_DATA_DIR ?? '', 'platen.db'));
  database.exec('PRAGMA busy_timeout = 5000');
  database
    .prepare('UPDATE documents SET expires_at = :now, remove_at = :now WHERE id = :id')
    .run({ now: Date.now(), id: document_id });
}

test('reports missing or damaged content, and backs up everything else', async () => {
  const dataDir = fresh();
  const client = await newClient();
  const [missing, damaged, good] = [
    await client.store({ html: '1' }),
    await client.store({ html: '2' }),
    await client.store({ html: '3' }),
  ];
  await backUp(fresh('.tar'));
  await cp(service.env.PLATEN_DATA_DIR ?? '', dataDir, { recursive: true });
  const fileOf = ({ document_id }: DocumentRecord) => join(dataDir, 'blobs', blobFile(document_id));
  await rm(fileOf(missing));
  await writeFile(fileOf(damaged), 'x');
  const destination = fresh();
  const failed = await runCli(['backup', destination], { ...service.env, PLATEN_DATA_DIR: dataDir }).catch(
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('missing or damaged') });
  expect(failed).toMatchObject({ stderr: expect.stringContaining(missing.document_id) });
  expect(failed).toMatchObject({ stderr: expect.stringContaining(damaged.document_id) });
  const restored = fresh();
  await restoring(destination, restored);
  await serving(restored, async ({ url }) => {
    const there = new Client(url, client.key);
    await problem(await there.get(pathOf(missing)), 503, 'storage_failed');
    expect(sha256(await bytesOf(await there.get(pathOf(good))))).toBe(good.sha256);
  });
});

test('is readable only by its user, and leaves nothing in the data folder', async () => {
  await (await newClient()).store({ html: '<p>x' });
  const [destination, archive] = [fresh(), fresh('.tar')];
  await backUp(destination);
  await backUp(archive);
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  expect([await modeOf(destination), await modeOf(archive), await modeOf(join(destination, 'platen.db'))]).toEqual([
    0o700, 0o600, 0o600,
  ]);
  expect(await readdir(service.env.PLATEN_DATA_DIR ?? '')).not.toContain('backup');
  await expect(backUp(destination)).rejects.toMatchObject({ stderr: expect.stringContaining('is not empty') });
  await expect(backUp(archive)).rejects.toMatchObject({ stderr: expect.stringContaining('exists already') });
  expect((await stat(archive)).size).toBeGreaterThan(0);
});

describe('restoring is refused, and the folder stays empty', () => {
  let backup: string;
  let document: DocumentRecord;
  beforeAll(async () => {
    document = await (await newClient()).store(large(50_000));
    backup = fresh();
    await backUp(backup);
  });

  async function refused(source: string, why: string): Promise<void> {
    const dataDir = fresh();
    const restored = restore({ dataDir, databaseUrl: '', blobsUrl: '' }, source, process.stdin);
    await expect(restored).rejects.toMatchObject({ name: 'CommandError', message: expect.stringContaining(why) });
    expect((await readdir(dataDir)).filter((name) => !name.startsWith('service.lock'))).toEqual([]);
  }

  async function changed(change: (copy: string) => Promise<void>): Promise<string> {
    const copy = fresh();
    await cp(backup, copy, { recursive: true });
    await change(copy);
    return copy;
  }

  /** Changes a file together with its checksum. */
  async function rewrite(copy: string, name: string, change: (content: string) => string): Promise<void> {
    const [path, sums] = [join(copy, name), join(copy, 'SHA256SUMS')];
    const content = await readFile(path);
    const next = Buffer.from(change(content.toString('latin1')), 'latin1');
    await writeFile(path, next);
    await writeFile(sums, (await readFile(sums, 'utf8')).replace(sha256(content), sha256(next)));
  }

  const flip = async (path: string) => {
    const content = await readFile(path);
    content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
    await writeFile(path, content);
  };

  test.each([
    ['of a damaged document', (copy: string) => flip(join(copy, 'blobs', blobFile(document.document_id))), 'is damaged'],
    ['of a damaged database', (copy: string) => flip(join(copy, 'platen.db')), 'is damaged'],
    ['without a document', (copy: string) => rm(join(copy, 'blobs', blobFile(document.document_id))), 'lacks blobs/'],
    ['without its end', (copy: string) => rm(join(copy, 'SHA256SUMS')), 'is not complete'],
    ['without a header', (copy: string) => rm(join(copy, 'platen-backup.json')), 'is not a backup'],
    ['with a file that is not its own', (copy: string) => writeFile(join(copy, 'x'), ''), 'which is not part of a backup'],
    [
      'of a newer version',
      (copy: string) => rewrite(copy, 'platen-backup.json', (text) => text.replace('0025-baseline', '9999-newer')),
      'a newer version',
    ],
    [
      'with other rows than it says',
      (copy: string) => rewrite(copy, 'summary.json', (text) => text.replace(/"api_keys": \d+/, '"api_keys": 1000')),
      'rows in api_keys instead of 1000',
    ],
    [
      'with other content than its rows describe',
      (copy: string) => rewrite(copy, `blobs/${blobFile(document.document_id)}`, (text) => `${text} `),
      'does not match the database',
    ],
  ])('for a backup %s', async (_what, change, why) => {
    await refused(await changed(change), why);
  });

  test('for an archive that is incomplete, invalid, or has paths outside of the folder', async () => {
    const [archive, part, none, escaping] = [fresh('.tar'), fresh('.tar'), fresh('.tar'), fresh('.tar')];
    await backUp(archive);
    const bytes = await readFile(archive);
    await writeFile(part, bytes.subarray(0, bytes.length - 3_000));
    await refused(part, 'archive cannot be read');
    await writeFile(none, randomBytes(5_000));
    await refused(none, 'cannot be read');
    const evil = pack();
    evil.entry({ name: 'platen-backup.json' }, await readFile(join(backup, 'platen-backup.json')));
    evil.entry({ name: 'blobs/../../escaped' }, 'x');
    evil.finalize();
    await pipeline(evil.pipe(new PassThrough()), createWriteStream(escaping));
    await refused(escaping, 'which is not part of a backup');
    expect(await readdir(folder)).not.toContain('escaped');
  });

  test('for a folder that is not empty or in use', async () => {
    const dataDir = fresh();
    await restoring(backup, dataDir);
    await expect(restoring(backup, dataDir)).rejects.toMatchObject({ stderr: expect.stringContaining('is not empty') });
    await expect(restoring(backup, service.env.PLATEN_DATA_DIR ?? '')).rejects.toMatchObject({
      stderr: expect.stringContaining('a service uses'),
    });
  });
});
