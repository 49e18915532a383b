/**
 * What was answered outlives `kill -9`. Rounds on one data folder: the service is killed at a random moment while it starts,
 * stores, deletes, expires and replaces. A ledger notes every answer, and after every start everything has to agree with it.
 * `PLATEN_TEST_CRASH_ROUNDS` says how many rounds, `PLATEN_TEST_CRASH_SEED` what is sent and when the kills come; how far the
 * service has got by then is never the same twice.
 */
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client, type DocumentRecord, type List, type Problem, type TemplateRecord } from '../support/client.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, type IssuedKey, type Service, spawnCli, startService } from '../support/service.ts';

const ROUNDS = Number(process.env.PLATEN_TEST_CRASH_ROUNDS) || 8;
const SEED = Number(process.env.PLATEN_TEST_CRASH_SEED) || randomInt(2 ** 31);
const WORKERS = 6;
const KILL_WITHIN_MS = 400;
/** Documents kept at one time, about. */
const CROWD = 60;
const LEASES_END_MS = 60_000;

/** One account. On `plain` and `auto` everything is stored and nothing has a name; on the others every request has one. */
interface Account {
  issued: IssuedKey;
  client: Client;
  /** Renders that were answered with success, and those the kill left without an answer. */
  answered: number;
  lost: number;
  /** Of the lost ones, those that turned out to have been stored. */
  found: number;
}

/** A document somebody was told of. */
interface Kept {
  id: string;
  account: Account;
  filename: string | undefined;
  sha256: string | undefined;
  expiresAt: number | undefined;
  /** `deleting`: the answer to a DELETE got lost. */
  state: 'kept' | 'deleting' | 'deleted';
  /** Found to be gone once: looked at again in the end only. */
  buried: boolean;
}

/** A request under an Idempotency-Key, sent until it is answered. */
interface Named {
  name: string;
  account: Account;
  kind: 'document' | 'pdf' | 'template';
  /** What the first answer was: an id, or the digest of a PDF. Undefined: none came yet. */
  result: string | undefined;
}

/** A template that one worker replaces, again and again. */
interface Replaced {
  id: string;
  worker: number;
  version: number;
  /** The answer to the last PUT got lost. */
  pending: boolean;
}

interface Reply {
  status: number;
  headers: Headers;
  /** Undefined: the service died in the middle. */
  bytes: Buffer | undefined;
}

type Random = () => number;

/** What is under way until the kill. */
interface Load {
  killed: boolean;
  random: Random;
  worker: number;
}

const documents = new Map<string, Kept>();
const named: Named[] = [];
const replaced: Replaced[] = [];
/** What kills left behind: names and ids, to tell which moments were hit. */
const wreckage = {
  unfinished: new Set<string>(),
  orphans: new Set<string>(),
  reservations: new Set<string>(),
  claims: new Set<string>(),
  removals: new Set<string>(),
  stored: new Set<string>(),
  answered: new Set<string>(),
};
let labels = 0;
let accounts: Record<'plain' | 'auto' | 'named' | 'short', Account>;
let settings: Record<string, string>;
let environment: Record<string, string>;
let dataDir: string;
let temporary: string;
let startMs: number;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'platen-crash-'));
  temporary = await mkdtemp(join(tmpdir(), 'platen-crash-tmp-'));
  settings = { PLATEN_DATA_DIR: dataDir, TMPDIR: temporary, PLATEN_SWEEP_SECONDS: '1', PLATEN_LOG_LEVEL: 'warn' };
  const begun = performance.now();
  await using service = await startService(settings);
  startMs = performance.now() - begun;
  environment = service.env;
  accounts = {
    plain: await open(service, 'free'),
    auto: await open(service, 'free'),
    named: await open(service, 'free'),
    short: await open(service, 'short'),
  };
  expect((await accounts.auto.client.send('PATCH', '/v1/account', { auto_store: true })).status).toBe(200);
  for (let worker = 0; worker < WORKERS; worker++) {
    const { template_id: id } = await accounts.plain.client.template(htmlOf(worker, 1));
    replaced.push({ id, worker, version: 1, pending: false });
  }
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
  await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
});

