/** Limits of the playground for each visitor and for all, by address, with queues, after key holders. */
import { afterEach, describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { type Answer, Site } from '../support/site.ts';
import { visitorAt } from '../support/visitor.ts';

const PER_MINUTE = 3;
/** An invalid body: nothing is rendered for it, but the request counts against the limit. */
const NOTHING = {};

const toClose: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

async function start(settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService(settings);
  toClose.push(() => service[Symbol.asyncDispose]());
  return service;
}

function visit(service: Service, address?: string) {
  const visitor = visitorAt(service.url, address);
  toClose.push(() => visitor.leave());
  return visitor;
}

/** Starts a server that holds its replies back. Renders that load an image from it run until the test releases them. */
async function startHold() {
  const open: Array<() => void> = [];
  const openRequests = { now: 0, most: 0 };
  let isOver = false;
  const hold: Answer = (_request, response) => {
    openRequests.most = Math.max(openRequests.most, ++openRequests.now);
    response.on('close', () => openRequests.now--);
    const answer = () => response.writeHead(404).end();
    if (isOver) answer();
    else open.push(answer);
  };
  const site = await Site.start({ '/hold': hold });
  toClose.push(() => site.close());
  const release = () => {
    isOver = true;
    for (const answer of open.splice(0)) answer();
  };
  const document = { html: `<p>held<img src="${site.origin}/hold">`, options: { timeout: 10_000, resourceTimeout: 10_000 } };
  return { site, openRequests, release, document };
}

describe('requests a minute', () => {
  const perMinute = { PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: String(PER_MINUTE) };
  const statuses = async (request: () => Promise<Response>, times: number) => {
    const found: number[] = [];
    for (let n = 0; n < times; n++) found.push((await request()).status);
    return found;
  };
  const ALL = [...Array.from({ length: PER_MINUTE }, () => 400), 429];

  test('are counted by address, ignoring headers of untrusted clients', async () => {
    const service = await start(perMinute);
    await visit(service, '127.0.0.4').wakeUp();
    const [one, other] = [visit(service, '127.0.0.2'), visit(service, '127.0.0.3')];
    let n = 0;
    const forged = () => one.pdf(NOTHING, { 'x-forwarded-for': `203.0.113.${n++}`, forwarded: `for=203.0.113.${n}` });
    expect(await statuses(forged, PER_MINUTE)).toEqual(ALL.slice(0, -1));
    const refused = await one.pdf({ html: 'x' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-limit')).toBe(String(PER_MINUTE));
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(await problem(refused, 429, 'rate_limited')).toMatchObject({ limit: PER_MINUTE });
    expect((await readPdfReply(await other.pdf({ html: '<p>other' }))).pages).toEqual(['other']);
    expect((await service.pdf({ html: '<p>x' })).status).toBe(200); // Requests with a key are limited by their plan instead.
  });

  test('are counted by the address that a trusted proxy reports', async () => {
    const service = await start({ ...perMinute, PLATEN_TRUSTED_PROXIES: '127.0.0.2, 10.0.0.0/8' });
    const proxy = visit(service, '127.0.0.2');
    const through = (forwarded: string) => () => proxy.pdf(NOTHING, { 'x-forwarded-for': forwarded });
    expect(await statuses(through('203.0.113.1'), PER_MINUTE + 1)).toEqual(ALL);
    expect(await statuses(through('203.0.113.2'), PER_MINUTE + 1)).toEqual(ALL);
    let n = 0;
    const spoofed = () => through(`198.51.100.${n++}, 10.9.9.9, 203.0.113.3`)();
    expect(await statuses(spoofed, PER_MINUTE + 1)).toEqual(ALL);
    const twoProxies = () => through(`198.51.100.${n++}, 203.0.113.4:4711, 10.1.2.3`)();
    expect(await statuses(twoProxies, PER_MINUTE + 1)).toEqual(ALL);
    const sameNetwork = () => through(`2001:db8:0:1::${(++n).toString(16)}`)();
    expect(await statuses(sameNetwork, PER_MINUTE + 1)).toEqual(ALL);
    expect(await statuses(through('[2001:db8:0:2::1]:443'), 1)).toEqual([400]);
    expect(await statuses(through('::ffff:203.0.113.1'), 1)).toEqual([429]);
    const junk = () => through(`x${n++}`)();
    expect(await statuses(junk, PER_MINUTE + 1)).toEqual(ALL); // Requests without a valid address count for the proxy itself.
    const stranger = visit(service, '127.0.0.3');
    const forged = () => stranger.pdf(NOTHING, { 'x-forwarded-for': `203.0.113.${100 + n++}` });
    expect(await statuses(forged, PER_MINUTE + 1)).toEqual(ALL);
    const untrusted = { 'x-forwarded-for': '203.0.113.77', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const { type } = (await (await proxy.pdf(NOTHING, untrusted)).json()) as { type: string };
    expect(new URL(type).origin).toBe(service.url);
  });
});

test('counts seconds of rendering for each address', async () => {
  const service = await start({ PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '3' });
  await visit(service, '127.0.0.4').wakeUp();
  const [one, other] = [visit(service, '127.0.0.2'), visit(service, '127.0.0.3')];
  const slow = { html: '<p>slow', options: { waitForTimeout: 4_000 } };
  expect((await one.pdf(slow)).status).toBe(200);
  const refused = await one.pdf({ html: 'x' });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(10); // more than a second too much, of which each is forgotten after 20
  expect(await problem(refused, 429, 'rate_limited')).toMatchObject({ limit: 3, retry_after: seconds });
  for (let n = 0; n < 5; n++) expect((await other.pdf({ html: '<p>quick' })).status).toBe(200);
});

test('limits an address to one running document and a short queue, without delaying others', async () => {
  const { site, openRequests, release, document } = await startHold();
  const service = await start({
    PLATEN_PLAYGROUND_CONCURRENCY: '2',
    PLATEN_PLAYGROUND_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
  });
  await visit(service, '127.0.0.4').wakeUp();
  const one = visit(service, '127.0.0.2');
  const replies = Array.from({ length: 4 }, () => one.pdf(document));
  const first = await Promise.race(replies);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(0);
  await problem(first, 429, 'rate_limited');
  await eventually('one render is running', () => openRequests.now === 1);
  const other = await visit(service, '127.0.0.3').pdf({ html: '<p>other' });
  expect((await readPdfReply(other)).pages).toEqual(['other']);
  expect(openRequests.most).toBe(1);
  release();
  const statuses = (await Promise.all(replies)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  for (const status of statuses) expect(status).toBeOneOf([200, 429, 504]); // Queued requests may have reached the time limit of the queue.
  expect(openRequests.most).toBe(1);
});

test('limits the queue for all visitors, with Retry-After', async () => {
  const { site, openRequests, release, document } = await startHold();
  const service = await start({
    PLATEN_PLAYGROUND_CONCURRENCY: '1',
    PLATEN_PLAYGROUND_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
  });
  await visit(service).wakeUp();
  const held = visit(service, '127.0.0.2').pdf(document);
  await eventually('one render is running', () => openRequests.now === 1);
  const counts: number[] = [];
  const crowd = Array.from({ length: 40 }, async (_, n) => {
    const reply = await visit(service, `127.0.0.${n + 3}`).pdf({ html: `<p>${n}` });
    counts.push(reply.status);
    if (reply.status === 429) {
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      await problem(reply, 429, 'queue_full');
    }
    return reply.status;
  });
  await eventually('all but a line of sixteen were refused', () => counts.filter((status) => status === 429).length === 24);
  expect(counts).toHaveLength(24);
  release();
  expect((await held).status).toBe(200);
  const admitted = (await Promise.all(crowd)).filter((status) => status !== 429);
  expect(admitted).toHaveLength(16);
  for (const status of admitted) expect(status).toBeOneOf([200, 504]);
});

test('lets visitors wait for key holders, but not forever', async () => {
  const { site, openRequests, release, document } = await startHold();
  const service = await start({ PLATEN_CONCURRENCY: '1', PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}` });
  const visitor = visit(service);
  await visitor.wakeUp();
  const keyHolder = service.pdf({ ...document, options: { timeout: 30_000, resourceTimeout: 30_000 } });
  await eventually('the key holder renders', () => openRequests.now === 1);
  const patient = await visitor.pdf({ html: '<p>patient' });
  const queued = Number(/queue;dur=([\d.]+)/.exec(patient.headers.get('server-timing') ?? '')?.[1]);
  expect(queued).toBeGreaterThan(1_900);
  expect((await readPdfReply(patient)).pages).toEqual(['patient']);
  const late = await visitor.pdf({ html: 'x', options: { timeout: 1_000 } });
  expect(await problem(late, 504, 'render_timeout')).toMatchObject({ phase: 'queue' });
  const waiting = visitor.pdf({ html: '<p>next' });
  release();
  expect((await keyHolder).status).toBe(200);
  expect((await readPdfReply(await waiting)).pages).toEqual(['next']);
});

test('names settings that contradict each other', async () => {
  for (const [name, value] of [
    ['PLATEN_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['PLATEN_TRUSTED_PROXIES', 'proxy.example'],
    ['PLATEN_PLAYGROUND', 'yes'],
    ['PLATEN_PLAYGROUND_CONCURRENCY', '0'],
  ])
    await expect(startService({ [name as string]: value as string })).rejects.toThrow(`${name}=${value}`);
});
