/** Options that fail a render: error statuses, missing resources and console errors. */
import { describe, expect, test } from 'vitest';
import { problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { html, image, never, RawSite, redirect, send, status } from '../support/site.ts';
import { Web } from '../support/web.ts';

const raw = await RawSite.start({ '/reset': (socket) => socket.resetAndDestroy() }).then(closeAfterAll);
const web = await Web.start({ PLATEN_RESOURCE_TIMEOUT_SECONDS: '1' }, [raw.port]).then(closeAfterAll);
const { site } = web;
site.serve({
  '/image.png': image,
  '/404': status(404),
  '/410': status(410),
  '/500': status(500),
  '/204': status(204),
  '/404.png': (_request, response) => void response.writeHead(404, { 'content-type': 'image/png' }).end(),
  '/empty-404': (_request, response) => void response.writeHead(404).end(),
  '/moved': redirect('/404'),
  '/never': never,
  '/bad.js': send('text/javascript', 'throw new Error("of a script")'),
  '/image-page': html('<p>page</p><img src="/404">'),
  '/frame-with-404': html('<p>frame</p><img src="/404">'),
});

describe.each(['url', 'html'] as const)('in %s', (way) => {
  const post = (markup: string, options: object) => {
    site.serve({ '/document': html(markup) });
    return web.ada.pdf(way === 'url' ? { url: `${site.origin}/document`, options } : { html: markup, options });
  };
  const passes = async (markup: string, options: object) => {
    await succeeded(post(markup, options));
  };
  const fails = async (markup: string, options: object, gate: string) => {
    const { used } = (await web.ada.usage()).documents;
    const fault = await problem(await post(markup, options), 422, 'render_gate_failed');
    expect(fault.gate).toBe(gate);
    expect((await web.ada.usage()).documents.used).toBe(used); // The failed render was not charged.
    return fault;
  };

  const PARTS: Array<[kind: string, element: (url: string) => string]> = [
    ['image', (url) => `<img src="${url}">`],
    ['background', (url) => `<p style="background: url(${url})">x</p>`],
    ['style sheet', (url) => `<link rel="stylesheet" href="${url}">`],
    ['script', (url) => `<script src="${url}"></script>`],
    ['frame', (url) => `<iframe src="${url}"></iframe>`],
    ['font', (url) => `<style>@font-face { font-family: f; src: url("${url}") } p { font-family: f, serif }</style><p>x</p>`],
    ['object', (url) => `<object data="${url}"></object>`],
  ];

  describe('failOnHttpStatus', () => {
    test('prints a document with missing resources by default', async () => {
      const markup = PARTS.map(([, element]) => element(`${site.origin}/404`)).join('');
      await passes(markup, {});
      await passes(markup, { failOnHttpStatus: false });
    });

    test.each(PARTS)('fails with true (%s)', async (_kind, element) => {
      const url = `${site.origin}/404`;
      const fault = await fails(element(url), { failOnHttpStatus: true }, 'failOnHttpStatus');
      expect(fault.resources).toEqual([{ url, status: 404 }]);
      expect(fault.detail).toBe(`failOnHttpStatus: ${url} (404)`);
    });

    test.each(['/404.png', '/empty-404', '/500'])('fails with true for an image with status %s', async (path) => {
      await fails(`<img src="${site.origin}${path}">`, { failOnHttpStatus: true }, 'failOnHttpStatus');
    });

    test('fails with true at the end of a redirect, and in a frame', async () => {
      await fails(`<img src="${site.origin}/moved">`, { failOnHttpStatus: true }, 'failOnHttpStatus');
      await fails(`<iframe src="${site.origin}/frame-with-404"></iframe>`, { failOnHttpStatus: true }, 'failOnHttpStatus');
    });

    test('fails only for the statuses in a list', async () => {
      const image = (path: string) => `<img src="${site.origin}${path}">`;
      for (const list of [[], [410], [500, 503]]) await passes(image('/404'), { failOnHttpStatus: list });
      await fails(image('/404'), { failOnHttpStatus: [500, 404] }, 'failOnHttpStatus');
      await fails(image('/204'), { failOnHttpStatus: [204] }, 'failOnHttpStatus');
      await fails(`<iframe src="${site.origin}/410"></iframe>`, { failOnHttpStatus: [410] }, 'failOnHttpStatus');
    });

    test('ignores requests without a status', async () => {
      const markup = `<p>x</p><img src="${site.origin}/never"><img src="${raw.origin}/reset"><img src="${web.forbidden.origin}/x"><img src="http://nowhere.invalid/x">`;
      await passes(markup, { failOnHttpStatus: true });
      await passes(markup, { failOnHttpStatus: [403, 502, 503, 504] });
    });

    test('fails also if the status comes after many others', async () => {
      const trackers = Array.from({ length: 120 }, (_, n) => `<img src="${web.forbidden.origin}/${n}">`).join('');
      const markup = `<p>x</p>${trackers}<script>onload = () => document.body.append(Object.assign(new Image(), { src: "${site.origin}/404" }))</script>`;
      const fault = await fails(markup, { failOnHttpStatus: true }, 'failOnHttpStatus');
      expect(fault.resources).toEqual([{ url: `${site.origin}/404`, status: 404 }]);
      await fails(markup, { failOnWarning: ['resource_failed'] }, 'failOnWarning');
    });

    test('names each of many failures', async () => {
      const markup = ['/404', '/500', '/410'].map((path) => `<img src="${site.origin}${path}">`).join('');
      const fault = await fails(markup, { failOnHttpStatus: true }, 'failOnHttpStatus');
      expect(fault.resources).toHaveLength(3);
      expect(fault.detail).toMatch(/\((404|410|500)\), and 2 more$/);
    });
  });

  describe('failOnResourceError', () => {
    const on = { failOnResourceError: true };

    test('does not fail by default', async () => passes(PARTS.map(([, element]) => element(`${raw.origin}/reset`)).join(''), {}));

    test.each(PARTS)('%s', async (_kind, element) => {
      await fails(element(`${raw.origin}/reset`), on, 'failOnResourceError');
    });

    test.each([
      ['an error status', () => `${site.origin}/404`, { status: 404 }],
      ['a server that never answers', () => `${site.origin}/never`, { net_error: 'ERR_TIMED_OUT' }],
      ['a connection that is reset', () => `${raw.origin}/reset`, { net_error: 'ERR_CONNECTION_RESET' }],
      ['a name nobody knows', () => 'http://nowhere.invalid/', { net_error: 'ERR_NAME_NOT_RESOLVED' }],
      ['what may not be reached', () => `${web.forbidden.origin}/`, { refused: true }],
      ['what may not be reached, by TLS', () => `https://127.0.0.1:${web.forbidden.port}/`, { refused: true }],
    ])('%s', async (_name, url, members) => {
      const fault = await fails(`<p>x</p><img src="${url()}">`, on, 'failOnResourceError');
      expect(fault.resources).toEqual([{ url: url(), ...members }]);
      expect(web.forbidden.requests).toEqual([]);
    });

    test('passes a complete document', async () => {
      await passes(`<p>x</p><img src="${site.origin}/image.png"><img src="${PIXEL_URL}"><a href="${site.origin}/404">x</a>`, on);
    });
  });

  describe('failOnConsoleError', () => {
    const on = { failOnConsoleError: true };

    const MESSAGES: Array<[name: string, source: string, message: string]> = [
      ['console.error', 'console.error("it is", 5, "broken")', 'it is 5 broken'],
      ['console.assert', 'console.assert(1 === 2, "sums")', 'sums'],
      ['an uncaught error', 'throw new TypeError("thrown")', 'TypeError: thrown'],
      ['a name nobody knows', 'notThere()', 'ReferenceError: notThere is not defined'],
      ['what is no script', 'a b', 'SyntaxError'],
      ['a rejected promise', 'Promise.reject(new Error("rejected"))', 'Error: rejected'],
      ['on load', 'onload = () => console.error("late")', 'late'],
    ];

    test('does not fail by default', async () => passes(MESSAGES.map(([, source]) => `<script>${source}</script>`).join(''), {}));

    test.each(MESSAGES)('%s', async (_name, source, message) => {
      const fault = await fails(`<p>x</p><script>${source}</script>`, on, 'failOnConsoleError');
      expect(fault.messages).toEqual([expect.stringContaining(message)]);
    });

    test('fails for errors in a script and in a frame of the site', async () => {
      await fails(`<script src="${site.origin}/bad.js"></script>`, on, 'failOnConsoleError');
      site.serve({ '/bad-frame': html('<script>console.error("in a frame")</script>') });
      await fails(`<iframe src="${site.origin}/bad-frame"></iframe>`, on, 'failOnConsoleError');
    });

    test('passes other messages and caught errors', async () => {
      const sources = [
        'console.log("x")',
        'console.warn("x")',
        'console.info("x")',
        'try { notThere() } catch {}',
        'Promise.reject(1).catch(() => {})',
      ];
      await passes(sources.map((source) => `<script>${source}</script>`).join(''), on);
    });

    test('truncates long messages', async () => {
      const fault = await fails('<script>console.error("x".repeat(1e6))</script>', on, 'failOnConsoleError');
      expect((fault.messages as string[])[0]?.length).toBeLessThanOrEqual(500);
    });

    test('fails for a flood of errors without side effects', async () => {
      await fails(
        '<p>x</p><script>for (let n = 0; n < 1e5; n++) console.log("x".repeat(1000))</script>',
        { ...on, timeout: 30_000 },
        'failOnConsoleError',
      );
      await passes('<p>next', {});
    });

    test('applies only the options of the render', async () => {
      const markup = '<p>x</p><script>console.error("once")</script>';
      await fails(markup, on, 'failOnConsoleError');
      await passes(markup, {});
      await passes('<p>good</p><script>console.log(1)</script>', on);
      await fails(markup, on, 'failOnConsoleError');
    });
  });
});

describe('failOnHttpStatus for the document itself', () => {
  const at = (path: string, options: object) => web.ada.pdf({ url: site.origin + path, options });

  test('prints error pages with false', async () => {
    for (const code of [404, 410, 500]) expect(await web.textOf(`/${code}`, { failOnHttpStatus: false })).toBe(`status ${code}`);
    await problem(await at('/204', { failOnHttpStatus: false }), 422, 'navigation_failed');
  });

  test('applies true and a list to the document', async () => {
    for (const failOnHttpStatus of [true, [], [500], [404]])
      expect(await problem(await at('/404', { failOnHttpStatus }), 422, 'navigation_failed')).toMatchObject({
        upstream_status: 404,
      });
    expect(await problem(await at('/image-page', { failOnHttpStatus: [200] }), 422, 'navigation_failed')).toMatchObject({
      upstream_status: 200,
    });
    site.serve({ '/good': html('<p>good') });
    expect(await problem(await at('/good', { failOnHttpStatus: [200] }), 422, 'navigation_failed')).toMatchObject({
      upstream_status: 200,
    });
  });
});
