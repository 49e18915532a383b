/** The finishing queue shares threads and memory between owners, so that one owner does not block others. */
import { describe, expect, test } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import { OwnerQueue } from '../../src/queue/owner-queue.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { finishPdf } from '../../src/render/steps/finish.ts';
import { FinishQueue } from '../../src/render/steps/finish-queue.ts';
import type { PrintedDocument } from '../../src/render/steps/printed-document.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DOCUMENT, inChunks, openFinisher, settings, TABLE, TAGGED } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const MEGABYTE = 1_048_576;
const LIMITS = { renderTimeoutMs: 60_000, maxRenderTimeoutMs: 60_000 };

const printer = await RawPrinter.start();
const pdf = await printer.print(DOCUMENT);
const large = await printer.print(TABLE, TAGGED);
await printer.close();
const finisher = closeAfterAll(openFinisher({ threads: 2 }));

/** By default, no task is ended for its time, however busy the machine is. */
function openQueue(longestMs = 600_000): FinishQueue {
  const owners = new OwnerQueue({ capacity: 1, limit: 8, reserved: 1, longestMs });
  return new FinishQueue(finisher, owners, { maxBytes: 40 * MEGABYTE });
}

/** Occupies a thread, and counts as this many bytes, until the deadline ends. */
function occupy(queue: FinishQueue, owner: string, deadline: Deadline, bytes: number = MEGABYTE): Promise<unknown> {
  const pending = queue.merge(owner, bytes, () => new Promise(() => {}), deadline);
  pending.catch(() => {});
  return pending;
}

const finish = (queue: FinishQueue, owner: string, deadline: Deadline) =>
  queue.finish(owner, inChunks(pdf), settings({ compress: true }), deadline);

