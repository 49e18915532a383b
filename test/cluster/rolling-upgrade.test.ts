/**
 * Runs a node of this version beside a node of the next version, which has migrated the database. Both serve the same keys, documents
 * and batches. Once stopped, the older node does not start again.
 */
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Batch, Client, type DocumentRecord } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { eventually, runCli, startService } from '../support/service.ts';
import { S3_CREDENTIALS } from './s3-server.ts';
import { startBoth } from './start-both.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;
const ITEMS = 12;
const NEXT = `
export const next = {
  async up(db) {
    await db.schema.createTable('of_the_next_version').addColumn('blob', 'text').execute();
    await db.schema.alterTable('documents').addColumn('of_the_next_version', 'text').execute();
  },
};
`;

const { postgres, s3 } = await startBoth();
const checkout = await nextVersion();
const settings = {
  ...S3_CREDENTIALS,
  PLATEN_DATABASE_URL: await postgres.createDatabase(),
  PLATEN_BLOBS_URL: s3.urlOf(await s3.createBucket()),
  PLATEN_PLAYGROUND: 'off',
  PLATEN_CONCURRENCY: '1',
};
const older = await startService(settings).then(closeAfterAll);
const { key } = await older.createKey(); // commands of this version do not open the database of the next one
const newer = await startService(settings, { firstKey: older.key, checkout }).then(closeAfterAll);

/** This version with one more migration, and with one more kind of batches: those whose metadata say so. */
async function nextVersion(): Promise<string> {
  const folder = await makeFolder('checkout');
  for (const name of ['src', 'web', 'package.json', 'tsconfig.json'])
    await cp(join(PROJECT, name), join(folder, name), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const migrations = join(folder, 'src/storage/migrations');
  await writeFile(join(migrations, '9998-next.ts'), NEXT);
  await change(join(migrations, 'index.ts'), /\};\s*$/, "  '9998-next': next as unknown as Migration,\n};\n");
  await change(join(migrations, 'index.ts'), /^/, "import { next } from './9998-next.ts';\n");
  const requests = join(folder, 'src/batches/batch-request.ts');
  await change(requests, 'PARSERS = {', 'PARSERS = { of_the_next_version: parseRenderRequest,');
  await change(requests, 'return { items,', "return { ...(metadata.is_next && { kind: 'of_the_next_version' as const }), items,");
  return folder;
}

async function change(file: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text).toMatch(from);
  await writeFile(file, text.replace(from, to));
}

test("serve each other's data side by side", async () => {
  expect(
    await postgres.query(
      settings.PLATEN_DATABASE_URL ?? '',
      "select 1 as applied from kysely_migration where name = '9998-next'",
    ),
  ).toEqual([{ applied: 1 }]);
  const [here, there] = [new Client(older.url, key), new Client(newer.url, key)];
  for (const [maker, reader] of [
    [here, there],
    [there, here],
  ] as const) {
    const made = (await (
      await maker.pdf({ html: '<p>made', store: true, metadata: { a: 'b' } }, { accept: 'application/json' })
    ).json()) as DocumentRecord;
    expect((await readPdfReply(await reader.get(`/v1/documents/${made.document_id}`))).pages).toEqual(['made']);
    const { template_id } = await maker.template('<p>{{name}}');
    expect((await readPdfReply(await reader.pdf({ template_id, data: { name: 'Ada' } }))).pages).toEqual(['Ada']);
    const items = Array.from({ length: ITEMS }, (_, n) => ({ html: `<p>item ${n}`, options: { waitForTimeout: 300 } }));
    const { batch_id } = (await (await maker.send('POST', '/v1/batches', { items })).json()) as Batch;
    const look = () => reader.json<Batch>(`/v1/batches/${batch_id}`);
    await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 60_000);
    expect((await look()).succeeded).toBe(ITEMS);
  }
  const made = 2 * (2 + ITEMS);
  expect((await here.usage()).documents.used).toBe(made);
  expect((await there.usage()).documents.used).toBe(made);
});

test('work of a kind that only the newer one knows is left to it, and holds up nothing of the same key', async () => {
  const newest = new Client(newer.url, key);
  const create = async (metadata: object) => {
    const items = Array.from({ length: ITEMS }, (_, n) => ({ html: `<p>item ${n}`, options: { waitForTimeout: 300 } }));
    return (await newest.send('POST', '/v1/batches', { items, metadata })).json() as Promise<Batch>;
  };
  for (const { batch_id } of [await create({ is_next: 'yes' }), await create({})]) {
    const look = () => newest.json<Batch>(`/v1/batches/${batch_id}`);
    await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 60_000);
    expect((await look()).succeeded).toBe(ITEMS);
  }
  expect(older.output()).not.toContain('internal_error');
});

test('the older one does not start again, and says why', async () => {
  expect(await older.stop()).toBe(0);
  const again = await runCli(['serve'], { ...older.env, PLATEN_PORT: '0' }).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a newer version of Platen has migrated the database'),
  });
});
