/** Cookies, storage, workers and caches of a site are not visible to another key or a later render. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { html, image, send } from '../support/site.ts';
import { Web } from '../support/web.ts';

/** Prints the marks it finds, and then leaves a mark everywhere it can. */
const PLANT = `<body><p id="o"></p><script>
const say = (name, value) => { o.textContent += name + '=' + value + ' ' };
const attempt = async (name, look) => say(name, await Promise.race([look(), new Promise((r) => setTimeout(r, 500, 'silent'))]).catch((e) => e.name));
(async () => {
  await attempt('origin', async () => origin === location.origin);
  await attempt('cookie', async () => document.cookie.includes('js='));
  await attempt('local', async () => localStorage.mark);
  await attempt('session', async () => sessionStorage.mark);
  await attempt('database', async () => (await indexedDB.databases()).map(({ name }) => name).join());
  await attempt('caches', async () => (await globalThis.caches?.keys())?.join());
  await attempt('files', async () => { const all = []; for await (const name of (await navigator.storage?.getDirectory())?.keys() ?? []) all.push(name); return all.join() });
  await attempt('worker', async () => 'serviceWorker' in navigator);
  await attempt('name', async () => name);
  document.cookie = 'js=MARK; max-age=9999';
  await attempt('planted', async () => {
    localStorage.mark = sessionStorage.mark = name = 'MARK';
    await new Promise((resolve) => { indexedDB.open('MARK').onsuccess = resolve });
    await globalThis.caches?.open('MARK');
    await (await navigator.storage?.getDirectory())?.getFileHandle('MARK', { create: true });
    return document.cookie.includes('js=') && localStorage.mark;
  });
  parent.done = globalThis.done = true;
})();
</script>`;
const DONE = { waitForFunction: 'window.done === true' };
const CLEAN =
  'origin=true cookie=false local=undefined session=undefined database= caches= files= worker=false name= planted=MARK';

const web = await Web.start({ PLATEN_CONCURRENCY: '2' }).then(closeAfterAll);
const { site } = web;
const bob = new Client(web.service.url, (await web.service.createKey()).key);
site.serve({
  '/plant': html(PLANT, { 'set-cookie': ['http=MARK; Path=/; Max-Age=9999', 'session=MARK; Path=/; HttpOnly'] }),
  '/image.png': send('image/png', PIXEL, { 'cache-control': 'max-age=9999', 'set-cookie': 'image=MARK; Path=/; Max-Age=9999' }),
  '/plain.png': image,
  '/with-image': html('<p>x</p><img src="/image.png">'),
  '/worker.js': send(
    'text/javascript',
    'onfetch = (e) => e.respondWith(new Response("<p>from a worker", { headers: { "content-type": "text/html" } }))',
  ),
});
beforeEach(() => web.forget());

const requestCookies = () => site.requests.map(({ headers }) => headers.cookie);

