/**
 * Stops PostgreSQL or S3 for a while, or lets connections hang. Callers get a clear 503, `/readyz` reports the outage, and the node
 * recovers without a restart. Nothing is lost, and nothing is charged that was not delivered.
 *
 * PLATEN_TEST_CHAOS=full stops a server for 20 seconds instead of 5.
 */
import { expect, test } from 'vitest';
import { type Batch, bytesOf, Client, type DocumentRecord, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { eventually, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { Between } from './between.ts';
import { Insistent } from './insistent.ts';
import { startBoth } from './start-both.ts';

const OUTAGE_MS = process.env.PLATEN_TEST_CHAOS === 'full' ? 20_000 : 5_000;
const ITEMS = 6;
/** The pause between two callers during an outage, who all repeat their requests after it. */
const PAUSE_MS = 500;

const { postgres, s3 } = await startBoth();
const database = new URL(await postgres.createDatabase());
const [toPostgres, toS3] = await Promise.all([
  Between.start(database.href).then(closeAfterAll),
  Between.start(s3.endpoint).then(closeAfterAll),
]);
database.port = new URL(toPostgres.url).port;
const service = await startService({
  PLATEN_DATABASE_URL: database.href,
  PLATEN_BLOBS_URL: s3.urlOf(await s3.createBucket()).replace(encodeURIComponent(s3.endpoint), encodeURIComponent(toS3.url)),
  PLATEN_CONCURRENCY: '1',
  PLATEN_PLAYGROUND: 'off',
}).then(closeAfterAll);

interface Outage {
  begin(): unknown;
  end(): unknown;
  /** It takes its time until somebody is refused, and is over then. */
  isSilent?: true;
}

const OUTAGES: Array<[string, Outage]> = [
  ['PostgreSQL is stopped', { begin: () => postgres.kill(), end: () => postgres.start() }],
  ['S3 is stopped', { begin: () => s3.kill(), end: () => s3.start() }],
  ['PostgreSQL says nothing', { begin: () => toPostgres.standStill(), end: () => toPostgres.goOn(), isSilent: true }],
  ['S3 says nothing', { begin: () => toS3.standStill(), end: () => toS3.goOn(), isSilent: true }],
];

const isReady = async () => (await fetch(`${service.url}/readyz`)).ok;

test.each(OUTAGES)('%s', { timeout: 300_000 }, async (_name, { begin, end, isSilent }) => {
  const client = new Client(service.url, (await service.createKey()).key);
  const insistent = new Insistent(client);
  const store = (n: number) =>
    [
      { html: `<p>${n}`, store: true },
      { 'idempotency-key': `${n}`, accept: 'application/json' },
    ] as const;
  const before = (await (await client.pdf(...store(0))).json()) as DocumentRecord;
  const items = Array.from({ length: ITEMS }, (_, n) => ({ html: `<p>item ${n}` }));
  const { batch_id } = (await (await client.send('POST', '/v1/batches', { items })).json()) as Batch;

  await begin();
  let refused = 0;
  try {
    const until = Date.now() + OUTAGE_MS;
    do {
      const reply = await client.pdf(...store(++refused));
      await problem(reply, 503, 'storage_failed');
      expect(reply.headers.get('retry-after')).not.toBeNull();
      await eventually('the balancer is informed', async () => !(await isReady()));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } while (!isSilent && Date.now() < until);
  } finally {
    await end();
  }

  await eventually('it is ready again', isReady);
  for (let n = 1; n <= refused; n++) expect((await insistent.send('POST', '/v1/pdf', ...store(n))).status).toBe(201);
  const content = await client.get(`/v1/documents/${before.document_id}`);
  expect(sha256(await bytesOf(content))).toBe(before.sha256);
  const look = () => client.json<Batch>(`/v1/batches/${batch_id}`);
  await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 120_000);
  expect((await look()).succeeded).toBe(ITEMS);
  const charged = 1 + refused + ITEMS;
  await eventually('what was not delivered is given back', async () => (await client.usage()).documents.used === charged);
  expect((await client.usage()).storage.documents).toBe(charged);
  expect(service.child.exitCode).toBeNull();
});