test(
  `${ROUNDS} rounds of kill -9: nothing answered is lost, nothing half is seen, nothing counts twice`,
  async () => {
    const begun = Date.now();
    process.stderr.write(`crash: PLATEN_TEST_CRASH_ROUNDS=${ROUNDS} PLATEN_TEST_CRASH_SEED=${SEED}\n`);
    for (let round = 0; round < ROUNDS; round++) {
      await playRound(round).catch((error: unknown) => {
        throw new Error(`round ${round} of seed ${SEED}: ${error instanceof Error ? error.stack : error}`);
      });
      await noteWreckage();
    }
    await settle();
    const answered = Object.values(accounts).map((account) => `${account.answered} answered, ${account.lost} lost`);
    const seconds = Math.round((Date.now() - begun) / 1000);
    const hits = Object.entries(wreckage).map(([what, { size }]) => `${size} ${what}`);
    process.stderr.write(`crash: ${seconds} s; ${answered.join('; ')}; ${named.length} names; left behind: ${hits.join(', ')}\n`);
  },
  180_000 + ROUNDS * 20_000,
);

async function playRound(round: number): Promise<void> {
  const random = randomOf(round);
  const kind = random();
  if (kind < 0.15) return killWhileItStarts(random() * 1.2 * startMs);
  const service = await start();
  try {
    // Without an audit the load begins beside the first sweep.
    if (kind > 0.4) await audit(service);
    await loadUntilKilled(service, round, random);
    expect(complaints(service)).toBe('');
  } finally {
    service.child.kill('SIGKILL');
    await service[Symbol.asyncDispose]();
  }
}

async function start(): Promise<Service> {
  const service = await startService(settings, { firstKey: accounts.plain.issued.key });
  for (const account of Object.values(accounts)) account.client = new Client(service.url, account.issued.key);
  return service;
}

async function killWhileItStarts(afterMs: number): Promise<void> {
  const child = spawnCli(['serve'], environment);
  child.stdout?.resume();
  child.stderr?.resume();
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs); // the moment is what varies
  await once(child, 'exit');
  clearTimeout(timer);
  expect(child.signalCode).toBe('SIGKILL');
}

/** Kills at a random time; or just after one of the next changes in the folder of what is being written, or in the database. */
async function loadUntilKilled(service: Service, round: number, random: Random): Promise<void> {
  const loads = Array.from(
    { length: WORKERS },
    (_, worker): Load => ({ killed: false, random: randomOf(round, worker), worker }),
  );
  const exited = once(service.child, 'exit');
  const kill = () => {
    for (const load of loads) load.killed = true;
    service.child.kill('SIGKILL');
  };
  const byChange = random() < 0.7;
  const [folder, most, lateMs] = random() < 0.5 ? [join(dataDir, 'blobs', 'unfinished'), 60, 8] : [dataDir, 400, 1];
  let changes = Math.ceil(random() * most);
  const delayMs = random() * lateMs;
  const watcher = watch(folder, () => byChange && !--changes && setTimeout(kill, delayMs));
  const timer = setTimeout(kill, random() * KILL_WITHIN_MS * (byChange ? 5 : 1));
  try {
    await Promise.all(loads.map(work));
    await exited;
    expect(service.child.signalCode).toBe('SIGKILL');
  } finally {
    clearTimeout(timer);
    watcher.close();
    kill();
  }
}

async function work(load: Load): Promise<void> {
  while (!load.killed) {
    const crowded = deletable().length > CROWD && load.random() < 0.6;
    await (crowded ? remove(load) : pick(ACTIONS, load.random)(load));
  }
}

async function open(service: Service, plan: string): Promise<Account> {
  const issued = await service.createKey(plan);
  return { issued, client: new Client(service.url, issued.key), answered: 0, lost: 0, found: 0 };
}

const storeUnnamed = (load: Load) => store(load, load.random() < 0.6 ? accounts.plain : accounts.auto);
const storeNamed = (load: Load) => sendNewName(load, load.random() < 0.6 ? accounts.named : accounts.short);
const ACTIONS: Array<(load: Load) => Promise<void>> = [
  storeUnnamed,
  storeUnnamed,
  storeUnnamed,
  storeUnnamed,
  storeNamed,
  storeNamed,
  storeNamed,
  sendOpenName,
  sendAnyName,
  remove,
  remove,
  replace,
];