test('reserves a thread for an owner who has none, one owner at a time', async () => {
  const queue = openQueue();
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  const pending = [occupy(queue, 'many', deadline), occupy(queue, 'many', deadline)];
  for (const owner of ['a', 'b', 'a'])
    expect(
      Buffer.concat(await finish(queue, owner, deadline))
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  client.abort();
  for (const each of pending) await expect(each).rejects.toMatchObject({ code: 'client_closed' });
});

test.each([
  { when: 'the queue is full', limit: 0, timeoutMs: 600_000, code: 'queue_full' },
  { when: 'no thread takes it in time', limit: 8, timeoutMs: 1_000, code: 'render_timeout' },
])('a PDF that would only get smaller stays as it is when $when', async ({ limit, timeoutMs, code }) => {
  const queue = new FinishQueue(finisher, new OwnerQueue({ capacity: 1, limit }), { maxBytes: 40 * MEGABYTE });
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  const pending = occupy(queue, 'a', deadline);
  const render = async (options: object) => {
    using own = new Deadline(timeoutMs);
    const { finish: plan } = parseRenderRequest({ html: 'x', options }, LIMITS);
    const printed = { chunks: inChunks(pdf), metadata: {} } as PrintedDocument;
    const { letterhead: _, ...finish } = plan;
    const given = { ...finish, boundary: '', structure: undefined, forms: undefined, signature: undefined, watermark: undefined };
    return (await finishPdf(queue, printed, given, undefined, 'b', own)).reduce((sum, { length }) => sum + length, 0);
  };
  expect(pdf.length).toBeGreaterThan(10_000);
  expect(await render({})).toBe(pdf.length);
  await expect(render({ compress: true })).rejects.toMatchObject({ code });
  client.abort();
  await pending.catch(() => {});
  using later = new Deadline(600_000);
  expect(Buffer.concat(await queue.compress('b', inChunks(pdf), later)).length).toBeLessThan(pdf.length);
});

test('ends the longest task when two owners hold all threads', async () => {
  const queue = openQueue(1_000);
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  using ended = new Deadline(600_000);
  const [first, second] = [occupy(queue, 'a', ended), occupy(queue, 'b', deadline)];
  expect(await finish(queue, 'c', deadline)).not.toHaveLength(0);
  await expect(first).rejects.toMatchObject({ code: 'queue_full' });
  client.abort();
  await expect(second).rejects.toMatchObject({ code: 'client_closed' });
});

test('reserves memory for owners who use none, and accepts one PDF that is larger than the limit', async () => {
  const queue = openQueue();
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  const pending = occupy(queue, 'large', deadline, 100 * MEGABYTE);
  await expect(occupy(queue, 'large', deadline)).rejects.toMatchObject({ code: 'queue_full' });
  await expect(occupy(queue, 'other', deadline, 20 * MEGABYTE)).rejects.toMatchObject({ code: 'queue_full' });
  expect(await finish(queue, 'other', deadline)).not.toHaveLength(0);
  client.abort();
  await expect(pending).rejects.toMatchObject({ code: 'client_closed' });
  expect(await finish(queue, 'large', new Deadline(600_000))).not.toHaveLength(0);
});

test('counts the bytes of a PDF until it is signed, without occupying a thread', async () => {
  const queue = openQueue();
  using deadline = new Deadline(600_000);
  const signature = {
    ...{ description: '', name: '', reason: undefined, location: undefined, contact: undefined, signedAt: 0 },
    ...{ reservedBytes: 100, digest: 'sha256' as const, visible: undefined },
  };
  const { promise: filling, resolve: begin } = Promise.withResolvers<void>();
  const { promise: filled, resolve: end } = Promise.withResolvers<void>();
  const attachments = [{ name: 'a', type: undefined, description: undefined, content: Buffer.alloc(29 * MEGABYTE) }];
  const fill = async (pieces: Buffer[]) => {
    begin();
    await filled;
    return pieces;
  };
  const signing = queue.sign('large', inChunks(pdf), { ...settings({ attachments }), signature }, fill, deadline);
  await Promise.race([filling, signing]);
  await expect(occupy(queue, 'large', deadline, 2 * MEGABYTE)).rejects.toMatchObject({ code: 'queue_full' });
  expect(await finish(queue, 'large', deadline)).not.toHaveLength(0);
  end();
  await signing;
  const client = new AbortController();
  using leaving = new Deadline(600_000, client.signal);
  const pending = occupy(queue, 'large', leaving, 2 * MEGABYTE);
  client.abort();
  await expect(pending).rejects.toMatchObject({ code: 'client_closed' });
});

describe('with one thread and room for two waiting tasks', () => {
  const open = () => new FinishQueue(finisher, new OwnerQueue({ capacity: 1, limit: 2 }), { maxBytes: 40 * MEGABYTE });
  const compress = async (queue: FinishQueue, document: Buffer, client?: AbortSignal) => {
    using deadline = new Deadline(600_000, client);
    return Buffer.concat(await queue.finish('key', inChunks(document), settings({ compress: true }), deadline));
  };

  test('refuses a further task immediately, with the time to retry', async () => {
    const queue = open();
    const accepted = [1, 2, 3].map(() => compress(queue, large));
    await expect(compress(queue, pdf)).rejects.toMatchObject({ code: 'queue_full', retryAfterSeconds: 1 });
    const [first, ...others] = await Promise.all(accepted);
    for (const other of others) expect(other.equals(first as Buffer)).toBe(true);
    expect(await compress(queue, pdf)).not.toHaveLength(0);
  });

  test('frees the place of a task whose client disconnects, waiting or running', async () => {
    const queue = open();
    const [served, waiting] = [new AbortController(), new AbortController()];
    const first = compress(queue, large, served.signal);
    const second = compress(queue, large, waiting.signal);
    const third = compress(queue, pdf);
    waiting.abort();
    await expect(second).rejects.toMatchObject({ code: 'client_closed' });
    const fourth = compress(queue, pdf); // takes the place of the second
    served.abort();
    await expect(first).rejects.toMatchObject({ code: 'client_closed' });
    expect((await third).equals(await fourth)).toBe(true);
  });
});
