/** The queue: bounded, fair between owners, with correct predictions of the wait. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import { OwnerQueue } from '../../src/queue/owner-queue.ts';

const patient = () => new Deadline(60_000);

/** Acquires a place and records the order in which owners get one. */
function visitor(queue: OwnerQueue, order: string[], owner: string, name = owner) {
  const place = queue.acquire(owner, patient()).then((release) => {
    order.push(name);
    return release;
  });
  place.catch(() => {});
  return place;
}

describe('OwnerQueue', () => {
  test('predicts whether a request would be refused', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 2 });
    using deadline = new Deadline(60_000);
    queue.requireRoom('a');
    await queue.acquire('a', deadline);
    queue.requireRoom('a');
    for (let n = 0; n < 2; n++) queue.acquire('a', deadline).catch(() => {});
    expect(() => queue.requireRoom('a')).toThrow(expect.objectContaining({ code: 'queue_full' }));
    queue.requireRoom('b'); // fewer of b are waiting, so the last of a would have to leave
  });

  test('alternates between owners, however many requests each has', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 100 });
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

  test('refuses immediately when full, with the time to wait', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 2 });
    const release = await queue.acquire('a', patient());
    const waiting = [visitor(queue, [], 'a'), visitor(queue, [], 'a')];
    await expect(queue.acquire('a', patient())).rejects.toMatchObject({ code: 'queue_full', retryAfterSeconds: 1 });
    expect(queue.waiting).toBe(2);
    for (const place of waiting) void place.then((next) => next());
    release();
    await queue.idle();
  });

  test('makes room in a full queue for an owner with fewer waiting requests', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 3 });
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

  test('lets background work wait for all calls, without a place in the queue', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 2 });
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
    expect(queue.hasRoomInBackground('a')).toBe(false);
    first();
    await queue.idle();
    expect(order).toEqual(['a', 'b', 'background a', 'background b', 'background a']);
    expect(room).toBe(5); // called for each free place that no call is waiting for
    expect(queue.hasRoomInBackground('a')).toBe(true);
  });

  test('lets calls start next to running background work, and starts no more of it', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10 });
    const behind = () => queue.acquire('batch', patient(), { background: true });
    const held = [await behind(), await behind()];
    const order: string[] = [];
    const third = behind().then((release) => {
      order.push('background');
      return release;
    });
    const beside = await queue.acquire('a', patient()); // one call more than the capacity
    expect(queue.running).toBe(3);
    const places = [visitor(queue, order, 'b'), visitor(queue, order, 'c')];
    expect(queue.waiting).toBe(2);
    held[0]?.();
    await places[0];
    expect([queue.running, queue.waiting]).toEqual([3, 1]); // two calls, as many as the capacity, beside one that continues in overtime
    held[1]?.();
    expect([queue.running, queue.waiting]).toEqual([2, 1]);
    beside();
    await places[1];
    expect(order).toEqual(['b', 'c']);
    for (const place of [...places, third]) void place.then((release) => release());
    await queue.idle();
    expect(order).toEqual(['b', 'c', 'background']);
  });

  test('leaves a place free of background work while calls arrive', async () => {
    let now = 0;
    const queue = new OwnerQueue({ capacity: 2, limit: 10, now: () => now });
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
    now += 1_000; // no call has arrived for long enough
    const fourth = behind('fourth');
    (await second)();
    await Promise.all([third, fourth]);
    expect(queue.running).toBe(2);
    for (const place of [third, fourth]) (await place)();
    await queue.idle();
  });

  test('serves only its capacity without room to wait', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 0 });
    await queue.acquire('a', patient());
    await queue.acquire('b', patient());
    await expect(queue.acquire('c', patient())).rejects.toMatchObject({ code: 'queue_full' });
  });

  test('removes a request that gives up, without losing a place', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 10 });
    const release = await queue.acquire('a', patient());
    await expect(queue.acquire('b', new Deadline(20))).rejects.toMatchObject({
      code: 'render_timeout',
      members: { phase: 'queue' },
    });
    expect(queue.waiting).toBe(0);
    const left = new AbortController();
    const leaving = queue.acquire('c', new Deadline(60_000, left.signal));
    leaving.catch(() => {});
    release(); // admits c at the same moment as c leaves
    left.abort();
    await leaving.then(
      (place) => place(),
      () => {},
    );
    await queue.idle();
    expect(queue.running).toBe(0);
  });

  test('counts a place that is released twice once', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10 });
    const release = await queue.acquire('a', patient());
    await queue.acquire('b', patient());
    release();
    release();
    expect(queue.running).toBe(1);
  });
});

