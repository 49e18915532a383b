/** What every place for content has to do; run against the real thing. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Blobs } from '../../src/storage/blobs.ts';
import { DiskBlobs } from '../../src/storage/blobs-disk.ts';

let folder: string;
let blobs: Blobs;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-blobs-'));
  blobs = await DiskBlobs.open(join(folder, 'blobs'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const name = (n = 0) => `doc_${String(n).padStart(22, 'A0Bz')}`;
const read = async (which: string, range?: { start: number; end: number }) => {
  const stream = await blobs.read(which, range);
  return stream && (await buffer(stream)).toString();
};
async function allNames(before = Date.now() + 10_000): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of blobs.names(before)) names.push(...batch);
  return names.sort();
}

describe('content', () => {
  test('is read as it was written, in pieces or whole', async () => {
    await blobs.put(name(), [Buffer.from('hello, '), Buffer.from('paper')]);
    expect(await read(name())).toBe('hello, paper');
    expect(await read(name(), { start: 7, end: 11 })).toBe('paper');
    expect(await read(name(), { start: 0, end: 0 })).toBe('h');
  });

  test('may be empty, or many megabytes', async () => {
    await blobs.put(name(1), []);
    expect(await read(name(1))).toBe('');
    const megabyte = Buffer.alloc(1_048_576, 7);
    await blobs.put(
      name(2),
      Array.from({ length: 40 }, () => megabyte),
    );
    expect((await buffer((await blobs.read(name(2))) as Readable)).length).toBe(40 * 1_048_576);
  });

  test('that is not there is undefined', async () => {
    expect(await blobs.read(name())).toBeUndefined();
  });

  test('is gone once it was removed, and removing again is fine', async () => {
    await blobs.put(name(), [Buffer.from('x')]);
    await blobs.remove(name());
    await blobs.remove(name());
    expect(await blobs.read(name())).toBeUndefined();
    expect(await allNames()).toEqual([]);
  });

  test('that is being read while it is removed is read to its end', async () => {
    await blobs.put(name(), [Buffer.alloc(4_000_000, 1)]);
    const stream = await blobs.read(name());
    await blobs.remove(name());
    expect((await buffer(stream as Readable)).length).toBe(4_000_000);
  });
});

describe('what is read once', () => {
  const inFolder = () => readdir(join(folder, 'blobs'), { recursive: true });

  test('has no name, and is there while it is read', async () => {
    const before = await inFolder();
    const megabyte = Buffer.alloc(1_048_576, 7);
    const content = await blobs.spool([Buffer.from('x'), megabyte, megabyte]);
    expect(await inFolder()).toEqual(before);
    expect(await buffer(content)).toEqual(Buffer.concat([Buffer.from('x'), megabyte, megabyte]));
  });

  test('leaves nothing when it cannot be written', async () => {
    const before = await inFolder();
    await expect(blobs.spool([Buffer.from('x'), 7 as unknown as Buffer])).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await inFolder()).toEqual(before);
  });
});

test('names are listed in batches, those written before a time only', async () => {
  const names = Array.from({ length: 450 }, (_, n) => name(n));
  for (const each of names) await blobs.put(each, [Buffer.from(each)]);
  expect(await allNames()).toEqual([...names].sort());
  expect(await allNames(Date.now() - 60_000)).toEqual([]);
});

describe('a write that fails', () => {
  test('leaves nothing', async () => {
    const failing = [Buffer.from('half')] as unknown as Buffer[];
    failing.push({} as Buffer);
    await expect(blobs.put(name(), failing)).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await blobs.read(name())).toBeUndefined();
    expect(await readdir(join(folder, 'blobs', 'unfinished'))).toEqual([]);
  });

  test('of a process that died is removed by the next, and never read or listed', async () => {
    const left = join(folder, 'blobs', 'unfinished', `${name()}.1.0`);
    await writeFile(left, 'half');
    expect(await allNames()).toEqual([]);
    expect(await blobs.removeUnfinished(Date.now() - 60_000)).toBe(0);
    await utimes(left, new Date(0), new Date(0));
    expect(await blobs.removeUnfinished(Date.now() - 60_000)).toBe(1);
    expect(await readdir(join(folder, 'blobs', 'unfinished'))).toEqual([]);
  });

  test('says that the storage failed where the disk does', async () => {
    await rm(join(folder, 'blobs', 'unfinished'), { recursive: true });
    await mkdir(join(folder, 'blobs'), { recursive: true });
    await expect(blobs.put(name(), [Buffer.from('x')])).rejects.toMatchObject({ code: 'storage_failed', retryAfterSeconds: 30 });
  });
});
