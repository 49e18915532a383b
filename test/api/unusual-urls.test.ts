/** URLs that Chromium accepts and Node cannot parse do not load anything, and do not harm the service. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { html, redirect } from '../support/site.ts';
import { Web } from '../support/web.ts';

/** The addresses as they are written in a document. */
const ADDRESSES = ['http://a b/', 'http://user:secret@a b/', 'https://a b/', 'http://a%20b:99/'];
const ENDING = '?y#z';

const ELEMENTS: Record<string, (url: string) => string> = {
  image: (url) => `<img src="${url}">`,
  background: (url) => `<p style="background: url('${url}')">x</p>`,
  'style sheet': (url) => `<link rel="stylesheet" href="${url}">`,
  script: (url) => `<script src="${url}"></script>`,
  frame: (url) => `<iframe src="${url}"></iframe>`,
  fetch: (url) => `<script>fetch("${url}").catch(() => {})</script>`,
  redirect: () => '<img src="/strange">',
};

const web = await Web.share().then(closeAfterAll);
beforeEach(async () => {
  expect((await web.render('<p>before')).pages).toEqual(['before']);
});

describe.each(ADDRESSES)('%s', (address) => {
  const urlOf = (kind: string) => `${address}${kind.replace(' ', '-')}${ENDING}`;
  const url = urlOf('document');
  const elements = Object.entries(ELEMENTS).map(([kind, element]) => element(urlOf(kind)));
  const options = { waitUntil: 'networkidle0' };
  let resources: Array<{ url: string }>;
  beforeAll(async () => {
    const markup = `<p>text${elements.join('')}`;
    web.site.serve({ '/strange': redirect(urlOf('redirect').replaceAll(' ', '%20')), '/document': html(markup) });
    expect((await web.visit('/document', options)).pages.join()).toContain('text');
    const absoluteMarkup = markup.replace('"/', `"${web.site.origin}/`);
    expect((await web.render(absoluteMarkup, options)).pages.join()).toContain('text');
    const gates = { ...options, failOnResourceError: true };
    const fault = await problem(await web.ada.pdf({ html: absoluteMarkup, options: gates }), 422, 'render_gate_failed');
    expect(JSON.stringify(fault)).not.toContain('secret');
    resources = fault.resources as typeof resources;
  });

  test.each(Object.keys(ELEMENTS))('prints the document without it (%s)', (kind) => {
    const reported = resources.filter(({ url }) => url.includes(`/${kind.replace(' ', '-')}?`));
    // Chromium does not request URLs with credentials from a frame or `fetch`.
    const isRequested = !(address.includes('@') && ['frame', 'fetch'].includes(kind));
    expect(reported).toEqual(isRequested ? [expect.objectContaining({ refused: true })] : []);
  });

  test.each([
    ['a redirect', redirect(url.replaceAll(' ', '%20'))],
    ['a script', html(`<p>x</p><script>location = "${url}"</script>`)],
    ['a refresh', html(`<p>x</p><meta http-equiv="refresh" content="0; url=${url}">`)],
  ])('handles a document that navigates there by %s', async (_way, answer) => {
    web.site.serve({ '/document': answer });
    await problem(await web.ada.pdf({ url: `${web.site.origin}/document` }), 403, 'forbidden_url');
  });
});
