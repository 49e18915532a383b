/** The web pages: security headers, caching, and building when they are missing. */
import { chmod, cp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isBuilt } from '../../src/web-assets/build.ts';
import { problem } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { eventually, startService } from '../support/service.ts';
import { launchVisitorBrowser } from '../support/web-page.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;
const DIST = join(PROJECT, 'web/dist');

const service = await startService().then(closeAfterAll);
/** The assets of the two pages, by the paths in their HTML. */
const assets = await assetsOf(service.url);

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });

async function assetsOf(url: string): Promise<string[]> {
  const pages = await Promise.all(['/', '/dashboard'].map(async (path) => (await fetch(url + path)).text()));
  return [...new Set(pages.flatMap((page) => page.match(/\/assets\/[^"]+/g) ?? []))];
}

/** Requests the path exactly as written, because `fetch` would normalize it. */
async function getRaw(path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(service.url);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: object; body: Buffer }>();
  httpRequest({ hostname, port, path, headers }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
  })
    .on('error', reject)
    .end();
  return promise;
}

test('name their picture by an absolute URL for programs that show links', async () => {
  const picture = /property="og:image" content="([^"]+)"/;
  const [, relative = ''] = picture.exec(await (await get('/')).text()) ?? [];
  await using named = await startService({ PLATEN_PUBLIC_URL: 'https://pdf.example.com/' });
  const page = await (await fetch(named.url)).text();
  expect(picture.exec(page)?.[1]).toBe(`https://pdf.example.com${relative}`);
  const image = await get(relative);
  expect(image.headers.get('content-type')).toBe('image/png');
  expect(image.status).toBe(200);
});

describe('the pages', () => {
  test.each([
    ['/', 'index.html', 'Playground'],
    ['/edit', 'index.html', 'Playground'],
    ['/dashboard', 'dashboard.html', 'Dashboard'],
    ['/dashboard/documents/doc_x', 'dashboard.html', 'Dashboard'],
  ])('%s', async (path, file, title) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(await response.text()).toBe(await readFile(join(DIST, file), 'utf8'));
    expect(await (await get(path)).text()).toContain(`<title>${title}`);
    const again = await get(path, { 'if-none-match': response.headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await get(path, { 'if-none-match': '"other"' });
    expect(other.status).toBe(200);
  });

  test('refer to files that can be cached forever', async () => {
    expect(assets.some((path) => path.endsWith('.js'))).toBe(true);
    expect(assets.some((path) => path.endsWith('.css'))).toBe(true);
    for (const path of assets) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toMatch(
        path.endsWith('.js') ? /^text\/javascript/ : /^text\/css|^image|^font/,
      );
      expect(Buffer.from(await response.arrayBuffer())).toEqual(await readFile(join(DIST, path)));
    }
  });

  test('are compressed for clients that accept it', async () => {
    const path = assets.find((name) => name.endsWith('.js')) ?? '';
    const plain = await readFile(join(DIST, path));
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const encoding of ['br', 'gzip'] as const) {
      const { headers, body } = await getRaw(path, { 'accept-encoding': `${encoding}, deflate` });
      expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
      expect(unpack[encoding](body)).toEqual(plain);
    }
    expect((await getRaw(path, { 'accept-encoding': 'identity' })).body).toEqual(plain);
    expect((await getRaw(path, { 'accept-encoding': 'br;q=0, gzip;q=0' })).body).toEqual(plain);
  });

  test('answer HEAD', async () => {
    for (const path of ['/', '/dashboard', assets[0] ?? '']) {
      const response = await fetch(service.url + path, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
      expect(await response.text()).toBe('');
    }
  });

  test('allow only resources of this service, and no inline scripts', async () => {
    for (const path of ['/', '/dashboard', ...assets]) {
      const { headers } = await get(path);
      const csp = Object.fromEntries(
        (headers.get('content-security-policy') ?? '').split('; ').map((part) => [part.split(' ')[0], part]),
      );
      expect(csp).toMatchObject({
        'default-src': "default-src 'none'",
        'script-src': "script-src 'self'",
        'style-src': "style-src 'self'",
        'connect-src': "connect-src 'self'",
        'base-uri': "base-uri 'none'",
        'form-action': "form-action 'none'",
        'frame-ancestors': "frame-ancestors 'none'",
      });
      expect(JSON.stringify(csp)).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=()');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

test('do not expose files outside of the folder', async () => {
  const ways = ['..', '%2e%2e', '..%2f', '.%2e', '%252e%252e', '..%5c', '..\\'];
  const paths = ways.flatMap((way) => [
    `/assets/${way}/index.html`,
    `/assets/${way}/${way}/vite.config.ts`,
    `/${way}/package.json`,
  ]);
  for (const path of [...paths, '/assets//etc/passwd', '/assets/%00', '/assets/', '/assets/__proto__', '/assets/constructor']) {
    const { status, body } = await getRaw(path);
    expect([path, status, body.toString()]).toEqual([path, expect.toBeOneOf([400, 404]), expect.stringContaining('"code"')]);
  }
});

test('return a problem for missing files and for other methods', async () => {
  await problem(await get('/assets/nothing.js'), 404, 'not_found');
  await problem(await get('/index.html'), 404, 'not_found');
  await problem(await get('/dashboards'), 404, 'not_found');
  await problem(await fetch(`${service.url}/dashboard`, { method: 'POST' }), 405, 'method_not_allowed');
  expect((await fetch(`${service.url}/assets/nothing.js`, { method: 'HEAD' })).status).toBe(404);
});

test('load without errors in a browser, and so does the documentation', async () => {
  await using browser = await launchVisitorBrowser();
  for (const path of ['/', '/dashboard', '/docs']) {
    const { page, context, errors } = await browser.visit(service.url);
    const foreign: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== service.url && /^http/.test(protocol)) foreign.push(request.url());
    });
    await page.goto(path, { waitUntil: 'networkidle' });
    expect(errors.filter((complaint) => !complaint.includes('favicon'))).toEqual([]);
    expect(foreign).toEqual([]);
    await context.close();
  }
});

const checkout = await makeFolder('checkout');
for (const name of ['src', 'web', 'docs', 'README.md', 'CHANGELOG.md', 'package.json', 'tsconfig.json'])
  await cp(join(PROJECT, name), join(checkout, name), {
    recursive: true,
    filter: (path) => !path.startsWith(join(PROJECT, 'web/dist')),
  });
await symlink(join(PROJECT, 'node_modules'), join(checkout, 'node_modules'));

describe('without built pages', { timeout: 240_000 }, () => {
  const start = () => startService({}, { checkout });
  /** A build takes minutes on a busy machine. */
  const afterBuild = (what: string, isTrue: () => Promise<boolean>) => eventually(what, isTrue, 180_000);
  const built = (url: string) =>
    afterBuild('the pages are there', async () => {
      const response = await fetch(url);
      const text = await response.text();
      if (response.status === 503) expect(text).toMatch(/http-equiv="refresh"/);
      else expect(response.status).toBe(200);
      return response.ok;
    });

  test('builds once when two services start together, and serves meanwhile', async () => {
    const services = await Promise.all([start(), start()]);
    for (const one of services) {
      expect((await one.pdf({ html: '<p>x' })).status).toBe(200);
      await built(one.url);
      for (const path of await assetsOf(one.url)) expect((await fetch(one.url + path)).status).toBe(200);
    }
    await Promise.all(services.map((one) => one[Symbol.asyncDispose]()));
    expect((await readdir(join(checkout, 'web'))).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  });

  test('rebuilds after a newer schema of the options', async () => {
    const schema = join(checkout, 'src/render/request/schemas/options-schema.ts');
    const { atime, mtime } = await stat(schema);
    expect(await isBuilt(join(checkout, 'web'))).toBe(true);
    const later = new Date(Date.now() + 3_600_000);
    await utimes(schema, later, later);
    expect(await isBuilt(join(checkout, 'web'))).toBe(false);
    await utimes(schema, atime, mtime);
  });

  test.skipIf(process.getuid?.() === 0)('serves from a read-only folder without changing it', async () => {
    const web = join(checkout, 'web');
    await rename(join(web, 'dist'), join(checkout, 'aside'));
    await chmod(web, 0o555);
    await using one = await start();
    await built(one.url);
    expect(await readdir(web)).not.toContain('dist');
    await chmod(web, 0o755);
    await rename(join(checkout, 'aside'), join(web, 'dist'));
  });

  test('rebuilds for newer sources, and serves the old pages until then', async () => {
    const page = join(checkout, 'web/dashboard.html');
    await writeFile(page, (await readFile(page, 'utf8')).replace('<title>', '<title>Renewed '));
    const later = new Date(Date.now() + 3_600_000);
    await utimes(page, later, later);
    await using one = await start();
    await afterBuild('the new page is there', async () => {
      const response = await fetch(`${one.url}/dashboard`);
      expect(response.status).toBe(200);
      return (await response.text()).includes('<title>Renewed');
    });
  });

  test('reports sources that cannot be built, and keeps working', async () => {
    await rm(join(checkout, 'web/dist'), { recursive: true });
    await writeFile(join(checkout, 'web/playground/main.tsx'), 'this is { no program');
    await using one = await start();
    await afterBuild('the page explains it', async () => (await (await fetch(one.url)).text()).includes('npm run build:web'));
    expect((await fetch(one.url)).status).toBe(503);
    await eventually('it was logged', () => one.output().includes('the pages could not be built'));
    expect((await one.pdf({ html: '<p>x' })).status).toBe(200);
  });
});