async function store(load: Load, account: Account): Promise<void> {
  const label = `unnamed ${++labels}`;
  const body = { html: `<p>${label}`, filename: `${label}.pdf`, ...(account === accounts.plain && { store: true }) };
  const accept = load.random() < 0.5 ? 'application/pdf' : 'application/json, */*';
  account.lost++; // until it is answered
  const reply = await send(load, account, 'POST', '/v1/pdf', body, { accept });
  if (!reply) return;
  account.lost--;
  account.answered++;
  expect(reply.status, text(reply)).toBe(account === accounts.plain ? 201 : 200);
  keep(account, body.filename, reply);
}

/** Notes a document from any answer that names one. */
function keep(account: Account, filename: string, { headers, bytes }: Reply): Kept {
  const id = headers.get('platen-document-id') ?? '';
  const isPdf = headers.get('content-type') === 'application/pdf';
  const record = bytes && !isPdf ? (JSON.parse(bytes.toString()) as DocumentRecord) : undefined;
  const digest = isPdf && bytes ? sha256(bytes) : record?.sha256;
  const document = documents.get(id) ?? noted(account, id);
  if (digest) expect(document.sha256 ?? digest).toBe(digest);
  document.sha256 ??= digest;
  document.filename ??= filename;
  document.expiresAt ??= record && Date.parse(record.expires_at);
  return document;
}

function noted(account: Account, id: string): Kept {
  expect(id).toMatch(/^doc_[0-9A-Za-z]{22}$/);
  const document: Kept = {
    id,
    account,
    filename: undefined,
    sha256: undefined,
    expiresAt: undefined,
    state: 'kept',
    buried: false,
  };
  documents.set(id, document);
  return document;
}

async function sendNewName(load: Load, account: Account): Promise<void> {
  const kind = pick(['document', 'document', 'pdf', 'template'] as const, load.random);
  const request: Named = { name: `${kind}-${load.worker}-${named.length}`, account, kind, result: undefined };
  named.push(request);
  await sendNamed(load, request);
}

async function sendOpenName(load: Load): Promise<void> {
  const open = named.filter(({ result }) => result === undefined);
  if (open.length) await sendNamed(load, pick(open, load.random));
}

async function sendAnyName(load: Load): Promise<void> {
  if (named.length) await sendNamed(load, pick(named, load.random));
}

/** The first answer is noted; every later one has to be the same, marked as a replay, or say that what it was is gone. */
async function sendNamed(load: Load, request: Named): Promise<void> {
  const { account, kind, name, result } = request;
  const wasDeleted = documents.get(result ?? '')?.state === 'deleted';
  const reply = await send(load, account, 'POST', ...bodyOf(request), { 'idempotency-key': name });
  if (!reply || (result === undefined && isStillRunning(reply))) return;
  if (reply.status >= 400) return expectGone(request, reply);
  const isReplay = reply.headers.has('idempotency-replayed');
  expect(isReplay || result === undefined, `${name} was answered before`).toBe(true);
  expect(wasDeleted, `${name} is back`).toBe(false);
  expect(reply.status).toBe(kind === 'pdf' ? 200 : 201);
  if (!isReplay) account.answered += Number(kind !== 'template');
  else if (result === undefined) wreckage.answered.add(name);
  const now = resultOf(request, reply);
  expect(now ?? request.result).toBe(request.result ?? now);
  request.result ??= now;
}

function bodyOf({ kind, name }: Named): [path: string, body: object] {
  const html = `<p>${name}`;
  if (kind === 'template') return ['/v1/templates', { name, html }];
  return ['/v1/pdf', { html, filename: `${name}.pdf`, store: kind === 'document' }];
}

/** The lease of a process that died has not ended yet, or another worker sends the same. */
function isStillRunning({ status, bytes }: Reply): boolean {
  return status === 409 && bytes !== undefined && (JSON.parse(bytes.toString()) as Problem).code === 'idempotency_running';
}

function resultOf({ account, kind, name }: Named, reply: Reply): string | undefined {
  if (kind === 'document') return keep(account, `${name}.pdf`, reply).id;
  if (!reply.bytes) return undefined;
  if (kind === 'pdf') return sha256(reply.bytes);
  return (JSON.parse(reply.bytes.toString()) as TemplateRecord).template_id;
}

