/** Opens what all tests of a file use, and closes it after the last of them: what was opened last is closed first. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export function closeAfterAll<T extends AsyncDisposable | { close(): unknown }>(resource: T): T {
  afterAll(async () => {
    if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
    else await resource.close();
  });
  return resource;
}

/** Makes a folder for temporary files of all tests. `name` tells in a listing whose it is. */
export async function makeFolder(name = 'test'): Promise<string> {
  return closeAfterAll(await mkdtempDisposable(join(tmpdir(), `platen-${name}-`))).path;
}

/** Makes a folder for temporary files of the current test, and removes it after the test and its hooks. */
export async function makeTestFolder(name = 'test'): Promise<string> {
  const folder = await mkdtempDisposable(join(tmpdir(), `platen-${name}-`));
  onTestFinished(() => folder.remove());
  return folder.path;
}