test('lets others pass an owner at its own limit', async () => {
  const queue = new OwnerQueue({ capacity: 3, limit: 10, perOwner: 1 });
  const order: string[] = [];
  const first = await queue.acquire('a', patient());
  const second = visitor(queue, order, 'a', 'second of a');
  const other = await queue.acquire('b', patient());
  expect([queue.running, queue.waiting, queue.countCalls('a'), queue.countCalls('b')]).toEqual([2, 1, 2, 1]);
  other();
  expect([queue.running, queue.waiting, order]).toEqual([1, 1, []]);
  first();
  (await second)();
  await queue.idle();
  expect([order, queue.countCalls('a')]).toEqual([['second of a'], 0]);
});

describe('an owner with more places than others', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('gets the next place after those with fewer', async () => {
    const queue = new OwnerQueue({ capacity: 3, limit: 10 });
    const order: string[] = [];
    await queue.acquire('many', patient());
    const first = await queue.acquire('many', patient());
    const second = await queue.acquire('one', patient());
    const places = [visitor(queue, order, 'many'), visitor(queue, order, 'one'), visitor(queue, order, 'none')];
    first();
    await places[2];
    second(); // now `one` has no place and `many` has one
    await places[1];
    expect(order).toEqual(['none', 'one']);
  });

  test('leaves the reserved place to owners who have none', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10, reserved: 1 });
    const first = await queue.acquire('many', patient());
    await queue.acquire('many', patient());
    const order: string[] = [];
    const more = visitor(queue, order, 'many', 'more');
    const release = await queue.acquire('none', patient());
    const next = visitor(queue, order, 'next');
    expect([queue.running, queue.waiting]).toEqual([3, 2]);
    release();
    await next; // the reserved place is free again
    first();
    expect(queue.running).toBe(2); // the owner of the reserved place has an ordinary place now
    expect(order).toEqual(['next']);
    (await next)();
    await more;
  });

  test('does not open the reserve while places are shared evenly', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10, reserved: 1 });
    await queue.acquire('a', patient());
    await queue.acquire('b', patient());
    const order: string[] = [];
    const third = visitor(queue, order, 'c');
    await vi.advanceTimersByTimeAsync(900);
    expect([queue.running, order]).toEqual([2, []]);
    await vi.advanceTimersByTimeAsync(300); // held too long while another call is waiting
    await third;
    expect(queue.running).toBe(3);
  });

  test('moves into overtime while others wait, and is notified once', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10, overtime: 4 });
    let notices = 0;
    const held = [];
    for (let n = 0; n < 2; n++) held.push(await queue.acquire('slow', patient(), { onOverdue: () => notices++ }));
    const order: string[] = [];
    const own = visitor(queue, order, 'slow', 'own');
    await vi.advanceTimersByTimeAsync(5_000);
    expect([queue.running, notices, order]).toEqual([2, 0, []]); // no other owner is waiting
    const others = [visitor(queue, order, 'b'), visitor(queue, order, 'c')];
    await vi.advanceTimersByTimeAsync(200);
    await Promise.all(others);
    expect([queue.running, notices, order]).toEqual([4, 2, ['b', 'c']]);
    expect(queue.hasFreePlace).toBe(false);
    for (const place of others) (await place)();
    await own;
    for (const release of [...held, await own]) release();
    await queue.idle();
    expect([queue.running, queue.hasFreePlace]).toEqual([0, true]);
  });

  test('takes at most half of the overtime; the longest work ends when there is none left', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 10, overtime: 2 });
    const deadlines: Deadline[] = [];
    const hold = async (owner: string) => {
      const deadline = patient();
      deadlines.push(deadline);
      const release = await queue.acquire(owner, deadline);
      deadline.signal.addEventListener('abort', release);
    };
    for (const owner of ['a', 'b', 'c']) {
      const held = hold(owner);
      await vi.advanceTimersByTimeAsync(1_200);
      await held;
    }
    expect(queue.running).toBe(3);
    const order: string[] = [];
    const last = visitor(queue, order, 'd');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000); // the first has been in overtime for ten seconds
    await last;
    expect(deadlines.map(({ error }) => error?.code)).toEqual(['queue_full', undefined, undefined]);
    expect(order).toEqual(['d']);
  });

  test('is not ended if that would make no room for those who wait', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 10, overtime: 4 });
    const deadlines: Record<string, Deadline> = {};
    const hold = async (owner: string, name: string) => {
      const deadline = patient();
      deadlines[name] = deadline;
      const release = await queue.acquire(owner, deadline);
      deadline.signal.addEventListener('abort', release);
    };
    await hold('neighbour', 'neighbour');
    for (const name of ['first', 'second', 'third']) {
      const held = hold('many', name);
      const passing = visitor(queue, [], 'passing'); // sends each into overtime, where an owner may have two calls
      await vi.advanceTimersByTimeAsync(1_200);
      void passing.then((release) => release());
      await vi.advanceTimersByTimeAsync(1_200);
      await held;
    }
    const last = visitor(queue, [], 'last');
    await vi.advanceTimersByTimeAsync(8_000);
    await last;
    expect(Object.values(deadlines).map(({ error }) => error?.code)).toEqual([undefined, 'queue_full', undefined, undefined]);
  });

  test('is ended if there is no overtime at all', async () => {
    const queue = new OwnerQueue({ capacity: 1, limit: 10, reserved: 1, longestMs: 5_000 });
    const deadlines = [patient(), patient()];
    for (const [n, owner] of ['a', 'b'].entries()) {
      const deadline = deadlines[n] as Deadline;
      const release = await queue.acquire(owner, deadline);
      deadline.signal.addEventListener('abort', release);
    }
    const third = visitor(queue, [], 'c');
    await vi.advanceTimersByTimeAsync(4_800);
    expect(queue.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(400);
    await third;
    expect(deadlines.map(({ error }) => error?.code)).toEqual(['queue_full', undefined]);
  });

  test('keeps running background work if only calls take all places', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10, overtime: 4 });
    let notices = 0;
    const release = await queue.acquire('batch', patient(), { background: true, onOverdue: () => notices++ });
    await vi.advanceTimersByTimeAsync(2_000);
    for (const owner of ['a', 'b']) await queue.acquire(owner, patient());
    const third = visitor(queue, [], 'c');
    await vi.advanceTimersByTimeAsync(500);
    expect([notices, queue.waiting]).toEqual([0, 1]); // giving up its place would help no other owner
    await vi.advanceTimersByTimeAsync(1_000);
    await third;
    expect(notices).toBe(0);
    release();
  });

  test('gets no more background places than others', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10, overtime: 4 });
    const behind = (owner: string) => queue.acquire(owner, patient(), { background: true });
    for (let n = 0; n < 2; n++) await behind('many');
    const ahead = [behind('many'), behind('many')];
    expect(queue.hasRoomInBackground('many')).toBe(false);
    expect(queue.hasRoomInBackground('other')).toBe(true);
    const other = behind('other');
    expect(queue.hasRoomInBackground('other')).toBe(false);
    await vi.advanceTimersByTimeAsync(1_200);
    await other;
    expect(queue.running).toBe(3); // one in overtime, one in its place, and one of the other owner
    for (const place of ahead) place.catch(() => {});
  });

  test('does not delay background work of others by calls, however many wait', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 10, overtime: 4 });
    for (let n = 0; n < 2; n++) await queue.acquire('calls', patient());
    const order: string[] = [];
    const more = visitor(queue, order, 'calls', 'more');
    await vi.advanceTimersByTimeAsync(1_200);
    expect(queue.hasRoomInBackground('batch')).toBe(true);
    expect(queue.hasRoomInBackground('calls')).toBe(false);
    const item = queue.acquire('batch', patient(), { background: true }).then((release) => {
      order.push('item');
      return release;
    });
    await vi.advanceTimersByTimeAsync(1_200);
    (await item)();
    expect(order).toContain('item');
    expect(queue.waiting).toBe(0);
    (await more)();
  });

  test('does not delay background work of others by repeated calls', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 100, reserved: 1, overtime: 4 });
    const end = new AbortController();
    for (let n = 0; n < 16; n++) void callAgainAndAgain(queue, undefined, end.signal);
    await vi.advanceTimersByTimeAsync(12_000); // until as many calls as allowed are in overtime
    const items = runItems(queue, 100);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(items.ended).toBe(100);
    end.abort();
    await queue.idle();
  });

  test('calls without end let one background item through each second', async () => {
    const queue = new OwnerQueue({ capacity: 2, limit: 100, overtime: 4 });
    const end = new AbortController();
    for (let n = 0; n < 16; n++) void callAgainAndAgain(queue, 50, end.signal);
    const items = runItems(queue, 8);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(items.ended).toBe(8);
    end.abort();
    await vi.advanceTimersByTimeAsync(1_000);
  });
});

/** Calls of one owner that hold their places for this time, or until they are ended. */
async function callAgainAndAgain(queue: OwnerQueue, milliseconds: number | undefined, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    using deadline = new Deadline(600_000, end);
    const release = await queue.acquire('calls', deadline).catch(() => undefined);
    if (!release) continue;
    await deadline.race(milliseconds ? pause(milliseconds) : new Promise(() => {})).catch(() => {});
    release();
  }
}

/** Starts them one after the other, as the batch runner does. */
function runItems(queue: OwnerQueue, count: number): { ended: number } {
  const items = { ended: 0 };
  const run = async () => {
    while (items.ended < count) {
      const release = await queue.acquire('batch', patient(), { background: true });
      await pause(50);
      release();
      items.ended++;
    }
  };
  run().catch(() => {});
  return items;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
