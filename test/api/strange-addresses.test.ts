/** Addresses that Chromium takes and Node cannot read: they lead nowhere, and the service lives. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { html, redirect } from '../support/site.ts';
import { Web } from '../support/web.ts';

/** As a document writes them. */
const ADDRESSES = ['http://a b/', 'http://user:secret@a b/', 'https://a b/', 'http://a%20b:99/x?y#z'];

let web: Web;
beforeAll(async () => {
  web = await Web.start();
});
afterAll(() => web?.close());
beforeEach(async () => {
  expect((await web.render('<p>before')).pages).toEqual(['before']);
});

describe.each(ADDRESSES)('%s', (url) => {
  test.each([
    ['image', `<img src="${url}">`],
    ['background', `<p style="background: url('${url}')">x</p>`],
    ['style sheet', `<link rel="stylesheet" href="${url}">`],
    ['script', `<script src="${url}"></script>`],
    ['frame', `<iframe src="${url}"></iframe>`],
    ['fetch', `<script>fetch("${url}").catch(() => {})</script>`],
    ['redirect', '<img src="/strange">'],
  ])('%s: the document is printed without it', async (kind, element) => {
    web.site.serve({ '/strange': redirect(url.replaceAll(' ', '%20')), '/document': html(`<p>text${element}`) });
    const options = { waitUntil: kind === 'fetch' ? 'networkidle0' : 'load' };
    expect((await web.visit('/document', options)).pages.join()).toContain('text');
    const markup = `<p>text${element.replace('"/', `"${web.site.origin}/`)}`;
    expect((await web.render(markup, options)).pages.join()).toContain('text');
    if (url.includes('@') && ['frame', 'fetch'].includes(kind)) return; // Chromium asks for nothing with a name and a password there
    const fault = await problem(
      await web.ada.pdf({ html: markup, options: { ...options, failOnResourceError: true } }),
      422,
      'render_gate_failed',
    );
    expect(fault.resources).toEqual([expect.objectContaining({ refused: true })]);
    expect(JSON.stringify(fault)).not.toContain('secret');
  });

  test.each([
    ['a redirect', redirect(url.replaceAll(' ', '%20'))],
    ['a script', html(`<p>x</p><script>location = "${url}"</script>`)],
    ['a refresh', html(`<p>x</p><meta http-equiv="refresh" content="0; url=${url}">`)],
  ])('a document that leads there by %s', async (_way, answer) => {
    web.site.serve({ '/document': answer });
    await problem(await web.ada.pdf({ url: `${web.site.origin}/document` }), 403, 'forbidden_url');
  });
});
