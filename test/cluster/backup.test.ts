/** The commands in docs/operate/backups.md for PostgreSQL and S3, next to a running service. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readDocument } from '../../tools/docs/documents.ts';
import { bytesOf, Client, type DocumentRecord, type List } from '../support/client.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { startService } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { S3_CREDENTIALS } from './s3-server.ts';
import { startBoth } from './start-both.ts';

const { postgres, s3 } = await startBoth();
const folder = await makeFolder('backup');

const blocks = readDocument('docs/operate/backups.md').blocks.map(({ text }) => text);

/** Runs the block that has this line, after the one that says where the bucket is. */
async function paste(line: string, variables: Record<string, string>): Promise<void> {
  const [access, chosen] = [
    blocks.find((text) => text.includes('RCLONE_CONFIG_STORE_TYPE')),
    blocks.find((text) => text.includes(line)),
  ];
  const setup = access?.split('\n').filter((text) => text.startsWith('export')) ?? [];
  const commands = chosen?.split('\n').filter((text) => !text.startsWith('export')) ?? [];
  const env = { PATH: process.env.PATH, HOME: folder, ...S3_CREDENTIALS, S3_ENDPOINT: s3.endpoint, ...variables };
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', [...setup, ...commands].join('\n')], { cwd: folder, env });
}

function large(): object {
  const content = randomBytes(20_000).toString('base64');
  return { html: '<p>x', options: { attachments: [{ name: 'a.bin', type: 'application/octet-stream', content }] } };
}

test('restores everything byte for byte into another database and another bucket', async () => {
  const [source, bucket] = [await postgres.createDatabase(), await s3.createBucket()];
  await using service = await startService({ PLATEN_DATABASE_URL: source, PLATEN_BLOBS_URL: s3.urlOf(bucket) });
  const client = new Client(service.url, service.key);
  const before: DocumentRecord[] = [];
  for (let n = 0; n < 10; n++) before.push(await client.store(large()));
  const template = await client.template('<p>{{a}}');
  let atWork = true;
  const work = (async () => {
    while (atWork) await client.store(large());
  })();
  await paste('# back up', { PLATEN_DATABASE_URL: source, BUCKET: bucket });
  atWork = false;
  await work;

  const [database, other] = [await postgres.createDatabase(), await s3.createBucket()];
  await paste('# restore', { RESTORED_DATABASE_URL: database, RESTORED_BUCKET: other });
  const restored = { PLATEN_DATABASE_URL: database, PLATEN_BLOBS_URL: s3.urlOf(other) };
  await using node = await startService(restored, { firstKey: service.key });
  const there = new Client(node.url, service.key);
  for (const { document_id, sha256: hash } of before)
    expect(sha256(await bytesOf(await there.get(`/v1/documents/${document_id}`)))).toBe(hash);
  const all = await there.json<List<DocumentRecord>>('/v1/documents?limit=100');
  for (const { document_id, sha256: hash } of all.data)
    expect(sha256(await bytesOf(await there.get(`/v1/documents/${document_id}`)))).toBe(hash);
  expect((await there.get(`/v1/templates/${template.template_id}`)).status).toBe(200);
  expect((await there.store({ html: '<p>new' })).pages).toBe(1);
});
