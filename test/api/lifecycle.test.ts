/** Start, shutdown and overload, and what they leave behind. */
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cacheFolder } from '../../src/cache-folder.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { browserProcesses, browserProcessesOfType, eventually, type Service, startService } from '../support/service.ts';
import { image, Site } from '../support/site.ts';

const cache = await makeFolder('cache');

const renders = async (service: Service, key = service.key) =>
  expect((await readPdfReply(await service.pdf({ html: '<p>works' }, { key }))).pages).toEqual(['works']);

test('answers accepted requests on SIGTERM under load, rejects new ones with 503, and leaves nothing behind', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  using site = await Site.start({ '/held.png': (request, response) => void released.then(() => image(request, response)) });
  await using service = await startService({ PLATEN_CONCURRENCY: '2', PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` });
  const html = `<p>slow<img src="${site.origin}/held.png">`;
  const accepted = Array.from({ length: 8 }, () => service.pdf({ html, options: { timeout: 60_000, resourceTimeout: 60_000 } }));
  await eventually(
    'all are accepted',
    async () => (await service.metric('platen_renders_running')) + (await service.metric('platen_renders_waiting')) === 8,
  );
  const ended = once(service.child, 'exit');
  service.child.kill('SIGTERM');
  await eventually('it says that it is not ready', async () => (await fetch(`${service.url}/readyz`)).status === 503);
  const refused = await service.pdf({ html: '<p>late' });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await refused.json()).toMatchObject({ code: 'shutting_down' });
  release();
  for (const reply of accepted) expect((await readPdfReply(await reply)).pages).toEqual(['slow']);
  expect(await ended).toEqual([0, null]);
  expect(await browserProcesses(service)).toEqual([]);
  expect(await readdir(service.tmp)).toEqual([]);
});

test('takes its browser along on kill -9, and the next start removes the profile', async () => {
  await using service = await startService();
  const ended = once(service.child, 'exit');
  service.child.kill('SIGKILL');
  await ended;
  await eventually('its browser has ended', async () => (await browserProcesses(service)).length === 0);
  expect((await readdir(service.tmp)).filter((name) => name.startsWith('platen-browser-'))).toHaveLength(1);
  await using next = await startService({ TMPDIR: service.tmp });
  const profiles = (await readdir(service.tmp)).filter((name) => name.startsWith('platen-browser-'));
  expect(profiles).toHaveLength(1);
  expect(profiles[0]).toContain(`-${next.child.pid}-`);
});

/** The time limit for tests that unpack the browser three times. */
const UNPACKS_MS = 300_000;

test.skipIf(process.env.PLATEN_TEST_BROWSER)(
  'unpacks a complete browser when two services start at once, and again when it is damaged',
  async () => {
    const others = (await readdir(cacheFolder())).filter((name) => /^(?:compiled|fonts-[0-9a-f]+)$/.test(name));
    for (const name of others) await symlink(join(cacheFolder(), name), join(cache, name));
    const settings = { PLATEN_CACHE_DIR: cache };
    const starting = await Promise.all([startService(settings), startService(settings)]);
    await Promise.all(starting.map((each) => renders(each)));
    await Promise.all(starting.map((service) => service[Symbol.asyncDispose]()));

    const folder = join(cache, (await readdir(cache)).find((name) => name.startsWith('chromium-')) as string);
    await writeFile(join(folder, 'headless-shell'), 'half');
    await mkdir(join(cache, 'chromium-153.0.0.partial-999999-1'));
    await using again = await startService(settings);
    await renders(again);
    expect((await readdir(cache)).filter((name) => name.includes('partial'))).toEqual([]);
  },
  UNPACKS_MS,
);

test('serves or rejects requests at eight times the capacity at once with Retry-After', async () => {
  await using service = await startService({ PLATEN_CONCURRENCY: '2', PLATEN_QUEUE_LIMIT: '4' });
  const replies = await Promise.all(
    Array.from({ length: 48 }, () => service.pdf({ html: '<p>slow', options: { waitForTimeout: 100 } })),
  );
  const statuses = replies.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
  for (const reply of replies.filter(({ status }) => status === 429)) {
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await reply.json()).toMatchObject({ code: 'queue_full' });
  }
  await renders(service);
});

test('replaces pages and browsers after their number of renders without a failed render', async () => {
  await using service = await startService({ PLATEN_PAGE_MAX_RENDERS: '3', PLATEN_BROWSER_MAX_RENDERS: '20' });
  const before = await browserProcessesOfType(service, 'browser');
  for (let n = 0; n < 25; n++) await renders(service);
  await eventually('another browser has taken over', async () => {
    await renders(service);
    const now = await browserProcessesOfType(service, 'browser');
    return now.length === 1 && now[0] !== before[0];
  });
  expect(await service.metric('platen_browser_replacements_total')).toBeGreaterThanOrEqual(1);
  expect(await service.metric('platen_browser_crashes_total')).toBe(0);
});

test.each([
  ['document', 0],
  ['key', 3],
  ['account', 2],
  ['service', 1],
])(
  'keeps warm pages as PLATEN_ISOLATION=%s says: %i for two keys of one account and a key of another',
  async (isolation, pages) => {
    await using service = await startService({ PLATEN_ISOLATION: isolation, PLATEN_CONCURRENCY: '1' });
    const first = await service.createKey();
    const second = JSON.parse(await service.cli('keys', 'create', '--account', first.account_id, '--json')) as { key: string };
    const other = await service.createKey();
    for (const { key } of [first, second, other, first, second, other]) await renders(service, key);
    await eventually('pages are warm', async () => (await service.metric('platen_pages_warm')) === pages);
  },
);

test('ends the browser after idle time, and starts it for the next render', async () => {
  await using service = await startService({ PLATEN_IDLE_STOP: '1' });
  await renders(service);
  const isAsleep = async () => (await browserProcessesOfType(service, 'browser')).length === 0;
  await eventually('the browser has ended', isAsleep, 60_000);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(await isAsleep()).toBe(true);
  await renders(service);
  expect(await service.metric('platen_browser_crashes_total')).toBe(0);
});

test('shares the work between two browsers', async () => {
  await using service = await startService({ PLATEN_BROWSERS: '2', PLATEN_CONCURRENCY: '4' });
  const { key } = await service.createKey();
  const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => service.pdf({ html: `<p>${n}` }, n % 2 ? { key } : {})));
  expect((await Promise.all(replies.map(readPdfReply))).map(({ pages }) => pages[0])).toEqual(replies.map((_, n) => String(n)));
  expect(await browserProcessesOfType(service, 'browser')).toHaveLength(2);
});

const service = await startService().then(closeAfterAll);

describe('a new service', () => {
  test('serves health, readiness, metrics, reference and error pages without a key', async () => {
    for (const path of [
      '/healthz',
      '/readyz',
      '/metrics',
      '/openapi.json',
      '/llms.txt',
      '/docs',
      '/errors',
      '/errors/queue_full',
    ]) {
      const response = await fetch(service.url + path);
      expect(response.status, path).toBe(200);
      expect(response.headers.get('x-request-id'), path).toMatch(/^req_/);
    }
    await renders(service);
    expect(await service.metric('platen_renders_total', 'outcome="ok"')).toBe(1);
    expect(await service.metric('platen_render_stage_seconds_count', 'stage="print"')).toBe(1);
    const openapi = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, { post: { responses: object } }>;
    };
    expect(openapi.openapi).toMatch(/^3\.1/);
    expect(Object.keys(openapi.paths)).toEqual([
      '/v1/pdf',
      '/v1/pdf/assemble',
      '/v1/pdf/validate',
      '/v1/pdf/compare',
      '/v1/image',
      '/v1/renders/{id}',
      '/v1/requests',
      '/v1/requests/{id}',
      '/v1/requests/{id}/picture',
      '/v1/certificates',
      '/v1/certificates/{id}',
      '/v1/templates',
      '/v1/templates/{id}',
      '/v1/templates/{id}/versions',
      '/v1/templates/{id}/versions/{version}',
      '/v1/templates/{id}/assets',
      '/v1/templates/preview',
      '/v1/documents',
      '/v1/documents/{id}',
      '/v1/documents/{id}/links',
      '/v1/documents/{id}/pages/{n}.png',
      '/v1/batches',
      '/v1/batches/{id}',
      '/v1/batches/{id}/retry',
      '/v1/batches/{id}.zip',
      '/v1/batches/{id}.pdf',
      '/v1/batches/{id}/events',
      '/v1/usage',
      '/v1/account',
      '/v1/webhooks/secret',
      '/v1/webhooks/secret/rotate',
      '/v1/webhooks/deliveries',
      '/v1/webhooks/test',
      '/v1/webhooks/deliveries/{id}/retry',
      '/v1/keys',
      '/v1/keys/{id}',
      '/v1/keys/{id}/rotate',
      '/v1/admin/plans',
      '/v1/admin/accounts',
      '/v1/admin/accounts/{id}',
      '/v1/admin/accounts/{id}/usage',
      '/v1/admin/accounts/{id}/keys',
      '/v1/admin/keys/{id}',
      '/v1/admin/state',
      '/v1/admin/errors',
      '/v1/admin/webhooks',
      '/v1/admin/webhooks/{id}/retry',
      '/v1/admin/audit',
      '/v1/playground',
      '/links/{id}',
      '/v1/playground/pdf',
      '/v1/playground/results/{id}/pages/{n}.png',
      '/v1/templates/{id}/assets/{path}',
    ]);
    expect(Object.keys(openapi.paths['/v1/pdf']?.post.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '422', '504', 'default']),
    );
    expect(openapi).toHaveProperty('webhooks', {
      'batch.completed': expect.anything(),
      'render.completed': expect.anything(),
      'document.expired': expect.anything(),
      'webhook.test': expect.anything(),
    });
  });

  test('prints the first key once, only on an empty data folder', async () => {
    const line = service
      .output()
      .split('\n')
      .filter((each) => each.includes(service.key));
    expect(line).toHaveLength(1);
    const { key, curl } = JSON.parse(line[0] ?? '') as { key: string; curl: string };
    expect(key).toBe(service.key);
    expect(curl).toContain(`Bearer ${service.key}`);
    const { execFile } = await import('node:child_process');
    const { promisify } = await import('node:util');
    const body = /-d '([^']+)'/.exec(curl)?.[1];
    expect((await readPdfReply(await service.pdf(body))).pages).toEqual(['Hello, paper']);
    const keys = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'src/cli.ts', 'keys', 'list'],
      { env: service.env },
    );
    expect(keys.stdout.trim().split('\n')).toHaveLength(2);
    expect(keys.stdout).not.toContain(service.key);
  });
});

test('is not ready while no browser works', async () => {
  await using service = await startService(); // `/readyz` was not called before, so there is no cached answer.
  const [browser] = await browserProcessesOfType(service, 'browser');
  process.kill(browser as number, 'SIGSTOP');
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  await eventually('it recovers', async () => (await fetch(`${service.url}/readyz`)).status === 200, 60_000);
});
