/** Memory of requests: limited in total and for each account, checked before a body is read, and always released. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { RawConnection } from '../support/raw-http.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { Site } from '../support/site.ts';

/** Keys have 18 MiB, so that a single account can use 9. The playground has 6 MiB. */
const site = await Site.start().then(closeAfterAll);
const service = await startService({
  PLATEN_REQUEST_MEMORY_MB: '24',
  PLATEN_MAX_REQUEST_BYTES: '4000000',
  PLATEN_OUTBOUND_ALLOW: '127.0.0.1',
}).then(closeAfterAll);
const first = await service.createKey();
const second = await service.createKey();
afterEach(() => eventually('everything is given back', async () => (await heldBytes()) === 0));

const heldBytes = () => service.metric('platen_request_memory_bytes');
const refusals = (usedUp: string) => service.metric('platen_request_memory_refused_total', usedUp);

/** Sends the head of a request with `Expect: 100-continue`, without its body, and returns the head of the reply. */
async function announce(key: string, bytes: number, path = '/v1/pdf') {
  const client = await RawConnection.open(service.url);
  client.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const head = await client.head();
  return { client, status: Number(head.split(' ')[1]), head, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

const html = (bytes: number, content = '<p>it is whole') => JSON.stringify({ html: content.padEnd(bytes - 11) });

/** Serves an image that is held back. `requested` resolves with a function that sends it. */
function heldImage() {
  const requested = Promise.withResolvers<() => void>();
  site.serve({ '/held.png': (_request, response) => requested.resolve(() => response.end()) });
  return { img: `<img src="${site.origin}/held.png">`, requested: requested.promise };
}

describe('bodies', () => {
  test('limits an account to its share, gives others a part of the rest, and accepts small requests', async () => {
    const [share, whole] = [await refusals('share'), await refusals('whole')];
    await using one = await announce(first.key, 2_000_000);
    await using two = await announce(first.key, 2_000_000);
    await using three = await announce(first.key, 2_000_000);
    await using other = await announce(second.key, 2_000_000);
    await using late = await announce(service.key, 2_000_000);
    expect([one, two, three, other, late].map(({ status }) => status)).toEqual([100, 100, 429, 100, 503]);
    for (const { head } of [three, late]) expect(head).toMatch(/^retry-after: \d/im);
    expect(await three.client.rest()).toContain('"code":"memory_limited"');
    expect(await late.client.rest()).toContain('"code":"overloaded"');
    expect(await heldBytes()).toBe(12_000_000);
    expect([await refusals('share'), await refusals('whole')]).toEqual([share + 1, whole + 1]);
    await problem(await service.pdf({ html: 'x' }, { key: first.key }), 429, 'memory_limited'); // The share of an account is smaller when several accounts send requests.
    for (const key of [second.key, service.key]) expect((await service.pdf({ html: 'x' }, { key })).status).toBe(200);
    other.client.socket.write(html(2_000_000));
    expect(await other.client.head()).toMatch(/^HTTP\/1.1 200 /);
  });

  test('frees the memory of a client that disconnects', async () => {
    {
      await using _gone = await announce(first.key, 4_000_000);
      await using refused = await announce(first.key, 4_000_000);
      expect(refused.status).toBe(429);
    }
    await eventually('it is given back', async () => (await heldBytes()) === 0);
    await using again = await announce(first.key, 4_000_000);
    expect(again.status).toBe(100);
  });

  test('rejects a body of unknown length while it arrives, and delivers the answer to a client that sends everything', async () => {
    await using _holds = await announce(first.key, 2_000_000);
    await using client = await RawConnection.open(service.url);
    const chunk = `${(100_000).toString(16)}\r\n${' '.repeat(100_000)}\r\n`;
    client.socket.pause();
    client.socket.write(
      `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let n = 0; n < 39; n++) client.socket.write(chunk);
    await new Promise((sent) => client.socket.write('0\r\n\r\n', sent));
    client.socket.resume();
    expect(await client.head()).toMatch(/^HTTP\/1.1 429 /);
    client.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await client.rest()).toMatch(/"code":"memory_limited"(.|\n)*HTTP\/1.1 200 /);
  });

  test('accepts a body of unknown length in small chunks', async () => {
    await using client = await RawConnection.open(service.url);
    client.socket.write(
      `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const byte of html(100_000)) client.socket.write(`1\r\n${byte}\r\n`);
    client.socket.write('0\r\n\r\n');
    expect(await client.head()).toMatch(/^HTTP\/1.1 200 /);
  });

  test('counts more memory for many values than for their bytes', async () => {
    const body = JSON.stringify({ html: 'x', data: Array.from({ length: 40_000 }, () => ({})) });
    await problem(await service.pdf(body, { key: first.key }), 400, 'invalid_request'); // The memory suffices for this request alone.
    await using _holds = await announce(first.key, 2_500_000);
    await problem(await service.pdf(body, { key: first.key }), 429, 'memory_limited');
  });

  test('limits 60 incomplete bodies in total', async () => {
    await using roomy = await startService({ PLATEN_REQUEST_MEMORY_MB: '96', PLATEN_MAX_REQUEST_BYTES: '16000000' });
    expect((await roomy.pdf({ html: 'x' })).status).toBe(200);
    const before = await residentBytes(roomy);
    const half = Buffer.alloc(8_000_000, ' ');
    const clients = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const client = await RawConnection.open(roomy.url);
        client.socket.write(
          `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${roomy.key}\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n`,
        );
        await new Promise((sent) => client.socket.write(half, sent));
        return client;
      }),
    );
    const heads: string[] = [];
    for (const client of clients)
      client.head().then(
        (head) => heads.push(head),
        () => {},
      );
    await eventually('all but one are refused', () => heads.length === 59);
    expect(heads.every((head) => head.startsWith('HTTP/1.1 429 '))).toBe(true);
    expect(await roomy.metric('platen_request_memory_bytes')).toBe(32_000_000);
    expect((await residentBytes(roomy)) - before).toBeLessThan(2 * 96 * 1_048_576);
    for (const client of clients) await client[Symbol.asyncDispose]();
  });
});

