/** Which browser is used: the configured one, or the first that is found. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';
import { makeFolder } from '../support/close-after-all.ts';

const folder = await makeFolder('locate');
const installed = join(folder, 'chromium-headless-shell');
await writeFile(installed, '#!/bin/sh\n');
await chmod(installed, 0o755);
vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
afterAll(() => vi.unstubAllEnvs());

const located = (PLATEN_BROWSER_PATH?: string) => locateBrowser(loadConfig({ PLATEN_BROWSER_PATH }).engine.location);

test('finds an installed headless shell', async () => {
  expect(await located()).toMatchObject({ source: 'system', path: installed });
});

test('uses the bundled browser for `bundled` although another one is installed', async () => {
  const { source, path } = await located('bundled');
  expect(source).toBe('bundled');
  expect(path).toMatch(/headless-shell$/);
  expect(path).not.toBe(installed);
});

test('uses the browser at a path, and fails if there is none', async () => {
  expect(await located(installed)).toMatchObject({ source: 'configured', path: installed });
  await expect(located('/nothing')).rejects.toThrow('PLATEN_BROWSER_PATH=/nothing is not an executable file');
});
