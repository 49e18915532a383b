/** The queue: bounded, fair between owners, honest about the wait. */
import { describe, expect, test } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import { FairQueue } from '../../src/pool/fair-queue.ts';

const patient = () => new Deadline(60_000);

/** Asks for a place and notes who got one, in order. */
function visitor(queue: FairQueue, order: string[], owner: string, name = owner) {
  const place = queue.acquire(owner, patient()).then((release) => {
    order.push(name);
    return release;
  });
  place.catch(() => {});
  return place;
}

describe('FairQueue', () => {
  test('tells beforehand what asking for a place would say', async () => {
    const queue = new FairQueue({ capacity: 1, limit: 2 });
    using deadline = new Deadline(60_000);
    queue.requireRoom('a');
    await queue.acquire('a', deadline);
    queue.requireRoom('a');
    for (let n = 0; n < 2; n++) queue.acquire('a', deadline).catch(() => {});
    expect(() => queue.requireRoom('a')).toThrow(expect.objectContaining({ code: 'queue_full' }));
    queue.requireRoom('b'); // its line is shorter: the last of the other would go
  });

  test('serves owners in turn, whoever came with many', async () => {
    const queue = new FairQueue({ capacity: 1, limit: 100 });
    const order: string[] = [];
    const first = await queue.acquire('a', patient());
    const places = [
      ...Array.from({ length: 5 }, () => visitor(queue, order, 'a')),
      visitor(queue, order, 'b'),
      visitor(queue, order, 'c'),
      visitor(queue, order, 'b'),
    ];
    first();
    for (const place of places) void place.then((release) => release());
    await queue.idle();
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a', 'a']);
  });

  test('refuses at once when full, with the time to wait', async () => {
    const queue = new FairQueue({ capacity: 1, limit: 2 });
    const release = await queue.acquire('a', patient());
    const waiting = [visitor(queue, [], 'a'), visitor(queue, [], 'a')];
    await expect(queue.acquire('a', patient())).rejects.toMatchObject({ code: 'queue_full', retryAfterSeconds: 1 });
    expect(queue.waiting).toBe(2);
    for (const place of waiting) void place.then((next) => next());
    release();
    await queue.idle();
  });

  test('a full queue makes room for an owner with a shorter line', async () => {
    const queue = new FairQueue({ capacity: 1, limit: 3 });
    const release = await queue.acquire('hog', patient());
    const order: string[] = [];
    const hogs = ['1', '2', '3'].map((name) => visitor(queue, order, 'hog', name));
    const small = visitor(queue, order, 'small');
    await expect(hogs[2]).rejects.toMatchObject({ code: 'queue_full' });
    for (const place of [hogs[0], hogs[1], small]) void place?.then((next) => next());
    release();
    await queue.idle();
    expect(order).toEqual(['1', 'small', '2']);
  });

  test('what runs in the background waits for all that does not, and needs no room in the queue', async () => {
    const queue = new FairQueue({ capacity: 1, limit: 2 });
    const order: string[] = [];
    const first = await queue.acquire('a', patient());
    const inBackground = (owner: string) =>
      queue.acquire(owner, patient(), { background: true }).then((release) => {
        order.push(`background ${owner}`);
        return release;
      });
    const places = [...['a', 'a', 'b'].map(inBackground), visitor(queue, order, 'a'), visitor(queue, order, 'b')];
    expect(queue.waiting).toBe(2);
    let room = 0;
    queue.watchRoom(() => room++);
    for (const place of places) void place.then((release) => release());
    expect(queue.hasRoomInBackground).toBe(false);
    first();
    await queue.idle();
    expect(order).toEqual(['a', 'b', 'background a', 'background b', 'background a']);
    expect(room).toBe(5); // told of each place that no call waited for
    expect(queue.hasRoomInBackground).toBe(true);
  });

  test('nobody waits for what runs in the background, which then does not go on', async () => {
    const queue = new FairQueue({ capacity: 2, limit: 10 });
    const behind = () => queue.acquire('batch', patient(), { background: true });
    const held = [await behind(), await behind()];
    const order: string[] = [];
    const third = behind().then((release) => {
      order.push('background');
      return release;
    });
    const beside = await queue.acquire('a', patient()); // one more than there are places
    expect(queue.running).toBe(3);
    const places = [visitor(queue, order, 'b'), visitor(queue, order, 'c')];
    expect(queue.waiting).toBe(2);
    held[0]?.();
    await places[0];
    expect([queue.running, queue.waiting]).toEqual([3, 1]); // two calls, the capacity, beside what still runs
    held[1]?.();
    expect([queue.running, queue.waiting]).toEqual([2, 1]);
    beside();
    await places[1];
    expect(order).toEqual(['b', 'c']);
    for (const place of [...places, third]) void place.then((release) => release());
    await queue.idle();
    expect(order).toEqual(['b', 'c', 'background']);
  });

  test('while others come, the background leaves a place free', async () => {
    let now = 0;
    const queue = new FairQueue({ capacity: 2, limit: 10, now: () => now });
    const order: string[] = [];
    const behind = (name: string) =>
      queue.acquire('batch', patient(), { background: true }).then((release) => {
        order.push(name);
        return release;
      });
    (await queue.acquire('a', patient()))();
    const [first, second, third] = [behind('first'), behind('second'), behind('third')];
    (await first)();
    await second;
    expect([queue.running, order]).toEqual([1, ['first', 'second']]);
    now += 1_000; // nobody has come for long enough
    const fourth = behind('fourth');
    (await second)();
    await Promise.all([third, fourth]);
    expect(queue.running).toBe(2);
    for (const place of [third, fourth]) (await place)();
    await queue.idle();
  });

  test('with no room to wait only the capacity is served', async () => {
    const queue = new FairQueue({ capacity: 2, limit: 0 });
    await queue.acquire('a', patient());
    await queue.acquire('b', patient());
    await expect(queue.acquire('c', patient())).rejects.toMatchObject({ code: 'queue_full' });
  });

  test('whoever gives up leaves the line, and no place is lost', async () => {
    const queue = new FairQueue({ capacity: 1, limit: 10 });
    const release = await queue.acquire('a', patient());
    await expect(queue.acquire('b', new Deadline(20))).rejects.toMatchObject({
      code: 'render_timeout',
      members: { phase: 'queue' },
    });
    expect(queue.waiting).toBe(0);
    const left = new AbortController();
    const leaving = queue.acquire('c', new Deadline(60_000, left.signal));
    leaving.catch(() => {});
    release(); // admits c in the very moment it leaves
    left.abort();
    await leaving.then(
      (place) => place(),
      () => {},
    );
    await queue.idle();
    expect(queue.running).toBe(0);
  });

  test('a place given back twice counts once', async () => {
    const queue = new FairQueue({ capacity: 2, limit: 10 });
    const release = await queue.acquire('a', patient());
    await queue.acquire('b', patient());
    release();
    release();
    expect(queue.running).toBe(1);
  });
});
