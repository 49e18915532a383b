/** The contract of every job runner: fairness, limits, transactions, times, and an orderly end. */
import { expect, test } from 'vitest';
import { type ClaimResult, type Jobs, NO_WORK, type Task, type TaskName, type Tasks } from '../../src/jobs/jobs.ts';
import type { Database, Query } from '../../src/storage/database.ts';
import { IDLE_TASKS } from '../support/idle-tasks.ts';
import { eventually } from '../support/service.ts';

export interface World {
  database: Database;
  /** Another process on the same database, if the runner allows several. */
  open(): Promise<Jobs>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Work under the control of a test: rows of each owner, and jobs that end when the test ends them. */
class Rows {
  readonly begun: string[] = [];
  readonly #held: Array<() => void> = [];
  #isHeld = true;
  readonly #of = new Map<string, number>();
  underWay = 0;
  most = 0;

  put(owner: string, rows: number): void {
    this.#of.set(owner, (this.#of.get(owner) ?? 0) + rows);
  }

  take(owner: string): ClaimResult {
    const left = this.#of.get(owner) ?? 0;
    if (!left) return NO_WORK;
    this.#of.set(owner, left - 1);
    return { kind: 'claimed', work: () => this.#work(owner) };
  }

  task(limit: number, own: Partial<Task> = {}): Task {
    return { limit, take: async (owner) => this.take(owner), ...own };
  }

  /** Ends all running jobs, and all later ones as soon as they start. */
  endAll(): void {
    this.#isHeld = false;
    for (const end of this.#held.splice(0)) end();
  }

  async #work(owner: string): Promise<void> {
    this.begun.push(owner);
    this.most = Math.max(this.most, ++this.underWay);
    await new Promise<void>((end) => (this.#isHeld ? this.#held.push(end) : setImmediate(end)));
    this.underWay--;
  }
}

/** `open` gives each test a database of its own. */
export function describeJobs(open: () => Promise<World>): void {
  const start = (jobs: Jobs, tasks: Partial<Tasks>, faults: unknown[] = []) =>
    jobs.start({ ...IDLE_TASKS, ...tasks }, (error) => faults.push(error));
  const add = (database: Database, jobs: Jobs, name: TaskName, owner: string) =>
    database.transaction(async (query) => {
      await touch(query);
      await jobs.add(name, owner, query);
    });

  test('an owner with 500 rows does not keep one with 3 waiting', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    start(jobs, { item: rows.task(2) });
    rows.put('many', 500);
    await add(world.database, jobs, 'item', 'many');
    await eventually('it has all there is room for', () => rows.underWay === 2);
    rows.put('few', 3);
    await add(world.database, jobs, 'item', 'few');
    rows.endAll();
    await eventually('it has had its turns', () => rows.begun.filter((owner) => owner === 'few').length === 3);
    // The running ones, the one whose turn it was, and then one after every two of the other owner.
    expect(rows.begun.lastIndexOf('few')).toBeLessThan(12);
    expect(rows.most).toBe(2);
    await jobs.drain();
    expect(rows.underWay).toBe(0);
  });

  test('owners of whom all have rows are served by turns', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    for (const owner of ['a', 'b', 'c']) {
      rows.put(owner, 10);
      await add(world.database, jobs, 'item', owner);
    }
    start(jobs, { item: rows.task(1) });
    rows.endAll();
    await eventually('all were begun', () => rows.begun.length === 30);
    const first = rows.begun.slice(0, 3);
    expect(first.toSorted()).toEqual(['a', 'b', 'c']);
    expect(rows.begun).toEqual(Array.from({ length: 10 }, () => first).flat());
  });

  test('an owner for whom there is no room is passed over until there is', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    let [hasRoom, calls] = [false, 0];
    const take = async (owner: string): Promise<ClaimResult> => {
      if (owner !== 'full' || hasRoom) return rows.take(owner);
      calls++;
      return { kind: 'full', hasRoom: () => hasRoom };
    };
    rows.put('full', 2);
    rows.put('other', 5);
    start(jobs, { item: rows.task(1, { take }) });
    for (const owner of ['full', 'other']) await add(world.database, jobs, 'item', owner);
    rows.endAll();
    await eventually('all were begun', () => rows.begun.length === 5);
    expect(rows.begun).toEqual(Array(5).fill('other'));
    expect(calls).toBeLessThanOrEqual(2); // not once for each of the others
    hasRoom = true;
    jobs.wake();
    rows.endAll();
    await eventually('all were begun', () => rows.begun.length === 7);
  });

  test('owners who share a limit are not all tried again when there is room for one of them', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    let [room, calls] = [1, 0];
    const take = async (owner: string): Promise<ClaimResult> => {
      if (owner === 'other') return rows.take(owner);
      calls++;
      if (!room) return { kind: 'full', hasRoom: () => room > 0 };
      const result = rows.take(owner);
      if (result.kind === 'claimed') room--;
      return result;
    };
    start(jobs, { item: rows.task(9, { take }) });
    const give = async (owner: string) => {
      rows.put(owner, 1);
      await add(world.database, jobs, 'item', owner);
    };
    for (let n = 0; n < 40; n++) await give(`shares${n}`);
    await eventually('all owners were tried', () => calls >= 40);
    for (let begun = 2; begun <= 4; begun++) {
      room = 1;
      jobs.wake();
      await eventually('one more has begun', () => rows.begun.length === begun);
    }
    await give('other');
    await eventually('the other has begun', () => rows.begun.includes('other'));
    rows.endAll();
    expect(calls).toBeLessThan(60);
    room = 1;
    jobs.wake();
    await eventually('one more has begun', () => rows.begun.length === 6);
  });

