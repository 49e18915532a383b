/** The event stream of a batch: each outcome once and in order, despite lost connections and restarts. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { type Batch, type BatchItemResult, Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { eventually, type Service, startService } from '../support/service.ts';

interface Event {
  event: string;
  id: number;
  data: BatchItemResult & Batch;
}

const SETTINGS = { PLATEN_CONCURRENCY: '2' };

const service = await startService({ ...SETTINGS, PLATEN_DRAIN_TIMEOUT_SECONDS: '1' }).then(closeAfterAll);

const on = async (at: Service = service) => new Client(at.url, (await at.createKey()).key);

const items = (count: number, ms = 50) =>
  Array.from({ length: count }, (_, n) => ({ html: `<p>${n}`, options: { waitForTimeout: ms }, reference: `r${n}` }));
const ENDLESS = { html: '<p>x', options: { waitForFunction: 'false' } };

async function send(client: Client, sent: unknown[]): Promise<string> {
  const response = await client.send('POST', '/v1/batches', { items: sent });
  expect(response.status, await response.clone().text()).toBe(202);
  return ((await response.json()) as Batch).batch_id;
}

const read = (client: Client, id: string) => client.json<Batch>(`/v1/batches/${id}`);

/** Parses an event stream as its specification says, and skips everything that is not an event. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let rest = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? []));
      if (fields.event) yield { event: fields.event, id: Number(fields.id), data: JSON.parse(fields.data) };
    }
  }
  expect(rest).toBe('');
}

const follow = (client: Client, id: string, headers = {}, query = '') =>
  client.send('GET', `/v1/batches/${id}/events${query}`, undefined, headers);

async function gather(events: AsyncIterable<Event>): Promise<Event[]> {
  const gathered: Event[] = [];
  for await (const event of events) gathered.push(event);
  return gathered;
}

const all = (response: Response) => gather(eventsOf(response));

/** Ids count up from `first`, each item occurs once as in the batch, and the last event is the end of the batch. */
function expectWhole(events: Event[], { items: records, ...summary }: Batch, first = 1): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, n) => first + n));
  const end = events.at(-1);
  expect(end).toEqual({ event: 'batch', id: summary.total + 1, data: summary });
  const itemEvents = events.slice(0, -1);
  expect(itemEvents.map(({ event }) => event)).toEqual(itemEvents.map(() => 'item'));
  for (const { data } of itemEvents) expect(data).toEqual(records[data.index]);
  expect(new Set(itemEvents.map(({ data }) => data.index)).size).toBe(records.length - first + 1);
}

describe('200', () => {
  test('streams each outcome while the batch runs, then its end', async () => {
    const client = await on();
    const id = await send(client, [
      ...items(6),
      { html: 'x', options: { scale: 9 } },
      { html: 'x', options: { pageRanges: '9' } },
    ]);
    const response = await follow(client, id);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = await all(response);
    expectWhole(events, await read(client, id));
    expect(events[0]?.data).toMatchObject({ index: 6, status: 'failed', error: { code: 'invalid_request' } });
  });

  test('replays a finished batch from the start, identically for every client', async () => {
    const client = await on();
    const same = { html: '<p>same' };
    const id = await send(client, [...items(3), same, same, same]);
    const [first, second] = await Promise.all([follow(client, id).then(all), follow(client, id).then(all)]);
    expectWhole(first, await read(client, id));
    expect(second).toEqual(first);
    expect(await all(await follow(client, id))).toEqual(first);
  });

  test('streams JSON lines on request', async () => {
    const client = await on();
    const id = await send(client, items(3));
    const response = await follow(client, id, { accept: 'application/x-ndjson' });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text()).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Event).filter(({ event }) => event !== 'heartbeat');
    expectWhole(events, await read(client, id));
  });

  test('continues after the last known event', async () => {
    const client = await on();
    const id = await send(client, items(5));
    const received: Event[] = [];
    for await (const event of eventsOf(await follow(client, id))) if (received.push(event) === 2) break;
    const rest = await all(await follow(client, id, { 'last-event-id': '2' }));
    expectWhole([...received, ...rest], await read(client, id));
    expect(await all(await follow(client, id, {}, '?last_event_id=2'))).toEqual(rest);
    expectWhole(await all(await follow(client, id, { 'last-event-id': '5' }, '?last_event_id=1')), await read(client, id), 6);
  });

  test('includes events for cancelled items', async () => {
    const client = await on();
    const id = await send(client, items(20, 300));
    const following = follow(client, id);
    await eventually('it has begun', async () => (await read(client, id)).status === 'running');
    await client.send('DELETE', `/v1/batches/${id}`);
    const events = await all(await following);
    expectWhole(events, await read(client, id));
    expect(events.at(-1)?.data.status).toBe('cancelled');
  });

  test('returns 204 for the last event, so that an EventSource stops reconnecting', async () => {
    const client = await on();
    const id = await send(client, items(2));
    await all(await follow(client, id));
    expect((await follow(client, id, { 'last-event-id': '3' })).status).toBe(204);
  });

  test('delivers everything to a slow reader without delaying others', async () => {
    const client = await on();
    const failing = { html: 'x', reference: 'x'.repeat(256), options: { format: 'no such format' } };
    const id = await send(client, [...Array(499).fill(failing), { html: 'x' }]);
    const slowRequest = request(`${client.url}/v1/batches/${id}/events`, {
      headers: { authorization: `Bearer ${client.key}` },
    }).end();
    const [unread] = (await once(slowRequest, 'response')) as [IncomingMessage];
    const events = await all(await follow(client, id));
    expectWhole(events, await read(client, id));
    expect((await text(unread)).match(/^event: item$/gm)).toHaveLength(500);
  });
});

