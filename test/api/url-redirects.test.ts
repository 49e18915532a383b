/** Redirects of servers and documents are followed, but not in loops or to blocked addresses. */
import { beforeEach, describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { type Answer, html, never, redirect, send, status } from '../support/site.ts';
import { Web } from '../support/web.ts';

const STAYED = 'stayed';
const SECRET = 'FORBIDDENTEXT';
const script = (source: string) => html(`<p>${STAYED}</p><script>${source}</script>`);

const web = await Web.start({ PLATEN_RESOURCE_TIMEOUT_SECONDS: '2' }).then(closeAfterAll);
const { site } = web;
const arrivedPage = html('<p>arrived</p><p id="from"></p><script>from.textContent = location.href</script>');
site.serve({ '/there': arrivedPage, '/not-found': status(404), '/never': never, '/text': send('text/plain', 'x') });
web.other.serve({ '/there': arrivedPage, '/back': redirect(`${site.origin}/there`) });
web.forbidden.serve({ '/': html(`<p>${SECRET}`), '/there': html(`<p>${SECRET}`) });
beforeEach(() => web.forget());

/** Serves the answer at a path of the site and returns its URL. */
function serve(answer: Answer): string {
  site.serve({ '/start': answer });
  return `${site.origin}/start`;
}

/** A lazy image, which Chromium requests only when the document is prepared for printing. */
const LAZY = '<img loading="lazy" style="margin-top: 9000px" src="/awaited">';

/** Answers for a document that navigates to `to` as soon as `/awaited` is requested, which never gets a reply. */
function goingOn(to: string, markup: string): Record<'/start' | '/asked' | '/awaited', Answer> {
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  return {
    '/start': html(`<p>start${markup}<script>fetch('/asked').then(() => { location = '${to}' })</script>`),
    '/asked': (_request, response) => void requested.then(() => response.end()),
    '/awaited': () => resolve(),
  };
}

async function arrivesAt(url: string, finalUrl: string): Promise<void> {
  const { pages } = await readPdfReply(await web.ada.pdf({ url }));
  expect(pages).toEqual([`arrived ${finalUrl}`]);
}

describe('redirects by a server', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (code) => {
    await arrivesAt(serve(redirect('/there?x#y', code)), `${site.origin}/there?x#y`);
  });

  test('to another origin, and back', async () => {
    await arrivesAt(serve(redirect(`${web.other.origin}/back`)), `${site.origin}/there`);
    expect(web.other.requestsFor('/back')).toHaveLength(1);
  });

  test('in a chain', async () => {
    for (let n = 0; n < 10; n++) site.serve({ [`/chain${n}`]: redirect(n ? `/chain${n - 1}` : '/there') });
    await arrivesAt(`${site.origin}/chain9`, `${site.origin}/there`);
  });

  test('in a loop', async () => {
    site.serve({ '/round': redirect('/circle'), '/circle': redirect('/round') });
    const fault = await web.problemAt(`${site.origin}/round`, 422, 'navigation_failed');
    expect(fault.net_error).toBe('ERR_TOO_MANY_REDIRECTS');
    expect(site.requests.length).toBeLessThan(50);
  });

  test.each([
    ['to nowhere', (_request, response) => void response.writeHead(302).end(), {}],
    ['to what is no address', redirect('http://[/'), { net_error: 'ERR_INVALID_REDIRECT' }],
    ['to a page that is not there', redirect('/not-found'), { upstream_status: 404 }],
    ['to something else than HTML', redirect('/text'), { upstream_status: 200, content_type: 'text/plain' }],
    ['to a name nobody knows', redirect('http://nowhere.invalid/'), { net_error: 'ERR_NAME_NOT_RESOLVED' }],
  ] satisfies Array<[string, Answer, object]>)('%s', async (_name, answer, members) => {
    expect(await web.problemAt(serve(answer), 422, 'navigation_failed')).toMatchObject(members);
  });
});

/** Addresses to which neither a server nor a document may redirect. */
const FORBIDDEN: Array<[name: string, to: () => string]> = [
  ['a port that was not allowed', () => `${web.forbidden.origin}/there`],
  ['without a scheme', () => `//127.0.0.1:${web.forbidden.port}/there`],
  ['in odd spelling', () => `${web.forbidden.as('0x7f.1')}/there`],
  ['a name that leads there', () => `${web.forbidden.as('x.private.test')}/there`],
  ['by TLS', () => `https://127.0.0.1:${web.forbidden.port}/there`],
  ['the service itself', () => `${web.service.url}/healthz`],
  ['metadata of a cloud', () => 'http://169.254.169.254/latest/'],
];

