/**
 * Whatever the service has confirmed survives `kill -9`. In each round it is killed at a random moment while it starts, stores,
 * deletes, expires or replaces. A ledger records every reply, and after every start the service must agree with it.
 * `PLATEN_TEST_CRASH_ROUNDS` sets the number of rounds, `PLATEN_TEST_CRASH_SEED` the requests and the times of the kills. How far
 * the service gets until then differs from run to run.
 */
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blobFiles, namedFiles, unfinishedFiles } from '../support/data-folder.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, type Service } from '../support/service.ts';
import { audit, inBatches } from './audit.ts';
import { type Account, isNamed, Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import { sendNamed } from './names.ts';
import { type Random, randomOf, SEED } from './random.ts';
import { complaints, Survivor } from './survivor.ts';
import { work } from './work.ts';
import { Wreckage } from './wreckage.ts';

const ROUNDS = Number(process.env.PLATEN_TEST_CRASH_ROUNDS) || 8;
const WORKERS = 6;
const KILL_WITHIN_MS = 400;
const LEASES_END_MS = 60_000;

const wreckage = new Wreckage();

const survivor = await Survivor.make();
const first = await survivor.start();
const ledger = await Ledger.open(first, WORKERS);
await first[Symbol.asyncDispose]();
afterAll(() => survivor.remove());

test(
  `loses no answered request, shows nothing incomplete and counts nothing twice in ${ROUNDS} rounds of kill -9`,
  async () => {
    const startedAt = Date.now();
    process.stderr.write(`crash: PLATEN_TEST_CRASH_ROUNDS=${ROUNDS} PLATEN_TEST_CRASH_SEED=${SEED}\n`);
    for (let round = 0; round < ROUNDS; round++) {
      await playRound(round).catch((error: unknown) => {
        throw new Error(`round ${round} of seed ${SEED}: ${error instanceof Error ? error.stack : error}`);
      });
      await wreckage.note(survivor);
    }
    await settle();
    report(Date.now() - startedAt);
  },
  180_000 + ROUNDS * 20_000,
);

async function playRound(round: number): Promise<void> {
  const random = randomOf(round);
  const kind = random();
  if (kind < 0.15) return survivor.killWhileItStarts(random() * 1.2);
  const service = await start();
  try {
    // Without an audit, the load starts during the first sweep.
    if (kind > 0.4) await audit(ledger, survivor, service);
    await loadUntilKilled(service, round, random);
    expect(complaints(service)).toBe('');
  } finally {
    service.child.kill('SIGKILL');
    await service[Symbol.asyncDispose]();
  }
}

async function start(): Promise<Service> {
  const service = await survivor.start();
  ledger.moveTo(service);
  return service;
}

/** Kills the service at a random time, or just after one of the next changes to the database or to the folder of unfinished files. */
async function loadUntilKilled(service: Service, round: number, random: Random): Promise<void> {
  const loads = Array.from({ length: WORKERS }, (_, worker) => loadOf(worker, randomOf(round, worker)));
  const exited = once(service.child, 'exit');
  const kill = () => {
    for (const load of loads) load.killed = true;
    service.child.kill('SIGKILL');
  };
  const { dataDir } = survivor;
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

function loadOf(worker: number, random: Random): Load {
  return { ledger, killed: false, random, worker };
}

/** Waits without requests until leases have ended, every key has its reply, and unreferenced files are deleted. */
async function settle(): Promise<void> {
  await using service = await start();
  const load = loadOf(0, randomOf(ROUNDS));
  const everyNameIsAnswered = async () => {
    await inBatches(ledger.unanswered(), (request) => sendNamed(load, request));
    return !ledger.unanswered().length;
  };
  await eventually('every name is answered', everyNameIsAnswered, LEASES_END_MS);
  await inBatches(ledger.named, (request) => sendNamed(load, request));
  await audit(ledger, survivor, service, { all: true });
  for (const account of Object.values(ledger.accounts)) await expectChargedOnce(account);
  await eventually('only living documents and kept answers have content', contentIsNamed);
  expect(await unfinishedFiles(survivor.dataDir)).toEqual([]);
  await expectReadable();
  await audit(ledger, survivor, service, { all: true });
  expect(await service.stop()).toBe(0);
}

async function expectChargedOnce(account: Account): Promise<void> {
  const names = ledger.named.filter((request) => request.account === account && request.kind !== 'template').length;
  const expected = isNamed(account) ? names : account.answered + account.found;
  const used = async () => (await account.client.usage()).documents.used;
  await eventually('no lease is left', async () => (await used()) === expected, LEASES_END_MS);
  expect((await account.client.usage()).daily.reduce((sum, day) => sum + day.documents, 0)).toBe(expected);
}

/** Whether nothing is due for deletion and the files are exactly those in the database. */
async function contentIsNamed(): Promise<boolean> {
  const named = namedFiles(survivor.databaseFile);
  const files = await blobFiles(survivor.dataDir);
  return named.every(({ until }) => until > Date.now()) && files.join() === named.map(({ file }) => file).join();
}

async function expectReadable(): Promise<void> {
  const kept = ledger.deletable().filter(({ account }) => account.name !== 'short');
  for (const { id, account, filename } of kept.slice(-5)) {
    const { pages } = await readPdf(await (await account.client.get(`/v1/documents/${id}`)).arrayBuffer());
    expect(`${pages[0]}.pdf`).toBe(filename);
  }
}

function report(tookMs: number): void {
  const answered = Object.values(ledger.accounts).map((account) => `${account.answered} answered, ${account.lost} lost`);
  const stored = Object.values(ledger.accounts).reduce((sum, { found }) => sum + found, 0);
  const unheard = ledger.named.filter((request) => request.unheard).length;
  const names = `${ledger.named.length} names`;
  const left = `left behind: ${wreckage}, ${stored} stored and ${unheard} answered unheard`;
  process.stderr.write(`crash: ${Math.round(tookMs / 1000)} s; ${answered.join('; ')}; ${names}; ${left}\n`);
}
