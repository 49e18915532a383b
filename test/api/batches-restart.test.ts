/** Batches across restarts: every item has one outcome, and at most one document and one charge. */
import { expect, test } from 'vitest';
import { type Batch, Client } from '../support/client.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { rowsOf } from '../support/stored.ts';

const MARKER = 'kept-in-no-file-as-it-was-sent';
const SETTINGS = { PLATEN_CONCURRENCY: '2', PLATEN_SWEEP_SECONDS: '1' };

/** Every fourth item fails, but only after the browser has loaded it. */
const items = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    html: `<!-- ${MARKER} --><p>${n}`,
    options: { waitForTimeout: 60, ...(n % 4 === 3 && { pageRanges: '9' }) },
  }));

async function read(client: Client, id: string): Promise<Batch> {
  return (await (await client.get(`/v1/batches/${id}`, { prefer: 'wait=5' })).json()) as Batch;
}

async function begin(count: number): Promise<{ service: Service; client: Client; id: string; dataDir: string }> {
  const service = await startService(SETTINGS);
  const client = new Client(service.url, (await service.createKey()).key);
  const response = await client.send('POST', '/v1/batches', { items: items(count) });
  expect(response.status).toBe(202);
  const { batch_id: id } = (await response.json()) as Batch;
  return { service, client, id, dataDir: service.env.PLATEN_DATA_DIR ?? '' };
}

/** Checks that batches, documents and usage agree on the number of documents, so that nothing was counted twice. */
async function audit({ env }: Service, id: string): Promise<void> {
  const number = async (statement: string) => Number(Object.values((await rowsOf(env, statement))[0] ?? {})[0]);
  const named = await number('SELECT count(DISTINCT document_id) FROM batch_items WHERE document_id IS NOT NULL');
  expect(await number(`SELECT succeeded FROM batches WHERE id = '${id}'`)).toBe(named);
  expect(await number('SELECT count(*) FROM documents')).toBe(named);
  expect(await number('SELECT coalesce(sum(documents), 0) FROM usage_days')).toBe(named);
  expect(await number("SELECT coalesce(sum(documents), 0) FROM usage_sums WHERE kind = 'template'")).toBe(named);
  expect(
    await number("SELECT count(*) FROM batch_requests JOIN batch_items USING (batch_id, position) WHERE status <> 'failed'"),
  ).toBe(0);
}

test('finishes running items on SIGTERM, and continues with the others after the restart', async () => {
  const { service, client, id, dataDir } = await begin(40);
  await using _ = service;
  await eventually('some are done', async () => (await look(client, id)).succeeded >= 5);
  expect(await service.stop()).toBe(0);
  expect(await rowsOf(service.env, "SELECT position FROM batch_items WHERE status = 'running'")).toEqual([]);
  await using next = await startService({ ...SETTINGS, PLATEN_DATA_DIR: dataDir }, { firstKey: client.key });
  const after = new Client(next.url, client.key);
  await eventually('it has ended', async () => (await read(after, id)).completed_at !== undefined, 60_000);
  expect(await read(after, id)).toMatchObject({ status: 'completed', succeeded: 30, failed: 10 });
  await audit(next, id);
});

test('answers waiting clients on SIGTERM', async () => {
  const { service, client, id } = await begin(40);
  await using _ = service;
  const waiting = client.get(`/v1/batches/${id}`, { prefer: 'wait=60' });
  await eventually('it has begun', async () => (await look(client, id)).status === 'running');
  expect(await service.stop()).toBe(0);
  expect(((await (await waiting).json()) as Batch).completed_at).toBeUndefined();
});

async function look(client: Client, id: string): Promise<Batch> {
  return client.json<Batch>(`/v1/batches/${id}`);
}