  test('a turn is given by the transaction that writes the row, and by no other', async () => {
    await using world = await open();
    const { database } = world;
    const jobs = await world.open();
    const taken: string[] = [];
    const take = async (owner: string): Promise<ClaimResult> => {
      const { rowCount } = await takeRow(database.query, owner);
      return rowCount ? { kind: 'claimed', work: async () => void taken.push(owner) } : NO_WORK;
    };
    start(jobs, { webhook: { limit: 8, take } });
    const adding = (owner: string, isUndone: boolean) =>
      database.transaction(async (query) => {
        await writeRow(query, owner);
        await jobs.add('webhook', owner, query);
        if (isUndone) throw new Error('undone');
      });
    for (let n = 0; n < 10; n++) {
      await expect(adding(`undone${n}`, true)).rejects.toThrow('undone');
      await adding(`done${n}`, false);
    }
    await eventually('all are taken', () => taken.length === 10);
    expect(taken.toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `done${n}`));
  });

  test('what is due later is looked for then, or when something is added', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    const due: Record<string, number> = { soon: Date.now() + 1_500, late: Date.now() + 3_600_000 };
    const calls: string[] = [];
    const take = async (owner: string): Promise<ClaimResult> => {
      calls.push(owner);
      const afterMs = (due[owner] ?? 0) - Date.now();
      return afterMs > 0 ? { kind: 'later', afterMs } : rows.take(owner);
    };
    start(jobs, { item: rows.task(5, { take }) });
    for (const owner of ['soon', 'late']) {
      rows.put(owner, 1);
      await add(world.database, jobs, 'item', owner);
    }
    await eventually('both were looked for', () => new Set(calls).size === 2);
    expect(rows.begun).toEqual([]);
    rows.endAll();
    await eventually('all were begun', () => rows.begun.length === 1);
    expect(rows.begun).toEqual(['soon']);
    expect(Date.now()).toBeGreaterThanOrEqual(due.soon ?? 0);
    due.late = 0;
    await add(world.database, jobs, 'item', 'late');
    rows.endAll();
    await eventually('all were begun', () => rows.begun.length === 2);
  });

  test('a lost turn is repeated, and failures are reported and delay nothing', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    const faults: unknown[] = [];
    let failures = 0;
    const take = async (owner: string): Promise<ClaimResult> => {
      if (owner !== 'unlucky') return rows.take(owner);
      if (failures++ === 0) throw new Error('the database is away');
      if (failures > 2) return rows.take(owner);
      return { kind: 'claimed', work: () => Promise.reject(new Error('the work fails')) };
    };
    rows.put('unlucky', 1);
    rows.put('never added', 1);
    start(jobs, { upload: rows.task(2, { take, owners: async () => ['unlucky', 'never added'] }) }, faults);
    await add(world.database, jobs, 'upload', 'unlucky');
    rows.endAll();
    await eventually('all were begun', () => rows.begun.length === 2);
    expect(rows.begun.toSorted()).toEqual(['never added', 'unlucky']);
    expect(faults.map(String)).toEqual(['Error: the database is away', 'Error: the work fails']);
  });

  test('a task of the service comes again, never twice at a time', async () => {
    await using world = await open();
    const [jobs, rows] = [await world.open(), new Rows()];
    let runs = 0;
    const take = async (): Promise<ClaimResult> => {
      rows.put('', 1);
      runs++;
      return rows.take('');
    };
    start(jobs, { sweep: rows.task(1, { everyMs: 100, take }) });
    rows.endAll();
    await eventually('all were begun', () => runs >= 4);
    expect(rows.most).toBe(1);
    await jobs.drain();
    expect(rows.underWay).toBe(0);
  });

  test('nothing is begun once it drains, and what is under way is waited for', async () => {
    await using world = await open();
    const [jobs, items, uploads] = [await world.open(), new Rows(), new Rows()];
    items.put('a', 5);
    uploads.put('a', 5);
    start(jobs, { item: items.task(1), upload: uploads.task(1) });
    for (const name of ['item', 'upload'] as const) await add(world.database, jobs, name, 'a');
    await eventually('both are under way', () => items.underWay === 1 && uploads.underWay === 1);
    const ended: string[] = [];
    const drained = [jobs.drain(['item']).then(() => ended.push('item')), jobs.drain().then(() => ended.push('all'))];
    items.endAll();
    await drained[0];
    expect(ended).toEqual(['item']);
    uploads.endAll();
    await Promise.all(drained);
    jobs.wake();
    expect({ items: items.begun, uploads: uploads.begun }).toEqual({ items: ['a'], uploads: ['a'] });
  });
}

const touch = (query: Query) => query.deleteFrom('signing_keys').where('id', '=', 'nothing').execute();

const writeRow = (query: Query, id: string) =>
  query.insertInto('signing_keys').values({ id, secret: 's', created_at: 1 }).execute();

async function takeRow(query: Query, id: string): Promise<{ rowCount: number }> {
  const { numDeletedRows } = await query.deleteFrom('signing_keys').where('id', '=', id).executeTakeFirstOrThrow();
  return { rowCount: Number(numDeletedRows) };
}
