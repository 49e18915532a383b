/**
 * Kills and restarts three nodes behind HAProxy in turn, under mixed requests and a batch. Every request gets its reply in the end,
 * every charge, document and webhook happens exactly as often as requested, and nothing is left behind.
 *
 * PLATEN_TEST_CHAOS=full sends 1,000 requests instead of 120. The batch has half as many items.
 */
import { utimes } from 'node:fs/promises';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { type Batch, Client, type DocumentRecord, type TemplateRecord } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, type IssuedKey } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { startBalancer } from './balancer.ts';
import { Insistent } from './insistent.ts';
import { Node } from './node.ts';
import { startBoth } from './start-both.ts';

const REQUESTS = process.env.PLATEN_TEST_CHAOS === 'full' ? 1_000 : 120;
const ITEMS = REQUESTS / 2;
const NODES = 3;
const CALLERS = 8;
/** Requests and items that end before a node is killed, and then before it is started again. */
const BETWEEN_KILLS = 15;
const BEFORE_RESTART = 10;
/** Most renders take so long, so that each node has some under way when it is killed. */
const SLOW = { options: { waitForTimeout: 1_000 } };
/** The monthly limit in the plan of the second account. */
const LIMIT = 100;
/** Older than content has to be that no row names, for the sweep to remove it. */
const LONG_AGO_MS = 2 * 3_600_000;
const ORPHAN = `idm_${'z'.repeat(22)}`;

interface Event {
  data: { batch_id?: string; render_id?: string };
}

const { postgres, s3 } = await startBoth();
const receiver = await Receiver.start().then(closeAfterAll);
receiver.answer = (response, before) => response.writeHead(before % 3 ? 204 : 500).end();
const bucket = await s3.createBucket();
const settings = {
  PLATEN_DATABASE_URL: await postgres.createDatabase(),
  PLATEN_BLOBS_URL: s3.urlOf(bucket),
  PLATEN_CONCURRENCY: '1',
  PLATEN_SWEEP_SECONDS: '1',
  PLATEN_PLAYGROUND: 'off',
  PLATEN_OUTBOUND_ALLOW: receiver.address,
  PLATEN_WEBHOOK_RETRY_SECONDS: Array(20).fill('1').join(' '),
  PLATEN_WEBHOOK_TIMEOUT_SECONDS: '5',
};
const first = await Node.start(settings).then(closeAfterAll);
const others = Array.from({ length: NODES - 1 }, () => Node.start(settings, first.service.key).then(closeAfterAll));
const nodes = [first, ...(await Promise.all(others))];
const balancer = await startBalancer(nodes.map(({ port }) => port)).then(closeAfterAll);

async function number(text: string): Promise<number> {
  const [row] = await postgres.query(settings.PLATEN_DATABASE_URL ?? '', text);
  return Number(Object.values(row ?? {})[0]);
}

/** What has been answered so far. */
const tally = { answered: 0, charged: 0, stored: 0, limited: 0, renders: [] as string[] };

class Caller {
  readonly insistent: Insistent;
  readonly #limited: Insistent;

  constructor(client: Client, limited: Client) {
    this.insistent = new Insistent(client);
    this.#limited = new Insistent(limited);
  }

  /** The `n`th request, of one kind or another. */
  async call(n: number): Promise<void> {
    const kinds: Array<(text: string) => Promise<unknown>> = [
      (text) => this.#print(text),
      (text) => this.#store(text),
      (text) => this.#fail(text),
      (text) => this.#later(text),
      (text) => this.#fill(text),
      (text) => this.#remove(text),
      (text) => this.#limit(text),
      () => this.#read(),
    ];
    await kinds[n % kinds.length]?.(`request ${n}`);
    tally.answered++;
  }

