/** A batch through repeated `kill -9` at random moments: every outcome, document and charge occurs once. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Batch, Client } from '../support/client.ts';
import { blobFiles, namedFiles } from '../support/data-folder.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { randomOf, SEED } from './random.ts';

const ROUNDS = Number(process.env.PLATEN_TEST_CRASH_ROUNDS) || 40;
/** One kill for ten rounds of `crash.test.ts`, at most 20. */
const KILLS = Math.min(20, Math.ceil(ROUNDS / 10));
const ITEMS = 10 * KILLS;
/** How long after an outcome the service is killed, and how many outcomes later. */
const WITHIN_MS = 120;
const WITHIN_OUTCOMES = 5;
const SETTINGS = { PLATEN_CONCURRENCY: '2', PLATEN_SWEEP_SECONDS: '1' };
const MARKER = 'kept-in-no-file-as-it-was-sent';

/** Keeps the batch from ending before the last kill. */
const PACE = { waitForTimeout: 60 };

/** Of every ten items, one fails in the browser and two are identical. */
function itemAt(n: number): object {
  const same = n % 10 === 7 ? n - 1 : n;
  return { html: `<!-- ${MARKER} --><p>document ${same}`, options: { ...PACE, ...(n % 10 === 3 && { pageRanges: '9' }) } };
}

test(
  `survives ${KILLS} kills in a batch of ${ITEMS}`,
  async () => {
    process.stderr.write(`batch crash: ${KILLS} kills, PLATEN_TEST_CRASH_SEED=${SEED}\n`);
    const random = randomOf(ROUNDS, ITEMS);
    await using service = await startService(SETTINGS);
    const { key } = await service.createKey();
    const dataDir = service.env.PLATEN_DATA_DIR ?? '';
    const items = Array.from({ length: ITEMS }, (_, n) => itemAt(n));
    const response = await new Client(service.url, key).send('POST', '/v1/batches', { items });
    expect(response.status).toBe(202);
    const { batch_id: id } = (await response.json()) as Batch;
    const files = await Promise.all(['platen.db', 'platen.db-wal'].map((name) => readFile(join(dataDir, name))));
    for (const file of files) expect(file.includes(MARKER)).toBe(false);

    let current: Service = service;
    let killedUnfinished = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const client = new Client(current.url, key);
      const before = outcomes(await look(client, id));
      const wanted = Math.min(ITEMS - 1, before + Math.floor(random() * WITHIN_OUTCOMES));
      await eventually('more is done', async () => outcomes(await look(client, id)) >= wanted, 120_000);
      await pause(random() * WITHIN_MS); // any moment
      if ((await look(client, id)).completed_at === undefined) killedUnfinished++;
      await killed(current);
      current = await startService({ ...SETTINGS, PLATEN_DATA_DIR: dataDir }, { firstKey: key });
    }
    await using last = current;
    const client = new Client(last.url, key);
    await eventually('it has ended', async () => (await look(client, id)).completed_at !== undefined, 240_000);
    expect(killedUnfinished).toBeGreaterThanOrEqual(KILLS / 2);
    await judge(await look(client, id), last, client);
    audit(dataDir, id);
    const named = namedFiles(join(dataDir, 'platen.db')).map(({ file }) => file);
    await eventually('no content is nobody’s', async () => String(await blobFiles(dataDir)) === String(named));
    const charged = ITEMS * 0.8;
    await eventually(
      'reservations of the dead have ended',
      async () => (await client.usage()).documents.used === charged,
      60_000,
    );
  },
  180_000 + KILLS * 30_000,
);

async function judge(batch: Batch, service: Service, client: Client): Promise<void> {
  expect(batch).toMatchObject({ status: 'completed', total: ITEMS, succeeded: ITEMS * 0.9, failed: ITEMS * 0.1 });
  expect(batch.items.map(({ status, error }) => error?.code ?? status)).toEqual(
    batch.items.map((_item, n) => (n % 10 === 3 ? 'print_failed' : 'succeeded')),
  );
  for (const { index, url, document_id } of batch.items) {
    if (index % 10 === 3) continue;
    const link = (url ?? '').replace(/^https?:\/\/[^/]+/, service.url);
    const { pages } = await readPdf(await (await fetch(link)).arrayBuffer());
    expect(pages).toEqual([`document ${index % 10 === 7 ? index - 1 : index}`]);
    if (index % 10 === 7) expect(document_id).toBe(batch.items[index - 1]?.document_id);
  }
  expect((await client.usage()).storage.documents).toBe(ITEMS * 0.8);
}

/** Expects that nothing is counted twice anywhere. */
function audit(dataDir: string, id: string): void {
  const database = new DatabaseSync(join(dataDir, 'platen.db'), { readOnly: true });
  const number = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  expect(number('SELECT count(DISTINCT document_id) FROM batch_items WHERE document_id IS NOT NULL')).toBe(ITEMS * 0.8);
  expect(number('SELECT count(*) FROM documents')).toBe(ITEMS * 0.8);
  expect(number('SELECT coalesce(sum(documents), 0) FROM usage_days')).toBe(ITEMS * 0.8);
  expect(number(`SELECT count(*) FROM batch_items WHERE batch_id = '${id}'`)).toBe(ITEMS);
  expect(number("SELECT count(*) FROM batch_requests JOIN batch_items USING (batch_id, position) WHERE status <> 'failed'")).toBe(
    0,
  );
  database.close();
}

async function killed(service: Service): Promise<void> {
  service.child.removeAllListeners('exit');
  const exited = once(service.child, 'exit');
  service.child.kill('SIGKILL');
  await exited;
}

function outcomes({ succeeded, failed }: Batch): number {
  return succeeded + failed;
}

async function look(client: Client, id: string): Promise<Batch> {
  return client.json<Batch>(`/v1/batches/${id}`);
}
