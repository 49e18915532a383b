/** Lists and sweeps use indexes, so that they stay fast with any number of documents. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { Leases } from '../../src/accounts/leases.ts';
import { AuditLog } from '../../src/audit/audit.ts';
import { Batches } from '../../src/batches/batches.ts';
import { DatabaseQueue } from '../../src/batches/database-queue.ts';
import { announceUploaded } from '../../src/batches/outcomes.ts';
import { Progress } from '../../src/batches/progress.ts';
import type { ClaimedItem } from '../../src/batches/queue.ts';
import { loadConfig } from '../../src/config.ts';
import { Documents } from '../../src/documents/documents.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { Idempotency } from '../../src/idempotency/idempotency.ts';
import { RequestLog } from '../../src/request-log/request-log.ts';
import { DiskBlobs } from '../../src/storage/blobs/blobs-disk.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { readNamedBlobs } from '../../src/storage/named-blobs.ts';
import { PayloadCipher } from '../../src/storage/payload-cipher.ts';
import { Deliverer } from '../../src/webhooks/deliverer.ts';
import { WebhookSecrets } from '../../src/webhooks/secrets.ts';
import { removeUploads, Uploads, uploadReports } from '../../src/webhooks/uploads.ts';
import { Webhooks } from '../../src/webhooks/webhooks.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { NO_JOBS } from '../support/idle-tasks.ts';

const statements: Array<{ sql: string; parameters: readonly unknown[] }> = [];

const dataDir = await makeFolder();
const opened = await openDatabase({ dataDir });
// Records the statements that the services execute.
const recorder: KyselyPlugin = {
  transformQuery: ({ node }) => {
    statements.push(opened.query.getExecutor().compileQuery(node, { queryId: 'noted' }));
    return node;
  },
  transformResult: async ({ result }) => result,
};
const query = opened.query.withPlugin(recorder);
const transaction: Database['transaction'] = (work) => opened.transaction((own) => work(own.withPlugin(recorder)));
const database = closeAfterAll({ ...opened, query, transaction });

test('no statement for documents, webhooks and sweeps scans a table or sorts', async () => {
  const leases = new Leases(Date.now);
  const blobs = await DiskBlobs.open(join(dataDir, 'blobs'));
  const documents = new Documents(database, blobs, Date.now);
  const idempotency = new Idempotency(database, blobs, Date.now, leases);
  await documents.list('key', 20, {});
  await documents.list('key', 20, {}, { createdAt: 1, id: 'doc_x' });
  await documents.list('key', 20, { templateId: 'tpl_x', createdAfter: 1, createdBefore: 9 }, { createdAt: 1, id: 'doc_x' });
  await documents.list('key', 20, { metadata: { order: '1' } });
  await documents.list('key', 20, { metadata: { order: '1' }, templateId: 'tpl_x' }, { createdAt: 1, id: 'doc_x' });
  await documents.list('key', 20, { metadata: { order: '1', customer: '2' }, text: 'x' }, { createdAt: 1, id: 'doc_x' });
  await documents.find('key', 'doc_x').catch(() => {});
  await documents.dueContent(50);
  await documents.readStorage('acc_x');
  await idempotency.dueContent(50);
  await idempotency.removeContent('idm_x');
  await idempotency.removeExpired();
  const limits = { renderTimeoutMs: 1, maxRenderTimeoutMs: 1 };
  const uploads = new Uploads({
    ...{ database, documents, clock: Date.now, jobs: NO_JOBS, accounts: { isRevoked: async () => false } },
    cipher: new PayloadCipher(Buffer.alloc(32)),
    onUploadEnded: (batchId, query) => announceUploaded(query, batchId, async () => {}),
    onBatchUploaded() {},
  });
  const batches = new Batches(database, Date.now, {
    cipher: new PayloadCipher(Buffer.alloc(32)),
    limits,
    progress: new Progress(),
    jobs: NO_JOBS,
    announce: async () => {},
    requestLog: new RequestLog(database, Date.now, { requestLogMs: 1_000 }),
  });
  await batches.list('key', 20, {}, { createdAt: 1, id: 'bat_x' });
  await batches.list('key', 20, { metadata: { order: '1', customer: '2' } }, { createdAt: 1, id: 'bat_x' });
  await batches.find('key', 'bat_x').catch(() => {});
  await batches.forgetFailed();
  await batches.removeExpired();
  const requestLog = new RequestLog(database, Date.now, { requestLogMs: 1_000 });
  const filter = { status: 'failed', code: 'x', templateId: 'tpl_x', createdAfter: 1, createdBefore: 2 } as const;
  await requestLog.list('key', 20, filter, { createdAt: 1, id: 'req_x' });
  await requestLog.find('key', 'req_x');
  await requestLog.listFailures(20, {}, { createdAt: 1, id: 'req_x' });
  await requestLog.removeOld();
  const queue = new DatabaseQueue(database, Date.now, leases, async () => {});
  await opened.transaction(async (query) => {
    await query.insertInto('accounts').values({ id: 'acc_x', name: '', plan: 'x', auto_store: 0, created_at: 1 }).execute();
    const key = { id: 'key', account_id: 'acc_x', name: '', secret_hash: '', hint: '', created_at: 1, revoked_at: null };
    await query.insertInto('api_keys').values(key).execute();
  });
  const plan = {
    name: 'x',
    documents: null,
    retentionMs: 1e6,
    requestsPerMinute: null,
    concurrency: null,
    openItems: 5,
    storageBytes: 1e9,
  };
  const owner = { keyId: 'key', accountId: 'acc_x', plan, autoStore: false, scopes: null, isTest: false };
  await batches.create(owner, { items: [{ html: 'x' }], defaults: {}, webhookUrl: undefined, metadata: {} }, async () => {});
  const item = await queue.claim('key');
  expect(item?.position).toBe(0);
  await queue.nextDue('key');
  await queue.complete(item as ClaimedItem, { status: 'failed', error: { code: 'print_failed', detail: 'x' } });
  await batches.outcomesAfter('key', item?.batchId ?? '', 0, 50);
  await readNamedBlobs(database, ['doc_x', 'idm_x']);
  const webhooks = new Webhooks(database, Date.now, NO_JOBS);
  await webhooks.list('key', 20);
  await webhooks.list('key', 20, { createdAt: 1, id: 'msg_x' });
  await webhooks.removeOld();
  await webhooks.listFailed(20, undefined, { createdAt: 1, id: 'msg_x' });
  await webhooks.listFailed(20, 'acc_x', { createdAt: 1, id: 'msg_x' });
  await webhooks.countFailed();
  const auditLog = new AuditLog(database, Date.now, { auditLogMs: 1_000 });
  await auditLog.list(20, {}, { createdAt: 1, id: 'aud_x' });
  await auditLog.list(20, { accountId: 'acc_x', action: 'key.created' }, { createdAt: 1, id: 'aud_x' });
  await auditLog.removeOld();
  await uploadReports(database.query, 'bat_x');
  await removeUploads(database.query, 'bat_x');
  await announceUploaded(database.query, item?.batchId ?? '', async () => {});
  await webhooks.documentExpired({ id: 'doc_x', keyId: 'key', accountId: 'acc_x', expiresAt: 1 }, database.query);
  const webhookSecrets = new WebhookSecrets(database, Date.now);
  await webhookSecrets.removeEnded();
  const { engine, deliveries } = loadConfig({});
  const ignore = () => {};
  const services = {
    database,
    webhookSecrets,
    uploads,
    policy: new OutboundPolicy(engine.outbound),
    clock: Date.now,
    jobs: NO_JOBS,
  };
  const deliverer = new Deliverer({ ...services, onOutcome: ignore, onRefused: ignore }, deliveries);
  for (const task of [deliverer.task('webhook'), deliverer.task('upload')]) {
    await task.owners?.();
    await task.take('acc_x');
  }
  expect(statements.some(({ sql }) => sql.includes('lease_until'))).toBe(true);
  leases.stop();
  expect(statements.length).toBeGreaterThanOrEqual(10);
  const sqlite = new DatabaseSync(join(dataDir, 'platen.db'), { readOnly: true });
  expect(statements.filter(({ sql }) => sql.includes('limit ?'))).toEqual([]); // it would be planned anew each time
  for (const { sql, parameters } of statements.filter((each) => !each.sql.startsWith('insert'))) {
    const plan = sqlite.prepare(`explain query plan ${sql}`).all(...parameters.map(sampleValue)) as Array<{ detail: string }>;
    const steps = plan.map(({ detail }) => detail);
    expect(steps.join('; '), sql).not.toMatch(/SCAN (?!waiting\b)|TEMP B-TREE/);
    expect(steps.join('; '), sql).toMatch(/USING (COVERING )?INDEX/);
    if (sql.includes('"leader" = ?')) expect(steps.join('; '), sql).toContain('batch_items_leader (leader=? AND batch_id=?)');
    for (const step of steps.filter((each) => /^SEARCH (due|item)\b/.test(each))) expect(step, sql).toContain('batch_items_due');
  }
  expect(statements.some(({ sql }) => sql.includes('"leader" = ?'))).toBe(true);
  sqlite.close();
});

/** Replaces values that are unknown when a statement is compiled. */
function sampleValue(parameter: unknown): string | number {
  return typeof parameter === 'string' || typeof parameter === 'number' ? parameter : 1;
}
