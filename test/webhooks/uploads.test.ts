/** Uploads on a real database: fairness between accounts, revoked keys, and the end of a batch. test/api/deliver-to.test.ts covers their content. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Principal } from '../../src/accounts/accounts.ts';
import { announceUploaded } from '../../src/batches/outcomes.ts';
import { loadConfig } from '../../src/config.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { openServices, type Services } from '../../src/services.ts';
import { PayloadCipher } from '../../src/storage/payload-cipher.ts';
import { Deliverer } from '../../src/webhooks/deliverer.ts';
import { Uploads, uploadReports } from '../../src/webhooks/uploads.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { IDLE_TASKS } from '../support/idle-tasks.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';
import { storageSettings } from '../support/storage-settings.ts';

let dataDir: string;
let opened: Services;
let owner: Principal;
let uploads: Uploads;
let deliverer: Deliverer | undefined;
const settled: string[] = [];
const failures: unknown[] = [];
const clock = Date.now;

beforeEach(async () => {
  settled.length = 0;
  dataDir = await makeTestFolder();
  opened = await openServices(loadConfig({ ...(await storageSettings(dataDir)), PLATEN_DATA_DIR: dataDir }).services, clock);
  owner = await anotherOwner();
  uploads = new Uploads({
    ...opened,
    clock,
    cipher: new PayloadCipher(Buffer.alloc(32)),
    onUploadEnded: (batchId, query) => announceUploaded(query, batchId, async () => {}),
    onBatchUploaded: (batchId) => settled.push(batchId),
  });
});
afterEach(async () => {
  deliverer?.abort();
  await opened.close();
  expect(failures.splice(0)).toEqual([]);
});

async function anotherOwner(): Promise<Principal> {
  const { id } = await opened.accounts.createAccount('free');
  return (await opened.accounts.authenticate((await opened.accounts.createKey(id)).secret)) as Principal;
}

function enqueue(
  principal: Principal,
  url: string,
  item = { batchId: 'bat_1', position: 0 },
  documentId = 'doc_1',
): Promise<void> {
  const { accountId, keyId } = principal;
  const upload = { accountId, keyId, item, documentId, bytes: 1, isHeld: false, url, headers: {} };
  return opened.database.transaction((query) => uploads.enqueue(upload, query));
}

function start(overrides: Partial<Uploads> = {}, allowed = ''): void {
  const { engine, deliveries } = loadConfig({
    PLATEN_WEBHOOK_RETRY_SECONDS: '1',
    ...(allowed && { PLATEN_OUTBOUND_ALLOW: allowed }),
  });
  const none = () => {};
  const services = { ...opened, clock, policy: new OutboundPolicy(engine.outbound), onOutcome: none, onRefused: none };
  const open = overrides.open ?? ((upload) => uploads.open(upload));
  const settle: Uploads['settle'] = (...args) => uploads.settle(...args);
  deliverer = new Deliverer({ ...services, uploads: { open, settle } }, deliveries);
  const tasks = { webhook: deliverer.task('webhook'), upload: deliverer.task('upload') };
  opened.jobs.start({ ...IDLE_TASKS, ...tasks }, (error) => failures.push(error));
}

test('limits the uploads of an account, and delays no webhook behind hanging uploads', async () => {
  const owners = [owner, ...(await Promise.all(Array.from({ length: 9 }, anotherOwner)))];
  for (const [n, each] of owners.entries())
    for (let index = 0; index < 8; index++) await enqueue(each, `https://store${index}.of${n}.test/`);
  const response = Promise.withResolvers<undefined>();
  const accounts: string[] = [];
  using receiver = await Receiver.start();
  using hanging = new DisposableStack();
  hanging.defer(() => response.resolve(undefined));
  const open: Uploads['open'] = (upload) => {
    accounts.push(owners.find(({ keyId }) => keyId === upload.key_id)?.accountId ?? '');
    return response.promise;
  };
  start({ open }, receiver.address);
  await eventually('the maximum number of uploads hang', () => accounts.length === 32);
  const event = { ...owner, url: receiver.url, type: 'batch.completed', data: {} } as const;
  const id = await opened.database.transaction((query) => opened.webhooks.enqueue(event, query));
  await eventually('the webhook has arrived', () => receiver.ids.includes(id));
  expect(accounts).toHaveLength(32);
  for (const { accountId } of owners) expect(accounts.filter((each) => each === accountId).length).toBeLessThanOrEqual(4);
});

test('keeps the due times of webhooks and uploads apart, and removes neither while it is pending', async () => {
  await enqueue(owner, 'https://store.test/');
  const event = { ...owner, url: 'http://hooks.test/', type: 'batch.completed', data: {} } as const;
  await opened.database.transaction((query) => opened.webhooks.enqueue(event, query));
  const { query } = opened.database;
  const due = await query.selectFrom('webhook_deliveries').select('type').where('next_attempt_at', 'is not', null).execute();
  expect(due).toEqual([{ type: 'batch.completed' }]);
  await query.updateTable('webhook_deliveries').set({ created_at: 1 }).execute();
  await opened.webhooks.removeOld();
  expect(await query.selectFrom('webhook_deliveries').select('type').orderBy('type').execute()).toEqual([
    { type: 'batch.completed' },
    { type: 'upload' },
  ]);
});

test('ends uploads of a revoked key', async () => {
  using receiver = await Receiver.start();
  const name = `https://${receiver.address}/`;
  await storeDocument();
  await enqueue(owner, name);
  await opened.accounts.keys.revoke(undefined, owner.keyId);
  start({}, receiver.address);
  await eventually('it has ended', async () => (await report())?.status === 'failed');
  expect(await report()).toMatchObject({
    attempts: 1,
    error: 'the document was deleted, or expired, or its key was revoked, before it could be uploaded',
  });
});

const report = async () => (await uploadReports(opened.database.query, 'bat_1')).get(0);

/** Stores the document `doc_1`. */
async function storeDocument(): Promise<void> {
  const removal = {
    created_at: clock(),
    expires_at: clock() + 60_000,
    deleted_at: null,
    remove_at: clock() + 60_000,
    has_content: 1,
  };
  const described = {
    filename: null,
    bytes: 1,
    pages: 1,
    sha256: '',
    source: 'html',
    template_id: null,
    report: null,
    metadata: null,
  };
  const identity = { id: 'doc_1', key_id: owner.keyId, account_id: owner.accountId };
  await opened.database.query
    .insertInto('documents')
    .values({ ...identity, ...described, ...removal })
    .execute();
}

test('notifies waiting clients when the last upload of a batch has ended, and not after each', async () => {
  const plan = { ...owner.plan, retentionMs: 60_000 };
  const items = [{ options: {} }]; // an item without a source fails at once
  const batch = { items, defaults: {}, webhookUrl: undefined, metadata: {} };
  const batchId = await opened.batches.create({ ...owner, plan }, batch, async () => {});
  for (const position of [0, 1]) await enqueue(owner, 'https://store.test/', { batchId, position }, 'doc_gone');
  const end = async (position: number) => {
    const afterwards = await opened.database.transaction(async (query) => {
      await query.updateTable('webhook_deliveries').set({ status: 'failed' }).where('batch_position', '=', position).execute();
      return uploads.settle({ batch_id: batchId } as Parameters<Uploads['settle']>[0], undefined, false, query);
    });
    await afterwards();
  };
  await end(0);
  expect(settled).toEqual([]);
  await end(1);
  expect(settled).toEqual([batchId]);
});
