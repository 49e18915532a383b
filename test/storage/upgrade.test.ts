/**
 * A service of this version continues on a data folder of the baseline, the first version that can be upgraded. The folder was made by
 * a killed service: it has a template with two versions and a file, documents, a kept reply, and a batch of which one item of four is done.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, type List, type VersionRecord } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { eventually, startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { unpackFolder } from '../support/unpack-folder.ts';

interface Facts {
  key: string;
  first_key: string;
  template_id: string;
  document_id: string;
  /** Of the document. */
  sha256: string;
  batch_id: string;
  /** SHA-256 of the reply for the Idempotency-Key `kept`. */
  kept: string;
}

const dataDir = await makeFolder();
unpackFolder('baseline', dataDir);
const facts = JSON.parse(await readFile(join(dataDir, 'facts.json'), 'utf8')) as Facts;
postponeEnds();
const service = await startService({ PLATEN_DATA_DIR: dataDir, PLATEN_PLAYGROUND: 'off' }, { firstKey: facts.first_key }).then(
  closeAfterAll,
);
const client = new Client(service.url, facts.key);

/** The folder is older than anything is kept. */
function postponeEnds(): void {
  using database = new DatabaseSync(join(dataDir, 'platen.db'));
  const later = Date.now() + 86_400_000;
  database.prepare('update documents set expires_at = :later, remove_at = :later').run({ later });
  database.prepare('update batches set kept_until = :later').run({ later });
  database.prepare('update idempotency_keys set expires_at = :later, blob_until = :later').run({ later });
}

test('completes the batch', async () => {
  const look = () => client.json<{ completed_at?: string; succeeded: number }>(`/v1/batches/${facts.batch_id}`);
  await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 100_000);
  expect((await look()).succeeded).toBe(4);
  const listed = await client.json<List<DocumentRecord>>('/v1/documents?limit=100');
  const texts = listed.data
    .filter(({ source }) => source === 'html')
    .map(async ({ document_id }) => {
      const reply = await client.get(`/v1/documents/${document_id}`);
      return reply.headers.get('content-type') === 'application/pdf' ? (await readPdfReply(reply)).pages : [];
    });
  expect((await Promise.all(texts)).flat()).toEqual(
    expect.arrayContaining(['item 0', 'item 1', 'item 2', 'item 3', 'stored by the baseline']),
  );
});

test('renders the template, and has its earlier version and its file', async () => {
  const path = `/v1/templates/${facts.template_id}`;
  const rendered = await client.pdf({ template_id: facts.template_id, data: { name: 'Ada' } });
  expect((await readPdfReply(rendered)).pages).toEqual(['Good morning Ada']);
  const { data } = await client.json<List<VersionRecord>>(`${path}/versions`);
  expect(data.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(await (await client.get(`${path}/assets/note.txt`)).text()).toContain('a2VwdA==');
});

test('returns the document and the kept reply byte for byte', async () => {
  expect(sha256(await bytesOf(await client.get(`/v1/documents/${facts.document_id}`)))).toBe(facts.sha256);
  const again = await client.pdf({ html: '<p>kept' }, { 'idempotency-key': 'kept' });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(sha256(await bytesOf(again))).toBe(facts.kept);
});