describe('the playground', () => {
  test('has its own limit', async () => {
    await using _keys = await announce(first.key, 4_000_000);
    await using one = await announce('none', 1_000_000, '/v1/playground/pdf');
    await using two = await announce('none', 1_000_000, '/v1/playground/pdf');
    expect([one.status, two.status]).toEqual([100, 429]);
    await using other = await announce(second.key, 2_000_000);
    expect(other.status).toBe(100);
  });
});

describe('running requests', () => {
  test('hold memory until they are answered', async () => {
    const { img, requested } = heldImage();
    const pending = service.pdf(html(2_000_000, img), { key: first.key });
    const respond = await requested;
    expect(await heldBytes()).toBeGreaterThanOrEqual(4_000_000);
    respond();
    expect((await pending).status).toBe(200);
  });

  test('hold memory until their client disconnects', async () => {
    const { img, requested } = heldImage();
    const leaving = new AbortController();
    const pending = service.pdf(html(2_000_000, img), { key: first.key, signal: leaving.signal }).catch(() => 'gone');
    await requested;
    expect(await heldBytes()).toBeGreaterThanOrEqual(4_000_000);
    leaving.abort();
    expect(await pending).toBe('gone');
    await eventually('it is given back', async () => (await heldBytes()) === 0);
  });

  test('hold the memory of a filled template', async () => {
    const { img, requested } = heldImage();
    const template = await new Client(service.url, first.key).template(`${img}{% for i in (1..1000) %}{{ text }}{% endfor %}`, {
      engine: 'liquid',
    });
    const body = { template_id: template.template_id, data: { text: ' '.repeat(1_000) } };
    const pending = service.pdf(body, { key: first.key });
    const respond = await requested;
    expect(await heldBytes()).toBeGreaterThan(2_000_000);
    respond();
    expect((await pending).status).toBe(200);
  });

  test('hold none once a batch is accepted', async () => {
    const { img, requested } = heldImage();
    const items = [{ html: img + ' '.repeat(1_000_000) }];
    const pending = new Client(service.url, first.key).send('POST', '/v1/batches', { items }, { prefer: 'wait=60' });
    const respond = await requested;
    expect(await heldBytes()).toBe(0);
    respond();
    expect((await pending).status).toBe(200);
  });
});

