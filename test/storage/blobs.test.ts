/** The blob store on disk: the contract, and unfinished writes. */
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Blobs } from '../../src/storage/blobs/blobs.ts';
import { DiskBlobs } from '../../src/storage/blobs/blobs-disk.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { blobsContract, name } from './blobs-contract.ts';

let folder: string;
let blobs: Blobs;
beforeEach(async () => {
  folder = await makeTestFolder('blobs');
  blobs = await DiskBlobs.open(join(folder, 'blobs'));
});

blobsContract(async () => ({ blobs, remains: () => readdir(join(folder, 'blobs'), { recursive: true }) }));

async function allNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of blobs.names(Date.now() + 10_000)) names.push(...batch);
  return names;
}

describe('an unfinished write', () => {
  test('of a dead process is removed by the next one, and is never read or listed', async () => {
    const unfinished = join(folder, 'blobs', 'unfinished', `${name()}.1.0`);
    await writeFile(unfinished, 'half');
    expect(await allNames()).toEqual([]);
    expect(await blobs.removeUnfinished(Date.now() - 60_000)).toBe(0);
    await utimes(unfinished, new Date(0), new Date(0));
    expect(await blobs.removeUnfinished(Date.now() - 60_000)).toBe(1);
    expect(await readdir(join(folder, 'blobs', 'unfinished'))).toEqual([]);
  });

  test('fails with storage_failed if the disk fails', async () => {
    await rm(join(folder, 'blobs', 'unfinished'), { recursive: true });
    await mkdir(join(folder, 'blobs'), { recursive: true });
    await expect(blobs.put(name(), [Buffer.from('x')])).rejects.toMatchObject({ code: 'storage_failed', retryAfterSeconds: 30 });
  });
});