describe('a document from a URL', () => {
  test('finds nothing of earlier renders of any key', async () => {
    for (const client of [web.ada, web.ada, bob, web.ada]) expect(await web.textOf('/plant', DONE, client)).toBe(CLEAN);
    expect(requestCookies()).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('finds nothing of concurrent renders', async () => {
    const texts = await Promise.all([web.ada, bob, web.ada, bob].map((client) => web.textOf('/plant', DONE, client)));
    expect(texts).toEqual([CLEAN, CLEAN, CLEAN, CLEAN]);
  });

  test('has cookies during the render', async () => {
    site.serve({ '/first': html('<script>location = "/second"</script>', { 'set-cookie': 'a=b' }) });
    site.serve({ '/second': html('<p>x</p><img src="/plain.png">') });
    await web.visit('/first');
    expect(requestCookies()).toEqual([undefined, 'a=b', 'a=b']);
  });

  test('keeps its cookies from other ports of its host', async () => {
    web.other.serve({ '/plain.png': image });
    site.serve({ '/neighbour': html(`<p>x</p><img src="${web.other.origin}/plain.png">`, { 'set-cookie': 'a=b; Path=/' }) });
    expect((await web.visit('/neighbour')).images).toBe(1);
    expect(web.other.requestsFor('/plain.png').map(({ headers }) => headers.cookie)).toEqual([undefined]);
  });

  test('loads everything itself, without a shared cache', async () => {
    for (const client of [web.ada, bob, web.ada]) await web.visit('/with-image', {}, client);
    expect(site.requestsFor('/image.png')).toHaveLength(3);
  });

  test('has no service workers, also in frames', async () => {
    const probe = (name: string) =>
      `<p id="${name}"></p><script>${name}.textContent = '${name}: ' + ['serviceWorker' in navigator, typeof navigator.serviceWorker, navigator.serviceWorker?.register]</script>`;
    site.serve({ '/inner': html(probe('inner')), '/workers': html(`${probe('outer')}<iframe src="/inner"></iframe>`) });
    expect(await web.textOf('/workers')).toBe('outer: false,undefined, inner: false,undefined,');
    await web.site.allRecorded();
    expect(site.requestsFor('/worker.js')).toEqual([]);
  });
});

describe('a frame of a site in an HTML document', () => {
  const frame = () => `<iframe src="${site.origin}/plant" width="700" height="300"></iframe>`;

  test('leaves nothing for later renders of any key on the page', async () => {
    const options = { waitForTimeout: 1_500 };
    for (const client of [web.ada, web.ada, bob, web.ada]) {
      const text = (await web.render(frame(), options, client)).pages[0];
      expect(text).toMatch(
        /^origin=true cookie=false local=undefined session=undefined database= caches=undefined files= worker=\w+ name= /,
      );
    }
    expect(requestCookies()).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('leaves no worker that answers requests', async () => {
    site.serve({
      '/register': html('<p>registers</p><script>navigator.serviceWorker?.register("/worker.js")</script>'),
      '/answered': html('<p>from the site'),
    });
    for (let round = 0; round < 2; round++)
      await web.render(`<iframe src="${site.origin}/register"></iframe>`, { waitForTimeout: 500 });
    expect((await web.render(`<iframe src="${site.origin}/answered"></iframe>`)).pages).toEqual(['from the site']);
    expect(await web.textOf('/answered')).toBe('from the site');
  });

  test('shares no cache with another key', async () => {
    for (const client of [web.ada, bob]) await web.render(`<p>x</p><img src="${site.origin}/image.png">`, {}, client);
    expect(site.requestsFor('/image.png')).toHaveLength(2);
  });
});

describe('credentials in the URL', () => {
  const guarded = (right: string) =>
    site.serve({
      '/guarded': (request, response) => {
        const isRight = request.headers.authorization === `Basic ${Buffer.from(right).toString('base64')}`;
        const page = html(`<p>${isRight ? 'inside' : 'outside'} <script>document.write(location.href)</script>`);
        if (isRight) return page(request, response);
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/html' }).end();
      },
    });

  const at = (userinfo: string, path = '/guarded') => `http://${userinfo}@127.0.0.1:${site.port}${path}`;

  test.each([
    ['plain', 'ada:secret', 'ada:secret'],
    ['escaped', 'a%40b:p%3A%2F%3F', 'a@b:p:/?'],
    ['a name alone', 'ada', 'ada:'],
    ['a password alone', ':secret', ':secret'],
  ])('answer a challenge and appear nowhere (%s)', async (_name, userinfo, right) => {
    guarded(right);
    expect((await readPdfReply(await web.ada.pdf({ url: at(userinfo) }))).pages).toEqual([`inside ${site.origin}/guarded`]);
    expect(site.requests.map(({ headers }) => headers.authorization !== undefined)).toEqual([false, true]);
  });

  test('are sent only after a challenge', async () => {
    site.serve({ '/open': html('<p>open') });
    expect((await web.ada.pdf({ url: at('ada:secret', '/open') })).status).toBe(200);
    expect(site.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('appear in no problem and no log', async () => {
    guarded('ada:other');
    for (const url of [at('ada:hunter2'), 'http://ada:hunter2@nowhere.invalid/', 'http://ada:hunter2@10.0.0.1/']) {
      const response = await web.ada.pdf({ url });
      expect([422, 403]).toContain(response.status);
      expect(await response.text()).not.toContain('hunter2');
    }
    expect(web.service.output()).not.toContain('hunter2');
  });

  test('cannot be combined with authenticate', async () => {
    const response = await web.ada.pdf({ url: at('ada:secret'), options: { authenticate: { username: 'a', password: 'b' } } });
    expect(((await response.json()) as { errors: object[] }).errors).toMatchObject([{ path: 'options.authenticate' }]);
  });
});