describe('400 to 429', () => {
  test.each(['-1', '1.5', 'x', '', '3', '99999999999', '1, 1'])('returns 400 for the last event id %j', async (last) => {
    const client = await on();
    const id = await send(client, [ENDLESS, { html: 'x', options: { scale: 9 } }]);
    for (const [headers, query, path] of [
      [{ 'last-event-id': last }, '', 'Last-Event-ID'],
      [{}, `?last_event_id=${last}`, 'last_event_id'],
    ] as const) {
      const { errors } = await problem(await follow(client, id, headers, query), 400, 'invalid_request');
      expect(errors).toEqual([{ path, message: 'must be the id of an event of this batch' }]);
    }
    await client.send('DELETE', `/v1/batches/${id}`);
  });

  test('rejects batches of other keys, unknown batches, other types and other methods', async () => {
    const [ada, bob] = [await on(), await on()];
    const id = await send(ada, items(1));
    for (const each of [id, 'bat_0123456789ABCDEFGHIJKL', 'x']) await problem(await follow(bob, each), 404, 'not_found');
    await problem(await follow(ada, id, { accept: 'application/pdf' }), 406, 'not_acceptable');
    await problem(await ada.send('POST', `/v1/batches/${id}/events`, {}), 405, 'method_not_allowed');
    const { errors } = await problem(await follow(ada, id, {}, '?after=1'), 400, 'invalid_request');
    expect(errors?.[0]?.path).toBe('after');
  });

  test('limits each key to 32 open streams, and frees a place when a client disconnects', async () => {
    const [client, other] = [await on(), await on()];
    const id = await send(client, [ENDLESS]);
    const leave = new AbortController();
    const open = () =>
      fetch(`${client.url}/v1/batches/${id}/events`, {
        headers: { authorization: `Bearer ${client.key}` },
        signal: leave.signal,
      });
    const streams = await Promise.all(Array.from({ length: 32 }, open));
    expect(streams.map(({ status }) => status)).toEqual(Array(32).fill(200));
    await problem(await follow(client, id), 429, 'concurrency_limited');
    const others = await send(other, [7, 7]);
    expectWhole(await all(await follow(other, others)), await read(other, others));
    leave.abort();
    await eventually('there is room', async () => {
      const again = await follow(client, id);
      await again.body?.cancel();
      return again.status === 200;
    });
    await client.send('DELETE', `/v1/batches/${id}`);
  });
});

test('ends a stream when the service gets SIGTERM', async () => {
  await using ending = await startService(SETTINGS);
  const client = await on(ending);
  const id = await send(client, items(40, 200));
  const events = eventsOf(await follow(client, id));
  await events.next();
  const stopped = ending.stop();
  const rest = await gather(events);
  expect(rest.at(-1)?.event ?? 'item').toBe('item');
  expect(await stopped).toBe(0);
});

test('loses and repeats no event when a client resumes after SIGKILL', async () => {
  const service = await startService(SETTINGS);
  await using _ = service;
  const client = await on(service);
  const id = await send(client, items(30, 60));
  const received: Event[] = [];
  let current = service;
  for (let kill = 0; kill < 2; kill++) {
    const at = new Client(current.url, client.key);
    const last = String(received.at(-1)?.id ?? 0);
    const enough = received.length + 5;
    for await (const event of eventsOf(await follow(at, id, { 'last-event-id': last })))
      if (received.push(event) >= enough) break;
    current.child.removeAllListeners('exit');
    const exited = once(current.child, 'exit');
    current.child.kill('SIGKILL');
    await exited;
    current = await startService({ ...SETTINGS, PLATEN_DATA_DIR: service.env.PLATEN_DATA_DIR ?? '' }, { firstKey: client.key });
  }
  await using next = current;
  const after = new Client(next.url, client.key);
  received.push(...(await all(await follow(after, id, { 'last-event-id': String(received.at(-1)?.id) }))));
  // Links contain the address of the service, which changes when it restarts.
  const origin = (event: Event) => JSON.parse(JSON.stringify(event).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, next.url)) as Event;
  expectWhole(received.map(origin), await read(after, id));
});