  async #print(text: string): Promise<void> {
    const { status, bytes } = await this.insistent.send('POST', '/v1/pdf', { html: `<p>${text}`, ...SLOW }, keyed(text));
    expect(status, `${bytes.subarray(0, 500)}`).toBe(200);
    expect((await readPdf(bytes)).pages).toEqual([text]);
    tally.charged++;
  }

  async #store(text: string): Promise<DocumentRecord> {
    const body = { html: `<p>${text}`, store: true, ...SLOW };
    const record = await this.insistent.json<DocumentRecord>(201, 'POST', '/v1/pdf', body, {
      ...keyed(text),
      accept: 'application/json',
    });
    expect(record.pages).toBe(1);
    tally.charged++;
    tally.stored++;
    const { bytes } = await this.insistent.send('GET', `/v1/documents/${record.document_id}`);
    expect(sha256(bytes)).toBe(record.sha256);
    return record;
  }

  async #fail(text: string): Promise<void> {
    const body = { html: `<p>${text}`, options: { pageRanges: '9' } };
    expect((await this.insistent.send('POST', '/v1/pdf', body, keyed(text))).status).toBe(422);
  }

  async #later(text: string): Promise<void> {
    const body = { html: `<p>${text}`, webhook_url: receiver.url, ...SLOW };
    const headers = { ...keyed(text), prefer: 'respond-async' };
    const accepted = await this.insistent.json<{ render_id: string }>(202, 'POST', '/v1/pdf', body, headers);
    tally.charged++;
    tally.stored++;
    tally.renders.push(accepted.render_id);
  }

  async #fill(text: string): Promise<void> {
    const draft = { name: text, html: '<p>{{text}}' };
    const template = await this.insistent.json<TemplateRecord>(201, 'POST', '/v1/templates', draft, keyed(`template, ${text}`));
    const body = { template_id: template.template_id, data: { text } };
    const { bytes } = await this.insistent.send('POST', '/v1/pdf', body, keyed(text));
    expect((await readPdf(bytes)).pages).toEqual([text]);
    tally.charged++;
  }

  async #remove(text: string): Promise<void> {
    const { document_id } = await this.#store(text);
    const { status } = await this.insistent.send('DELETE', `/v1/documents/${document_id}`);
    expect([204, 410]).toContain(status); // 410: a node deleted it, and was killed before it said so
    expect((await this.insistent.send('GET', `/v1/documents/${document_id}`)).status).toBe(410);
  }

  /** Whether there was a document left. */
  async #limit(text: string): Promise<boolean> {
    const { status } = await this.#limited.send('POST', '/v1/pdf', { html: `<p>${text}` }, keyed(text));
    expect([200, 402]).toContain(status);
    if (status === 200) tally.limited++;
    return status === 200;
  }

  async #read(): Promise<void> {
    for (const path of ['/v1/usage', '/v1/documents', '/v1/batches', '/v1/templates'])
      expect((await this.insistent.send('GET', path)).status).toBe(200);
  }

  /** Renders until there is no document left in the month. */
  async useUp(): Promise<void> {
    for (let n = 0; await this.#limit(`to the last one, ${n}`); n++);
  }
}

function keyed(text: string): Record<string, string> {
  return { 'idempotency-key': text.replaceAll(/[ ,]+/g, '-') };
}

/** Kills a node and starts it again, one after the other, whenever something has been done, until `isOver`. Returns how often. */
async function killInTurn(isOver: () => boolean): Promise<number> {
  const done = async () => tally.answered + (await number('select count(*) from batch_items where finished_no is not null'));
  const progress = async (more: number) => {
    const target = (await done()) + more;
    await eventually(`${more} more are done`, async () => isOver() || (await done()) >= target, 120_000);
  };
  let kills = 0;
  while (!isOver() || kills < NODES) {
    const node = nodes[kills % NODES] as Node;
    await progress(BETWEEN_KILLS);
    await node.kill();
    kills++;
    await progress(BEFORE_RESTART);
    await node.start();
  }
  return kills;
}

async function inBucket(): Promise<string[]> {
  const names: string[] = [];
  let ContinuationToken: string | undefined;
  do {
    const page = await s3.client.send(
      new ListObjectsV2Command({ Bucket: bucket, ...(ContinuationToken && { ContinuationToken }) }),
    );
    names.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined || Key === 'platen.json' ? [] : Key)));
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken);
  return names.sort();
}

async function namedByRows(): Promise<string[]> {
  const text =
    'select id as name from documents where has_content = 1 union select blob from idempotency_keys where blob is not null';
  const rows = await postgres.query(settings.PLATEN_DATABASE_URL ?? '', text);
  return rows.map(({ name }) => `${name}`).sort();
}

