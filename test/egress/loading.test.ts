/** Documents load what the policy allows, and send nothing after the reply. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, startService } from '../support/service.ts';

let requested: string[] = [];
let open = 0;

function answer(request: IncomingMessage, response: ServerResponse): void {
  requested.push(request.url ?? '');
  const send = (type: string, body: string | Buffer) => response.writeHead(200, { 'content-type': type }).end(body);
  switch (request.url?.split('?')[0]) {
    case '/image.png':
      return void send('image/png', PIXEL);
    case '/style.css':
      return void send('text/css', 'p { background: #ff0000 }');
    case '/script.js':
      return void send('text/javascript', 'document.querySelector("p").textContent = "from a script"');
    case '/frame':
      return void send('text/html', '<p>from a frame</p>');
    case '/redirect':
      return void response.writeHead(302, { location: '/image.png' }).end();
    default:
      response.writeHead(404).end();
  }
}

const site = closeAfterAll(createServer(answer).listen(0, '127.0.0.1'));
site.on('connection', (socket) => {
  open++;
  socket.on('close', () => open--);
});
await new Promise((resolve) => site.once('listening', resolve));
const { port } = site.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;
const service = await startService({
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${port}`,
}).then(closeAfterAll);
const ada = new Client(service.url, service.key);
afterAll(() => site.closeAllConnections());
beforeEach(() => {
  requested = [];
});

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
    expect(requested).toContain('/image.png');
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
  await fetch(`${origin}/mark`, { headers: { connection: 'close' } });
  await eventually('all connections are closed', () => open === 0);
  const polls = requested.length;
  await render('<p>another');
  expect(requested.length).toBe(polls);
});
