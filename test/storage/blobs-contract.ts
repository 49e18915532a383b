/** The contract of every blob store, as tests that run against a real one. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Blobs } from '../../src/storage/blobs/blobs.ts';

export interface EmptyStore {
  blobs: Blobs;
  /** Lists everything in the store, including unfinished uploads. */
  remains(): Promise<string[]>;
}

export const name = (n = 0) => `doc_${String(n).padStart(22, 'A0Bz')}`;

/** Defines the tests. `openEmptyStore` opens an empty store for each test. */
export function blobsContract(openEmptyStore: () => Promise<EmptyStore>): void {
  let blobs: Blobs;
  let remains: EmptyStore['remains'];
  beforeEach(async () => {
    ({ blobs, remains } = await openEmptyStore());
  });

  const read = async (blobName: string, range?: { start: number; end: number }) => {
    const stream = await blobs.read(blobName, range);
    return stream && (await buffer(stream)).toString();
  };
  async function allNames(before = Date.now() + 10_000): Promise<string[]> {
    const names: string[] = [];
    for await (const batch of blobs.names(before)) names.push(...batch);
    return names.sort();
  }

  describe('content', () => {
    test('is read as it was written, completely or in ranges', async () => {
      await blobs.put(name(), [Buffer.from('hello, '), Buffer.from('paper')]);
      expect([await read(name()), await blobs.size(name())]).toEqual(['hello, paper', 12]);
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

    test('that does not exist is undefined', async () => {
      expect([await blobs.read(name()), await blobs.size(name())]).toEqual([undefined, undefined]);
    });

    test('does not exist after it was removed, and can be removed again', async () => {
      await blobs.put(name(), [Buffer.from('x')]);
      await blobs.remove(name());
      await blobs.remove(name());
      expect(await blobs.read(name())).toBeUndefined();
      expect(await allNames()).toEqual([]);
    });

    test('of any size can be read in consecutive ranges', async () => {
      const content = Buffer.alloc(9_000_001, 'abcdefg');
      await blobs.put(name(), [content]);
      const parts = [0, 4_000_000, 8_388_607].map((start, n, all) => ({ start, end: (all[n + 1] ?? content.length) - 1 }));
      const contents: Buffer[] = [];
      for (const range of parts) contents.push(await buffer((await blobs.read(name(), range)) as Readable));
      expect(Buffer.concat(contents).equals(content)).toBe(true);
    });

    test('is complete when many are written and read at once', async () => {
      const texts = Array.from({ length: 20 }, (_, n) => `content of ${n} `.repeat(10_000));
      await Promise.all(texts.map((text, n) => blobs.put(name(n), [Buffer.from(text)])));
      expect(await Promise.all(texts.map((_, n) => read(name(n))))).toEqual(texts);
    });

    test('may be closed before it is read to its end', async () => {
      await blobs.put(name(), [Buffer.alloc(4_000_000, 1)]);
      for (let n = 0; n < 60; n++) ((await blobs.read(name())) as Readable).destroy();
      expect(await read(name(), { start: 0, end: 0 })).toBe('\u0001');
    });

    test('that is removed while it is read can be read to its end', async () => {
      await blobs.put(name(), [Buffer.alloc(4_000_000, 1)]);
      const stream = await blobs.read(name());
      await blobs.remove(name());
      expect((await buffer(stream as Readable)).length).toBe(4_000_000);
    });
  });

  describe('spooled content', () => {
    test('has no name, and exists while it is read', async () => {
      const before = await remains();
      const megabyte = Buffer.alloc(1_048_576, 7);
      const content = await blobs.spool([Buffer.from('x'), megabyte, megabyte]);
      expect(await remains()).toEqual(before);
      expect(await buffer(content)).toEqual(Buffer.concat([Buffer.from('x'), megabyte, megabyte]));
    });

    test('leaves nothing behind if it cannot be written', async () => {
      const before = await remains();
      await expect(blobs.spool([Buffer.from('x'), 7 as unknown as Buffer])).rejects.toMatchObject({ code: 'storage_failed' });
      expect(await remains()).toEqual(before);
    });
  });

  test('lists names in batches, limited to those written before a time', async () => {
    const names = Array.from({ length: 450 }, (_, n) => name(n));
    for (const each of names) await blobs.put(each, [Buffer.from(each)]);
    expect(await allNames()).toEqual([...names].sort());
    expect(await allNames(Date.now() - 60_000)).toEqual([]);
  });

  describe('a write that fails', () => {
    test('leaves nothing behind', async () => {
      const before = await remains();
      const failing = [Buffer.from('half')] as unknown as Buffer[];
      failing.push({} as Buffer);
      await expect(blobs.put(name(), failing)).rejects.toMatchObject({ code: 'storage_failed' });
      expect(await blobs.read(name())).toBeUndefined();
      expect(await remains()).toEqual(before);
    });
  });
}