test(`survives ${REQUESTS} requests and a batch of ${ITEMS} while nodes are killed`, { timeout: 1_800_000 }, async () => {
  const [{ key, account_id }, limited] = (await Promise.all(
    ['growth', 'hundred'].map((plan) => (nodes[0] as Node).service.createKey(plan)),
  )) as [IssuedKey, IssuedKey];
  const caller = new Caller(new Client(balancer.url, key), new Client(balancer.url, limited.key));
  const items = Array.from({ length: ITEMS }, (_, n) => ({
    html: `<p>item ${n}`,
    ...(n % 10 === 9 ? { options: { pageRanges: '9' } } : SLOW),
  }));
  const broken = Math.floor(ITEMS / 10);
  const body = { items, webhook_url: receiver.url };
  const { batch_id } = await caller.insistent.json<{ batch_id: string }>(202, 'POST', '/v1/batches', body, keyed('the batch'));
  const batch = () => caller.insistent.json<Batch>(200, 'GET', `/v1/batches/${batch_id}`);

  let isOver = false;
  const load = async () => {
    let next = 0;
    const work = async () => {
      while (next < REQUESTS) await caller.call(next++);
    };
    await Promise.all(Array.from({ length: CALLERS }, work));
    await eventually('the batch has ended', async () => (await batch()).completed_at !== undefined, 600_000);
  };
  const loaded = load().finally(() => {
    isOver = true;
  });
  const [kills] = await Promise.all([killInTurn(() => isOver), loaded]);
  process.stderr.write(`${kills} kills; ${caller.insistent.repeated} repeated requests\n`);

  const renders = await Promise.all(tally.renders.map((id) => ended(caller, id)));
  expect(renders.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  const { items: outcomes, ...ofBatch } = await batch();
  expect(ofBatch).toMatchObject({ status: 'completed', total: ITEMS, succeeded: ITEMS - broken, failed: broken });
  expect(new Set(outcomes.flatMap(({ document_id }) => document_id ?? [])).size).toBe(ITEMS - broken);

  const charged = tally.charged + ITEMS - broken;
  const account = `account_id = '${account_id}'`;
  expect(await number(`select count(*) from documents where ${account}`)).toBe(tally.stored + ITEMS - broken);
  expect(await number(`select sum(documents) from usage_days where ${account}`)).toBe(charged);
  await eventually('places of the dead are given back', async () => (await number('select count(*) from reservations')) === 0);
  expect(await number(`select used from usage_months where ${account}`)).toBe(charged);
  await caller.useUp();
  expect(tally.limited).toBe(LIMIT);
  expect(await number(`select used from usage_months where account_id = '${limited.account_id}'`)).toBe(LIMIT);

  await expectDelivered([batch_id, ...tally.renders]);
  await nothingStaysBehind();
});

async function ended(caller: Caller, id: string): Promise<{ status: string }> {
  for (;;) {
    const { bytes } = await caller.insistent.send('GET', `/v1/renders/${id}`, undefined, { prefer: 'wait=20' });
    const render = JSON.parse(`${bytes}`) as { status: string };
    if (!['queued', 'running'].includes(render.status)) return render;
  }
}

/** Each event was delivered, under one id, with the same bytes every time. */
async function expectDelivered(expected: string[]): Promise<void> {
  const pending = "select count(*) from webhook_deliveries where status <> 'delivered'";
  await eventually('all events are delivered', async () => (await number(pending)) === 0, 120_000);
  const events = new Map<string, Set<string>>();
  for (const { headers, body } of receiver.received) {
    const { batch_id, render_id } = (JSON.parse(body) as Event).data;
    const about = batch_id ?? render_id ?? '';
    events.set(about, (events.get(about) ?? new Set()).add(`${headers['webhook-id']} ${body}`));
  }
  expect([...events.keys()].sort()).toEqual(expected.toSorted());
  expect([...events].filter(([, ids]) => ids.size !== 1)).toEqual([]);
}

async function nothingStaysBehind(): Promise<void> {
  expect(
    await number("select count(*) from batch_requests join batch_items using (batch_id, position) where status <> 'failed'"),
  ).toBe(0);
  expect(await number('select count(*) from idempotency_keys where answer is null')).toBe(0);
  await s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: ORPHAN, Body: 'of nobody' })); // the last in the list
  const longAgo = new Date(Date.now() - LONG_AGO_MS);
  await Promise.all((await s3.files()).map((file) => utimes(file, longAgo, longAgo)));
  await Promise.all(nodes.map((node) => node.kill()));
  await nodes[0]?.start(); // The sweep begins with content that no row names.
  await eventually('the sweep has come to the end of the bucket', async () => !(await inBucket()).includes(ORPHAN), 120_000);
  expect(await inBucket()).toEqual(await namedByRows());
}