/** A reply that cannot be given again: of a document that was deleted, or of a plan that keeps for two seconds. */
function expectGone(request: Named, reply: Reply): void {
  if (!reply.bytes) return;
  const { code } = JSON.parse(reply.bytes.toString()) as Problem;
  const document = documents.get(request.result ?? '');
  const deleted = document !== undefined && document.state !== 'kept';
  const possible = request.account === accounts.short ? ['document_expired', 'idempotency_result_gone'] : [];
  // A document that was found in a list was deleted before its name was answered.
  if (deleted || (request.kind === 'document' && !document)) possible.push('document_deleted');
  expect(possible, `${request.name}: ${text(reply)}`).toContain(code);
  if (code === 'document_expired' && document) expect(mayBeOver(document)).toBe(true);
  request.result ??= 'gone';
}

async function remove(load: Load): Promise<void> {
  const candidates = deletable();
  if (!candidates.length) return storeUnnamed(load);
  const document = pick(candidates, load.random);
  document.state = 'deleting';
  const reply = await send(load, document.account, 'DELETE', `/v1/documents/${document.id}`);
  if (!reply) return;
  const wasLate = mayBeOver(document) && reply.status === 410;
  if (!wasLate) expect(reply.status, text(reply)).toBe(204);
  document.state = wasLate ? 'kept' : 'deleted';
}

function deletable(): Kept[] {
  return [...documents.values()].filter((document) => document.state === 'kept' && !mayBeOver(document));
}

/** Whether its time is over, as far as anybody was told when that is. */
function mayBeOver({ account, expiresAt }: Kept): boolean {
  return expiresAt === undefined ? account === accounts.short : expiresAt <= Date.now();
}

async function replace(load: Load): Promise<void> {
  const template = replaced[load.worker];
  if (!template || template.pending) return;
  template.pending = true;
  const html = htmlOf(template.worker, template.version + 1);
  const reply = await send(load, accounts.plain, 'PUT', `/v1/templates/${template.id}`, { html });
  if (!reply) return;
  expect(reply.status, text(reply)).toBe(200);
  template.version++;
  template.pending = false;
}

/** Undefined when the service died before it answered. Any other failure is thrown. */
async function send(load: Load, account: Account, ...args: Parameters<Client['send']>): Promise<Reply | undefined> {
  try {
    const response = await account.client.send(...args);
    return { status: response.status, headers: response.headers, bytes: await bodyUnlessKilled(load, response) };
  } catch (error) {
    if (!load.killed) throw error;
    return undefined;
  }
}

async function bodyUnlessKilled(load: Load, response: Response): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    if (!load.killed) throw error;
    return undefined;
  }
}