describe('403 for blocked targets', () => {
  const ways: Array<[string, (to: string) => Answer]> = [
    ['302', (to) => redirect(to)],
    ['307', (to) => redirect(to, 307)],
    ['a refresh', (to) => html(`<p>x</p><meta http-equiv="refresh" content="0; url=${to}">`)],
    ['a header that refreshes', (to) => html('<p>x', { refresh: `0; url=${to}` })],
    ['a script', (to) => script(`location = "${to}"`)],
    ['a script on load', (to) => script(`onload = () => { location.replace("${to}") }`)],
    ['a form', (to) => html(`<form method="post" action="${to}"></form><script>document.forms[0].submit()</script>`)],
    ['a link', (to) => html(`<a href="${to}">x</a><script>document.links[0].click()</script>`)],
    ['a frame', (to) => html(`<iframe srcdoc="<script>top.location = '${to}'</script>"></iframe>`)],
  ];

  test.each(ways.flatMap(([way, by]) => FORBIDDEN.map(([name, to]) => [way, name, by, to] as const)))(
    'by %s: %s',
    async (_way, _name, by, to) => {
      const fault = await web.problemAt(serve(by(to())), 403, 'forbidden_url');
      expect(fault.detail).toBe('the network policy of this service does not allow url, or a URL that it leads to');
      expect(JSON.stringify({ ...fault, type: '', request_id: '' })).not.toMatch(
        new RegExp(`${SECRET}|${web.forbidden.port}|127|169`),
      );
      expect(web.forbidden.requests).toEqual([]);
    },
  );

  test('via an allowed site and back', async () => {
    web.other.serve({ '/on': redirect(`${web.forbidden.origin}/there`) });
    await web.problemAt(serve(redirect(`${web.other.origin}/on`)), 403, 'forbidden_url');
    expect(web.forbidden.requests).toEqual([]);
  });
});

describe('to other schemes', () => {
  test.each(['file:///etc/passwd', 'data:text/html,<p>other', 'about:blank', 'chrome://version'])(
    '403 by 302: %s',
    async (to) => {
      await web.problemAt(serve(redirect(to)), 403, 'forbidden_url');
    },
  );

  test.each(['ftp://127.0.0.1/x', 'javascript:1', 'mailto:ada@example.com', 'x:y'])(
    'return 422 for a redirect to %s',
    async (to) => {
      await web.problemAt(serve(redirect(to)), 422, 'navigation_failed');
    },
  );

  test.each(['file:///etc/passwd', 'data:text/html,<p>other', 'chrome://version', 'view-source:file:///etc/passwd'])(
    'keep the document when a script uses %s',
    async (to) => {
      const { pages } = await readPdfReply(await web.ada.pdf({ url: serve(script(`location = "${to}"`)) }));
      expect(pages).toEqual([STAYED]);
    },
  );
});

