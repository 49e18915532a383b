/** Finishing for several owners: one that holds threads or bytes does not hold up the others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import type { Finisher } from '../../src/pdf/finisher.ts';
import { OwnerQueue } from '../../src/queue/owner-queue.ts';
import { FinishLine } from '../../src/render/finish-line.ts';
import { DOCUMENT, inPieces, openFinisher, settings } from '../support/finishing.ts';
import { RawPrinter } from '../support/raw-printer.ts';

const MEGABYTE = 1_048_576;

let pdf: Buffer;
let finisher: Finisher;
beforeAll(async () => {
  const printer = await RawPrinter.start();
  pdf = await printer.print(DOCUMENT);
  await printer.close();
  finisher = openFinisher({ threads: 2 });
});
afterAll(() => finisher.close());

function openLine(longestMs?: number): FinishLine {
  const queue = new OwnerQueue({ capacity: 1, limit: 8, reserved: 1, ...(longestMs && { longestMs }) });
  return new FinishLine(finisher, queue, { maxBytes: 40 * MEGABYTE });
}

/** Holds a thread, and so many bytes, until the deadline ends. */
function hold(line: FinishLine, owner: string, deadline: Deadline, bytes: number = MEGABYTE): Promise<unknown> {
  const held = line.merge(owner, bytes, () => new Promise(() => {}), deadline);
  held.catch(() => {});
  return held;
}

const finish = (line: FinishLine, owner: string, deadline: Deadline) =>
  line.finish(owner, inPieces(pdf), settings({ compress: true }), deadline);

test('a thread is left for an owner who has none, and for one after the other', async () => {
  const line = openLine();
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  const held = [hold(line, 'many', deadline), hold(line, 'many', deadline)];
  for (const owner of ['a', 'b', 'a'])
    expect(
      Buffer.concat(await finish(line, owner, deadline))
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  client.abort();
  for (const each of held) await expect(each).rejects.toMatchObject({ code: 'client_closed' });
});

test('two owners who hold all threads are not waited for for ever: the longest is ended', async () => {
  const line = openLine(1_000);
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  using ended = new Deadline(600_000);
  const [first, second] = [hold(line, 'a', ended), hold(line, 'b', deadline)];
  expect(await finish(line, 'c', deadline)).not.toHaveLength(0);
  await expect(first).rejects.toMatchObject({ code: 'queue_full' });
  client.abort();
  await expect(second).rejects.toMatchObject({ code: 'client_closed' });
});

test('a part of the bytes is left for owners who have none there; one PDF alone may be larger', async () => {
  const line = openLine();
  const client = new AbortController();
  using deadline = new Deadline(600_000, client.signal);
  const held = hold(line, 'large', deadline, 100 * MEGABYTE);
  await expect(hold(line, 'large', deadline)).rejects.toMatchObject({ code: 'queue_full' });
  await expect(hold(line, 'other', deadline, 20 * MEGABYTE)).rejects.toMatchObject({ code: 'queue_full' });
  expect(await finish(line, 'other', deadline)).not.toHaveLength(0);
  client.abort();
  await expect(held).rejects.toMatchObject({ code: 'client_closed' });
  expect(await finish(line, 'large', new Deadline(600_000))).not.toHaveLength(0);
});
