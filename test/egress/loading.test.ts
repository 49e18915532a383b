/** Documents load what the policy allows, and send nothing after the reply. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, startService } from '../support/service.ts';
import { image, html as page, redirect, Site, send } from '../support/site.ts';

const site = await Site.start({
  '/image.png': image,
  '/style.css': send('text/css', 'p { background: #ff0000 }'),
  '/script.js': send('text/javascript', 'document.querySelector("p").textContent = "from a script"'),
  '/frame': page('<p>from a frame</p>'),
  '/redirect': redirect('/image.png'),
}).then(closeAfterAll);
const { origin } = site;
const service = await startService({ PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` }).then(closeAfterAll);
const ada = new Client(service.url, service.key);
beforeEach(() => site.forget());

async function render(html: string) {
  const response = await succeeded(ada.pdf({ html }));
  return readPdf(await response.arrayBuffer());
}

describe('loads what is allowed', () => {
  test.each([
    ['an image', (at: string) => `<img src="${at}/image.png">`],
    ['a redirect', (at: string) => `<img src="${at}/redirect">`],
    ['a background', (at: string) => `<div style="width: 9px; height: 9px; background: url(${at}/image.png) no-repeat"></div>`],
  ])('%s', async (_name, html) => {
    expect((await render(html(origin))).images).toBe(1);
    expect(site.requestsFor('/image.png')).not.toEqual([]);
  });

  test('a style sheet, a script and a frame', async () => {
    const pdf = await render(
      `<link rel="stylesheet" href="${origin}/style.css"><p>x</p><script src="${origin}/script.js"></script><iframe src="${origin}/frame"></iframe>`,
    );
    expect(pdf.pages[0]).toContain('from a script');
    expect(pdf.pages[0]).toContain('from a frame');
    expect(pdf.fills).toContain('#ff0000');
  });
});

test('sends nothing after the reply, and keeps no connection', async () => {
  await render(
    `<p>x</p><script>setInterval(() => fetch("${origin}/poll", { mode: "no-cors", keepalive: true }), 5)</script><img src="${origin}/image.png">`,
  );
  // What was sent before the reply may still wait to be accepted; this request waits behind it.
  await site.allRecorded();
  await eventually('all connections are closed', () => site.openConnections === 0);
  const polls = site.requests.length;
  await render('<p>another');
  expect(site.requests.length).toBe(polls);
});
