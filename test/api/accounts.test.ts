/** What the operator does with accounts while the service runs: names, suspends, resumes and deletes them. */
import { expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { eventually, type IssuedKey, startService } from '../support/service.ts';
import { storedWith } from '../support/stored.ts';

const MARKER = 'marker-of-a-deleted-account';

const service = await startService({ PLATEN_SWEEP_SECONDS: '1' }).then(closeAfterAll);

const as = ({ key }: { key: string }) => new Client(service.url, key);
const accountOf = async ({ account_id }: IssuedKey) =>
  (JSON.parse(await service.cli('accounts', 'list', '--json')) as Array<{ account_id: string }>).find(
    (each) => each.account_id === account_id,
  );

test('renames an account', async () => {
  const issued = await service.createKey();
  await service.cli('accounts', 'rename', issued.account_id, 'ACME Ltd');
  expect(await accountOf(issued)).toMatchObject({ name: 'ACME Ltd', status: 'active' });
  await expect(service.cli('accounts', 'rename', 'acc_none', 'x')).rejects.toMatchObject({
    stderr: 'platen: there is no account "acc_none"\n',
  });
});

test('suspends an account: its keys and links are refused and its batches wait, until it is resumed', async () => {
  const [issued, other] = [await service.createKey(), await service.createKey()];
  const ada = as(issued);
  const { document_id } = await ada.store({ html: '<p>kept' });
  const link = (await (await ada.send('POST', `/v1/documents/${document_id}/links`, {})).json()) as { url: string };
  await service.cli('accounts', 'suspend', issued.account_id);
  expect(await accountOf(issued)).toMatchObject({ status: 'suspended' });
  await problem(await ada.pdf({ html: 'x' }), 403, 'account_suspended');
  await problem(await ada.get('/v1/documents'), 403, 'account_suspended');
  await problem(await fetch(link.url), 403, 'account_suspended');
  expect((await as(other).pdf({ html: 'x' })).status).toBe(200);
  await service.cli('accounts', 'resume', issued.account_id);
  expect((await ada.pdf({ html: 'x' })).status).toBe(200);
  expect((await fetch(link.url)).status).toBe(200);
});

test('keeps the batches of a suspended account waiting', async () => {
  const issued = await service.createKey();
  const items = Array.from({ length: 200 }, (_, n) => ({ html: `<p>${n}` }));
  const { batch_id } = (await (await as(issued).send('POST', '/v1/batches', { items })).json()) as { batch_id: string };
  await service.cli('accounts', 'suspend', issued.account_id);
  let waiting = -1;
  await eventually('no item begins any more', async () => {
    const before = waiting;
    waiting = await service.metric('platen_batch_items_waiting');
    return waiting > 0 && waiting === before && (await service.metric('platen_renders_running')) === 0;
  });
  await service.cli('accounts', 'resume', issued.account_id);
  const ended = () => as(issued).json<{ status: string; succeeded: number }>(`/v1/batches/${batch_id}`);
  await eventually('it is completed', async () => (await ended()).status === 'completed', 120_000);
  expect(await ended()).toMatchObject({ succeeded: 200 });
}, 180_000);

test('deletes an account: its keys are unknown at once, and the sweep leaves nothing that they stored', async () => {
  const { key, key_id, account_id, plan } = await service.createKey();
  const issued = { key, key_id, account_id, plan };
  const other = as(await service.createKey());
  const kept = await other.store({ html: '<p>of another' });
  const ada = as(issued);
  await service.cli('accounts', 'rename', account_id, MARKER);
  const metadata = { order: MARKER };
  const named = { 'idempotency-key': MARKER };
  const { document_id } = await ada.store({ html: '<p>x', filename: `${MARKER}.pdf`, metadata });
  await ada.pdf({ html: '<p>remembered' }, named);
  const samples = { [MARKER]: { text: MARKER } };
  const { template_id } = await ada.template(MARKER, { name: MARKER, metadata, samples, visibility: 'account' });
  const asset = await fetch(`${service.url}/v1/templates/${template_id}/assets/${MARKER}.css`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/css' },
    body: `/* ${MARKER} */`,
  });
  expect(asset.status).toBeLessThan(300);
  const css = Buffer.from(`/* ${MARKER} of the account */`).toString('base64');
  await ada.send('PATCH', '/v1/account', {
    options: { headerTemplate: MARKER },
    assets: { [`${MARKER}.css`]: { content: css } },
  });
  await ada.send('POST', '/v1/keys', { name: MARKER });
  await ada.send('POST', '/v1/certificates', { name: MARKER, pkcs12: pkcs12Of(await issue('Ada'), [], 'pw'), password: 'pw' });
  const batch = { items: [{ html: '<p>x', reference: MARKER, filename: `${MARKER}-2.pdf` }], metadata };
  expect((await ada.send('POST', '/v1/batches', batch, { prefer: 'wait=60' })).status).toBe(200);
  const link = (await (await ada.send('POST', `/v1/documents/${document_id}/links`, {})).json()) as { url: string };
  expect(await storedWith(service.env, MARKER)).not.toEqual([]);

  await service.cli('accounts', 'delete', account_id);
  await problem(await ada.get('/v1/documents'), 401, 'unauthorized');
  await problem(await fetch(link.url), 410, 'document_deleted');
  await eventually('no trace is left', async () => (await storedWith(service.env, MARKER)).length === 0);
  expect(await accountOf(issued)).toMatchObject({ name: '', status: 'deleted' });
  await problem(await fetch(link.url), 410, 'document_deleted');
  await expect(service.cli('keys', 'create', '--account', account_id)).rejects.toMatchObject({ code: 1 });
  await expect(service.cli('accounts', 'resume', account_id)).rejects.toMatchObject({ code: 1 });
  expect((await bytesOf(await other.get(`/v1/documents/${kept.document_id}`))).length).toBe(kept.bytes);
});

test('creates a key that expires', async () => {
  for (const [given, seconds] of [
    ['90', 90],
    ['30d', 2_592_000],
  ] as const) {
    const before = Date.now();
    const { key_id } = JSON.parse(await service.cli('keys', 'create', '--expires-in', given, '--json')) as IssuedKey;
    const keys = JSON.parse(await service.cli('keys', 'list', '--json')) as Array<{ key_id: string; expires_at: string }>;
    const expiresAt = Date.parse(keys.find((each) => each.key_id === key_id)?.expires_at ?? '');
    expect(expiresAt).toBeGreaterThanOrEqual(before + seconds * 1_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + seconds * 1_000);
  }
  await expect(service.cli('keys', 'create', '--expires-in', 'soon')).rejects.toMatchObject({ code: 1 });
});

test('logs the creation of a key with its id', async () => {
  const { key_id: by, key, account_id } = await service.createKey();
  const { key_id } = (await (await as({ key }).send('POST', '/v1/keys', {})).json()) as { key_id: string };
  await as({ key }).send('DELETE', `/v1/keys/${key_id}`);
  const lines = () =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes(key_id) && /"key (created|revoked)"/.test(line));
  await eventually('both are in the log', () => lines().length === 2);
  expect(lines().map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'key created', key_id, account_id, by },
    { msg: 'key revoked', key_id, account_id, by },
  ]);
});