describe('redirects by a document', () => {
  test.each([
    ['a refresh', html('<p>x</p><meta http-equiv="refresh" content="0; url=/there">')],
    ['a refresh after a second', html('<p>x</p><meta http-equiv="refresh" content="1; url=/there">')],
    ['a header that refreshes', html('<p>x', { refresh: '0; url=/there' })],
    ['a script', script('location = "/there"')],
    ['a script on load', script('onload = () => { location.href = "/there" }')],
    ['a script in a handler', html('<body onload="location.assign(\'/there\')">x')],
    ['a form', html('<form action="/there" method="post"></form><script>document.forms[0].submit()</script>')],
    ['a link', html('<a href="/there">x</a><script>onload = () => document.links[0].click()</script>')],
    ['a frame', html(`<iframe srcdoc="<script>top.location = '/there'</script>"></iframe>`)],
    ['a redirect', script('location = "/twice"')],
  ] satisfies Array<[string, Answer]>)('%s', async (_name, answer) => {
    site.serve({ '/twice': redirect('/there') });
    await arrivesAt(serve(answer), `${site.origin}/there`);
  });

  test('to another origin', async () => {
    await arrivesAt(serve(script(`location = "${web.other.origin}/there"`)), `${web.other.origin}/there`);
  });

  test('in sequence', async () => {
    for (let n = 0; n < 10; n++) site.serve({ [`/step${n}`]: script(`location = "${n ? `/step${n - 1}` : '/there'}"`) });
    await arrivesAt(`${site.origin}/step9`, `${site.origin}/there`);
  });

  test.each([
    ['a refresh', html('<p>x</p><meta http-equiv="refresh" content="0">')],
    ['a script', script('location = "/start?" + Math.random()')],
    ['a reload', script('location.reload()')],
    ['a form', html('<form action="/start"><input name="a"></form><script>document.forms[0].submit()</script>')],
  ] satisfies Array<[string, Answer]>)('in a loop (%s)', async (_name, answer) => {
    const fault = await web.problemAt(serve(answer), 422, 'navigation_failed');
    expect(fault.net_error).toBe('ERR_TOO_MANY_REDIRECTS');
    expect(site.requests.length).toBeLessThan(50);
  });

  test.each([
    ['a page that is not there', 'location = "/not-found"', { upstream_status: 404 }],
    ['something else than HTML', 'location = "/text"', { content_type: 'text/plain' }],
    ['a name nobody knows', 'location = "http://nowhere.invalid/"', { net_error: 'ERR_NAME_NOT_RESOLVED' }],
  ])('to %s', async (_name, source, members) => {
    expect(await web.problemAt(serve(script(source)), 422, 'navigation_failed')).toMatchObject(members);
  });

  test('wait for the next document when they happen while images load', async () => {
    site.serve({
      ...goingOn('/slow', LAZY),
      '/slow': html('<title>slow</title><p>begins<script src="/slow.js"></script><p style="break-before: page">ends'),
      '/slow.js': (_request, response) => setTimeout(() => response.writeHead(200).end(), 500),
    });
    const { pages } = await web.visit('/start');
    expect(pages).toEqual(['begins', 'ends']);
  });

  test('add the tags of the caller when they happen while images load', async () => {
    site.serve({ ...goingOn('/next', LAZY), '/next': html('<p>next') });
    const { pages } = await web.visit('/start', { addStyleTag: { content: 'p::after { content: " styled" }' } });
    expect(pages).toEqual(['next styled']);
  });

  test.each([
    ['a location', 'location.href = "/there"'],
    ['a link that both have', 'document.links[0].click()'],
  ])('run a script of the caller once (%s)', async (_name, content) => {
    site.serve({ '/start': html('<p>start<a href="/other">x</a>'), '/other': html('<p>other<a href="/there">x</a>') });
    const { pages } = await web.visit('/start', { addScriptTag: { content } });
    expect(pages).toEqual([content.startsWith('location') ? `arrived ${site.origin}/there` : 'otherx']);
  });

  test('print the current document when they lead to a server that never answers while images load', async () => {
    site.serve(goingOn('/never?more', LAZY));
    const { pages } = await web.visit('/start', { timeout: 100_000 });
    expect(pages.join('')).toBe('start');
  });

  test('apply the waits to the next document when they happen while a script of the caller loads', async () => {
    const first = goingOn('/next', '');
    site.serve({
      ...first,
      '/next': html(
        '<p>next<script>setTimeout(() => { document.body.append(Object.assign(document.createElement("b"), { id: "late", textContent: " late" })) }, 1000)</script>',
      ),
      '/awaited': (request, response) => {
        if (site.requestsFor('/awaited').length === 1) return first['/awaited'](request, response);
        response.writeHead(200).end('document.body.append(" added")');
      },
    });
    const { pages } = await web.visit('/start', { addScriptTag: { url: `${site.origin}/awaited` }, waitForSelector: '#late' });
    expect(pages).toEqual(['next added late']);
  });

  test.each([
    ['throws there', 'throw new Error("on its way")'],
    ['never ends there', 'return new Promise(() => {})'],
  ])('apply the waits to the next document when a wait causes them, which %s', async (_name, then) => {
    site.serve({ '/start': html('<p>start'), '/next': html('<p>next') });
    const waitForFunction = `() => { if (location.pathname === "/next") return true; location.href = "/next"; ${then} }`;
    expect((await web.visit('/start', { waitForFunction })).pages).toEqual(['next']);
  });

  test('give the next document the time of the render if its server never answers', async () => {
    const options = { timeout: 3_000, resourceTimeout: 500 };
    await web.problemAt(serve(script('location = "/never"')), 504, 'render_timeout', options);
  });

  test.each([
    ['a refresh meant for readers', html(`<p>${STAYED}</p><meta http-equiv="refresh" content="30; url=/there">`)],
    ['another fragment', script('location = "#x"')],
    ['a new entry of the history', script('history.pushState(1, "", "/x")')],
    ['a new window', script('open("/there")')],
    ['closing its window', script('window.close(); close()')],
    ['dialogs', script('alert(1); confirm(2); prompt(3)')],
    ['a question before it is left', script('onbeforeunload = (e) => e.preventDefault()')],
    ['printing itself', script('print()')],
  ] satisfies Array<[string, Answer]>)('keep the document after %s', async (_name, answer) => {
    expect((await readPdfReply(await web.ada.pdf({ url: serve(answer) }))).pages).toEqual([STAYED]);
    expect(site.requestsFor('/there')).toEqual([]);
  });
});