/** Everything the ledger knows against everything the service says. */
async function audit(service: Service, all = false): Promise<void> {
  const onDisk = new Set((await blobFiles()).map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const listed = new Set<string>();
  for (const account of Object.values(accounts)) for (const id of await auditList(account)) listed.add(id);
  await inBatches(
    [...documents.values()].filter(({ buried }) => all || !buried),
    (document) => auditDocument(document, listed, onDisk),
  );
  await inBatches(replaced, auditReplaced);
  auditBooks();
  expect(complaints(service)).toBe('');
}

/** Whatever is listed is there, whole. What nobody was told of belongs to a render whose answer got lost. */
async function auditList(account: Account): Promise<string[]> {
  const records: DocumentRecord[] = [];
  for (let cursor = ''; ; ) {
    const page = await account.client.json<List<DocumentRecord>>(`/v1/documents?limit=100${cursor}`);
    records.push(...page.data);
    if (!page.has_more) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  for (const record of records) {
    const document = documents.get(record.document_id) ?? noted(account, record.document_id);
    if (document.filename === undefined) {
      account.found++;
      wreckage.stored.add(document.id);
    }
    document.filename ??= record.filename;
    document.sha256 ??= record.sha256;
    expect(record).toMatchObject({ filename: document.filename, sha256: document.sha256 });
    document.expiresAt ??= Date.parse(record.expires_at);
  }
  return records.map(({ document_id }) => document_id);
}

async function auditDocument(document: Kept, listed: Set<string>, onDisk: Set<string>): Promise<void> {
  const { id, account, state } = document;
  const askedAt = Date.now();
  const response = await account.client.get(`/v1/documents/${id}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status === 200) {
    expect(state, `${id} is back`).not.toBe('deleted');
    expect(askedAt, `${id} outlives its time`).toBeLessThan(document.expiresAt ?? Number.POSITIVE_INFINITY);
    expect(listed.has(id), `${id} is listed`).toBe(true);
    expect(sha256(bytes), `${id} is whole`).toBe(document.sha256);
    document.state = 'kept';
    return;
  }
  expect(response.status, `${id} (${state}): ${bytes}`).toBe(410);
  auditGone(document, (JSON.parse(bytes.toString()) as Problem).code, listed, onDisk);
}

function auditGone(document: Kept, code: string, listed: Set<string>, onDisk: Set<string>): void {
  const { id, state } = document;
  if (state === 'kept' || listed.has(id)) expect(mayBeOver(document), `${id} is gone before its time`).toBe(true);
  if (state === 'kept') expect(code).toBe('document_expired');
  if (state === 'deleted') expect(code).toBe('document_deleted');
  if (state === 'deleted') expect(onDisk.has(id), `${id} is off the disk`).toBe(false);
  document.state = code === 'document_deleted' ? 'deleted' : 'kept';
  document.buried = true;
}

async function auditReplaced(template: Replaced): Promise<void> {
  const { version, html } = await accounts.plain.client.json<TemplateRecord>(`/v1/templates/${template.id}`);
  expect([template.version, template.version + (template.pending ? 1 : 0)]).toContain(version);
  expect(html === htmlOf(template.worker, version), `template ${template.id} is whole`).toBe(true);
  template.version = version;
  template.pending = false;
}

/** What was charged, row by row. */
function auditBooks(): void {
  const database = new DatabaseSync(join(dataDir, 'platen.db'), { readOnly: true });
  const count = (sql: string, ...values: string[]) => Number(Object.values(database.prepare(sql).get(...values) ?? {})[0]);
  database.exec('BEGIN');
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  for (const [name, account] of Object.entries(accounts)) {
    const { account_id: id, key_id: key } = account.issued;
    const used = count('SELECT coalesce(sum(used), 0) FROM usage_months WHERE account_id = ?', id);
    const reserved = count('SELECT count(*) FROM reservations WHERE account_id = ?', id);
    const charged = count('SELECT coalesce(sum(documents), 0) FROM usage_days WHERE account_id = ?', id);
    const stored = count('SELECT count(*) FROM documents WHERE account_id = ?', id);
    const templates = count('SELECT count(*) FROM templates WHERE key_id = ?', key);
    const answers = (kind: string) =>
      count("SELECT count(*) FROM idempotency_keys WHERE key_id = ? AND answer ->> '$.kind' = ?", key, kind);
    expect(used, `${name}: used, but for leases`).toBe(charged + reserved);
    if (isNamed(account)) {
      expect(stored, `${name}: one document for each name`).toBe(answers('document'));
      expect(charged, `${name}: one charge for each name`).toBe(answers('document') + answers('pdf'));
      expect(templates, `${name}: one template for each name`).toBe(answers('json'));
      expect(charged, `${name}: what was answered is charged`).toBeGreaterThanOrEqual(account.answered);
    } else {
      expect(charged, `${name}: charged is what was answered, and what was lost after it was stored`).toBe(
        account.answered + account.found,
      );
      expect(account.found, `${name}: no more was stored than was asked for`).toBeLessThanOrEqual(account.lost);
      expect(stored, `${name}: one charge for each document`).toBe(charged);
    }
  }
  database.close();
}

function isNamed(account: Account): boolean {
  return account === accounts.named || account === accounts.short;
}

/** The service is left alone: leases end, every name is answered, and what nothing names is gone. */
async function settle(): Promise<void> {
  await using service = await start();
  const load: Load = { killed: false, random: randomOf(ROUNDS), worker: 0 };
  const open = () => named.filter(({ result }) => result === undefined);
  const everyNameIsAnswered = async () => {
    await inBatches(open(), (request) => sendNamed(load, request));
    return !open().length;
  };
  await eventually('every name is answered', everyNameIsAnswered, LEASES_END_MS);
  await inBatches(named, (request) => sendNamed(load, request));
  await audit(service, true);
  for (const account of Object.values(accounts)) await expectChargedOnce(account);
  await eventually('only living documents and kept answers have content', async () => {
    const { living, over } = namedContent();
    return !over && JSON.stringify((await blobFiles()).sort()) === JSON.stringify(living.sort());
  });
  expect(await readdir(join(dataDir, 'blobs', 'unfinished'))).toEqual([]);
  const kept = deletable().filter(({ account }) => account !== accounts.short);
  for (const { id, account, filename } of kept.slice(-5)) {
    const { pages } = await readPdf(await (await account.client.get(`/v1/documents/${id}`)).arrayBuffer());
    expect(`${pages[0]}.pdf`).toBe(filename);
  }
  await audit(service, true);
  expect(await service.stop()).toBe(0);
}

async function expectChargedOnce(account: Account): Promise<void> {
  const names = named.filter((request) => request.account === account && request.kind !== 'template').length;
  const expected = isNamed(account) ? names : account.answered + account.found;
  const used = async () => (await account.client.usage()).documents.used;
  await eventually('no lease is left', async () => (await used()) === expected, LEASES_END_MS);
  expect((await account.client.usage()).daily.reduce((sum, day) => sum + day.documents, 0)).toBe(expected);
}

/** The files content should be in, by what the database says; `over`: how many of them are still to go. */
function namedContent(file = join(dataDir, 'platen.db')): { living: string[]; over: number } {
  const database = new DatabaseSync(file, { readOnly: true });
  const documents = 'SELECT id, remove_at AS until FROM documents WHERE has_content = 1';
  const answers = 'SELECT blob, blob_until FROM idempotency_keys WHERE blob IS NOT NULL';
  const rows = database.prepare(`${documents} UNION ${answers}`).all() as Array<{ id: string; until: number }>;
  database.close();
  return {
    living: rows.map(({ id }) => `${id.slice(4, 6)}/${id}`),
    over: rows.filter(({ until }) => until <= Date.now()).length,
  };
}

/** Looks at a copy, so that nothing is repaired on the way. */
async function noteWreckage(): Promise<void> {
  const copy = join(temporary, 'copy.db');
  await copyFile(join(dataDir, 'platen.db'), copy);
  await copyFile(join(dataDir, 'platen.db-wal'), `${copy}-wal`).catch(() => {}); // none yet after a kill in mid-start
  const database = new DatabaseSync(copy);
  const ids = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(({ id }) => String(id));
  const note = (what: keyof typeof wreckage, found: string[]) => {
    for (const each of found) wreckage[what].add(each);
  };
  note('reservations', ids('SELECT id FROM reservations'));
  note('claims', ids('SELECT claim AS id FROM idempotency_keys WHERE answer IS NULL'));
  note('removals', ids('SELECT id FROM documents WHERE has_content = 1 AND deleted_at IS NOT NULL'));
  database.close();
  const living = new Set(namedContent(copy).living);
  note(
    'orphans',
    (await blobFiles()).filter((file) => !living.has(file)),
  );
  note('unfinished', await readdir(join(dataDir, 'blobs', 'unfinished')));
  for (const suffix of ['', '-wal', '-shm']) await rm(copy + suffix, { force: true });
}

/** Every file that holds content, as `Ab/doc_Ab...`. */
async function blobFiles(): Promise<string[]> {
  const blobs = join(dataDir, 'blobs');
  const files = (await readdir(blobs, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(blobs.length + 1))
    .filter((path) => !path.startsWith('unfinished/'));
}

/** Warnings and errors of the log, but for those about the machine it runs on. */
function complaints(service: Service): string {
  const lines = service.output().split('\n');
  return lines.filter((line) => /"level":[456]0/.test(line) && !/without its sandbox|full browser/.test(line)).join('\n');
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += 8) await Promise.all(items.slice(start, start + 8).map(work));
}

/** Several pages of text, all of which tell the version. */
function htmlOf(worker: number, version: number): string {
  return `<p>{{x}}</p>${`<p>worker ${worker}, version ${version}</p>`.repeat(500)}`;
}

function text({ bytes }: Reply): string {
  return bytes?.toString('latin1', 0, 500) ?? '';
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** Numbers from 0 to 1 that are the same for the same seed: mulberry32. */
function randomOf(...path: number[]): Random {
  let state = Number.parseInt(sha256(Buffer.from([SEED, ...path].join())).slice(0, 8), 16);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
