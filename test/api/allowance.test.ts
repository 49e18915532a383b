/** Allowance, plan limits, usage and account through HTTP, grouped by status. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { eventually, type IssuedKey, startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();

async function on(plan: string): Promise<Client & { issued: IssuedKey }> {
  const issued = await service.createKey(plan);
  return Object.assign(new Client(service.url, issued.key), { issued });
}

const today = () => new Date().toISOString().slice(0, 10);

describe('200', () => {
  test('reports plan, period, documents, storage and days as usage', async () => {
    const client = await on('three');
    await client.pdf({ html: 'x' });
    const { bytes } = await client.store({ html: 'y' });
    const usage = await client.usage();
    const now = new Date();
    expect(usage).toMatchObject({
      plan: 'three',
      period: {
        start: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString(),
        end: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
      },
      documents: { limit: 3, used: 2, remaining: 1 },
      storage: { documents: 1, bytes, limit: null },
    });
    expect(usage.daily).toHaveLength(now.getUTCDate());
    expect(usage.daily.at(-1)).toEqual({ date: today(), documents: 2 });
    expect(usage.daily.slice(0, -1).every(({ documents }) => documents === 0)).toBe(true);
  });

  test('sends Platen-Quota-Remaining, which counts down, unless there is no limit', async () => {
    const client = await on('three');
    const remaining = async () => (await client.pdf({ html: 'x' })).headers.get('platen-quota-remaining');
    expect([await remaining(), await remaining(), await remaining()]).toEqual(['2', '1', '0']);
    expect((await (await on('growth')).pdf({ html: 'x' })).headers.get('platen-quota-remaining')).toBeNull();
    expect((await (await on('growth')).usage()).documents).toEqual({ limit: null, used: 0, remaining: null });
  });

  test('shares the allowance between all keys of an account', async () => {
    const client = await on('three');
    const sibling = JSON.parse(await service.cli('keys', 'create', '--account', client.issued.account_id, '--json')) as IssuedKey;
    const other = new Client(service.url, sibling.key);
    for (const each of [client, other, client]) expect((await each.pdf({ html: 'x' })).status).toBe(200);
    await problem(await other.pdf({ html: 'x' }), 402, 'quota_exceeded');
    expect((await other.usage()).documents.used).toBe(3);
  });

  test('applies a change of plan from the next request', async () => {
    const client = await on('none');
    await problem(await client.pdf({ html: 'x' }), 402, 'quota_exceeded');
    await service.cli('accounts', 'set-plan', client.issued.account_id, 'three');
    expect((await client.pdf({ html: 'x' })).headers.get('platen-quota-remaining')).toBe('2');
    await service.cli('accounts', 'set-plan', client.issued.account_id, 'none');
    expect(await problem(await client.pdf({ html: 'x' }), 402, 'quota_exceeded')).toMatchObject({ limit: 0, used: 1 });
  });

  test('returns the settings of the account', async () => {
    const client = await on('three');
    expect(await client.json('/v1/account')).toMatchObject({
      account_id: client.issued.account_id,
      plan: 'three',
      auto_store: false,
    });
  });

  test('shows usage and plans to the operator with platen usage and platen plans', async () => {
    const client = await on('three');
    await client.pdf({ html: 'x' });
    const month = today().slice(0, 7);
    const [record] = JSON.parse(await service.cli('usage', client.issued.account_id, '--json')) as object[];
    expect(record).toMatchObject({ account_id: client.issued.account_id, plan: 'three', month, used: 1, limit: 3 });
    expect(await service.cli('usage')).toContain(client.issued.account_id);
    const plans = JSON.parse(await service.cli('plans', '--json')) as object[];
    expect(plans).toContainEqual({
      plan: 'hundred',
      documents: 100,
      retention_seconds: 86_400,
      requests_per_minute: null,
      concurrency: null,
      open_items: null,
      storage_bytes: null,
    });
  });
});

describe('402', () => {
  test('accepts exactly 100 of 200 concurrent renders with an allowance of 100', async () => {
    const client = await on('hundred');
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.pdf({ html: '<p>x' })));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 402)).toHaveLength(100);
    expect((await client.usage()).documents).toEqual({ limit: 100, used: 100, remaining: 0 });
    expect((await client.usage()).daily.at(-1)?.documents).toBe(100);
  });

  test('reports the limit, the used documents and the start of the next month', async () => {
    const client = await on('none');
    const { limit, used, resets_at, detail } = await problem(await client.pdf({ html: 'x' }), 402, 'quota_exceeded');
    expect({ limit, used }).toEqual({ limit: 0, used: 0 });
    expect(resets_at).toBe((await client.usage()).period.end);
    expect(detail).toContain('none');
  });
});

describe('renders that are not charged', () => {
  test.each([
    ['bad input', { html: 'x', options: { scale: 9 } }, 400],
    ['an unknown template', { template_id: 'tpl_0123456789ABCDEFGHIJKL' }, 404],
    ['too large a document', { html: 'x'.repeat(5_242_881) }, 413],
    ['a document that leaves', { html: '<script>location.reload()</script>' }, 422],
    ['pages that are not there', { html: 'x', options: { pageRanges: '7' } }, 422],
    ['a script that never ends', { html: '<script>for(;;){}</script>', options: { timeout: 500 } }, 504],
  ])('%s', async (_name, body, status) => {
    const client = await on('three');
    for (const store of [false, true]) expect((await client.pdf({ ...body, store })).status).toBe(status);
    const usage = await client.usage();
    expect(usage.documents).toEqual({ limit: 3, used: 0, remaining: 3 });
    expect(usage.storage.documents).toBe(0);
    expect(usage.daily.at(-1)?.documents).toBe(0);
  });

  test('does not charge a client that disconnects during a render, stored or not', async () => {
    const client = await on('three');
    const { hostname, port } = new URL(service.url);
    for (const store of [false, true]) {
      const before = await service.metric('platen_renders_total', 'client_closed');
      const body = JSON.stringify({ html: '<p>x', options: { waitForTimeout: 1_500 }, store });
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await eventually('it is being rendered', async () => (await client.usage()).documents.used === 1);
      socket.destroy();
      await eventually('it was noticed', async () => (await service.metric('platen_renders_total', 'client_closed')) > before);
      await eventually('nothing is charged', async () => (await client.usage()).documents.used === 0);
    }
    expect((await client.usage()).storage.documents).toBe(0);
  });

  test('returns the reserved document when the service is killed during a render', async () => {
    await using own = await startService();
    const issued = await own.createKey('three');
    const client = new Client(own.url, issued.key);
    client.pdf({ html: '<p>x', options: { waitForFunction: 'false' } }).catch(() => {});
    await eventually('it is being rendered', async () => (await client.usage()).documents.used === 1);
    own.child.kill('SIGKILL');
    await using again = await startService({ PLATEN_DATA_DIR: own.env.PLATEN_DATA_DIR ?? '' }, { firstKey: issued.key });
    const after = new Client(again.url, issued.key);
    expect((await after.pdf({ html: 'x' })).status).toBe(200);
    await eventually('only what was rendered is charged', async () => (await after.usage()).documents.used === 1, 40_000);
  });
});

describe('429', () => {
  test('rejects more renders a minute than the plan allows without charging them, with Retry-After and RateLimit-*', async () => {
    const client = await on('slow');
    for (const left of ['2', '1', '0']) {
      const { status, headers } = await client.pdf({ html: 'x' });
      expect(status).toBe(200);
      expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['3', left]);
      expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    }
    const response = await client.pdf({ html: 'x' });
    const retryAfter = Number(response.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(response.headers.get('ratelimit-remaining')).toBe('0');
    expect(await problem(response, 429, 'rate_limited')).toMatchObject({ limit: 3 });
    expect((await client.usage()).documents.used).toBe(3);
    expect((await (await on('slow')).pdf({ html: 'x' })).status).toBe(200);
  });

  test('counts renders and template uploads together', async () => {
    const client = await on('slow');
    const { template_id } = await client.template('<p>{{x}}');
    expect((await client.send('PUT', `/v1/templates/${template_id}`, { html: '<p>x' })).status).toBe(200);
    expect((await client.pdf({ html: 'x' })).headers.get('ratelimit-remaining')).toBe('0');
    await problem(await client.send('POST', '/v1/templates', { name: 'x', html: 'x' }), 429, 'rate_limited');
    expect((await client.get(`/v1/templates/${template_id}`)).status).toBe(200);
  });

  test('sends no rate limit headers without a limit', async () => {
    const { headers } = await (await on('growth')).pdf({ html: 'x' });
    expect([...headers.keys()].filter((name) => name.startsWith('ratelimit') || name.startsWith('x-ratelimit'))).toEqual([]);
  });

  test('rejects more concurrent renders than the plan allows', async () => {
    const client = await on('narrow');
    const body = { html: '<p>x', options: { waitForTimeout: 1_500 } };
    const replies = await Promise.all(Array.from({ length: 5 }, () => client.pdf(body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
    const refused = replies.find(({ status }) => status === 429) as Response;
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await problem(refused, 429, 'concurrency_limited')).toMatchObject({ limit: 2 });
    expect((await client.usage()).documents.used).toBe(2);
    expect((await client.pdf({ html: 'x' })).status).toBe(200);
  });
});

test('loads the plans that ship with the service', async () => {
  await using own = await startService({ PLATEN_PLANS_FILE: '' });
  const client = new Client(own.url, (await own.createKey('free')).key);
  expect((await client.usage()).documents).toEqual({ limit: 100, used: 0, remaining: 100 });
  const plans = JSON.parse(await own.cli('plans', '--json')) as Array<Record<string, unknown>>;
  expect(plans.map(({ plan, documents, retention_seconds }) => [plan, documents, Number(retention_seconds) / 86_400])).toEqual([
    ['free', 100, 1],
    ['starter', 2_000, 30],
    ['growth', 10_000, 365],
    ['scale', 50_000, 730],
    ['operator', null, 365],
  ]);
});