describe('replies', () => {
  /** A document of noise, which takes 3 bytes for each pixel because it cannot be compressed. */
  const NOISE = `<canvas id=c width=3000 height=2000></canvas><p>it is whole<script>
    const context = c.getContext('2d'); const image = context.createImageData(3000, 2000);
    for (let at = 0; at < image.data.length; at++) image.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
    context.putImageData(image, 0, 0);
  </script>`;

  const spooled = async () => {
    const folder = `/proc/${service.child.pid}/fd`;
    const targets = await Promise.all((await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')));
    return targets.filter((target) => target.includes('spool.')).length;
  };

  const LARGE = { html: NOISE, options: { timeout: 60_000 } }; // The PDF has 18 MB.

  /**
   * A request whose reply waits until it is read. It reads nothing before: the kernel makes its buffer for a reader of a part so large
   * that all of the reply may have room there.
   */
  function unread(key: string) {
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify(LARGE);
    const socket = new Socket().pause().connect(Number(port), hostname);
    socket.write(
      `POST /v1/pdf HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return {
      async read() {
        const reply = Buffer.concat(await socket.toArray());
        const end = reply.indexOf('\r\n\r\n') + 4;
        return { head: reply.toString('latin1', 0, end), bytes: reply.subarray(end) };
      },
      [Symbol.dispose]: () => socket.destroy(),
    };
  }

  test('keeps a PDF on the disk until it is read if memory is full', async () => {
    await using _one = await announce(first.key, 2_000_000);
    await using _two = await announce(first.key, 2_000_000);
    using reply = unread(first.key);
    await eventually('it waits', async () => (await spooled()) === 1);
    expect(await heldBytes()).toBe(8_000_000);
    const { head, bytes } = await reply.read();
    expect(head).toMatch(/^HTTP\/1.1 200 /);
    expect(bytes.length).toBeGreaterThan(10_000_000);
    expect((await readPdf(bytes)).pages.join()).toContain('it is whole');
    await eventually('its file is gone', async () => (await spooled()) === 0);
  });

  test('limits PDFs on the disk, and rejects more without a charge', async () => {
    const { key } = await service.createKey('three');
    await using _one = await announce(key, 2_000_000);
    await using _two = await announce(key, 2_000_000);
    using one = unread(key);
    using two = unread(key);
    await eventually('both wait', async () => (await spooled()) === 2);
    const large = () => service.pdf(LARGE, { key });
    const { detail } = await problem(await large(), 429, 'memory_limited'); // An account can use half of the 72 MiB.
    expect(detail).toContain('unread replies');
    expect(await new Client(service.url, key).json('/v1/usage')).toMatchObject({ documents: { used: 2, remaining: 1 } });
    for (const { head, bytes } of await Promise.all([one.read(), two.read()])) {
      expect(head).toMatch(/^HTTP\/1.1 200 /);
      expect(bytes.length).toBeGreaterThan(17_000_000);
    }
    await eventually('its room is given back', async () => {
      const again = await large();
      await again.arrayBuffer();
      return again.status === 200;
    });
  });

  test('sends replies without room, because the work is done', async () => {
    const client = new Client(service.url, first.key);
    const { template_id } = await client.template('x'.repeat(200_000));
    await using _one = await announce(first.key, 4_000_000);
    await using _two = await announce(first.key, 700_000); // This leaves 37 kB.
    expect((await client.send('GET', `/v1/templates/${template_id}`)).status).toBe(200);
  });

  test('holds the memory of a PDF until it is read', async () => {
    using reply = unread(first.key);
    await eventually('it is held', async () => (await heldBytes()) > 10_000_000);
    const held = await heldBytes();
    expect(await spooled()).toBe(0);
    expect((await reply.read()).bytes.length).toBe(held);
  });
});

async function residentBytes({ child }: Service): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
}
