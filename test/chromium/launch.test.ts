/** A browser that cannot be started is reported with the reason. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../support/close-after-all.ts';

const LAUNCH = fileURLToPath(new URL('../support/launch-without-files.ts', import.meta.url));

test('reports a lack of file descriptors, and leaves no files behind', async () => {
  const folder = await makeTestFolder();
  const child = spawn('sh', ['-c', `ulimit -n 64 && exec "${process.execPath}" "${LAUNCH}"`], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(JSON.parse(await text(child.stdout))).toEqual({
    code: 'browser_unavailable',
    detail: 'the browser could not be started: the process has too many files open',
  });
  expect(await readdir(folder)).toEqual([]);
});
