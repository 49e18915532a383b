/** A start that fails after the browsers were launched ends the process with the reason. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { makeTestFolder } from '../support/close-after-all.ts';
import { storageSettings } from '../support/storage-settings.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';

const SOURCE = new URL('../../src', import.meta.url).href;
/** No setting gets as far as this: the server, which is made after the browsers, refuses a limit that is not a whole number. */
const START = `
  import { startApp } from '${SOURCE}/app.ts';
  import { loadConfig } from '${SOURCE}/config.ts';
  const config = loadConfig();
  await startApp({ ...config, http: { ...config.http, maxRequestBytes: 0.5 } }).catch((error) => {
    process.stderr.write('failed: ' + error.message);
    process.exitCode = 1;
  });
`;

test('ends the process after a late fault at the start, and leaves nothing behind', async () => {
  const dataDir = await makeTestFolder();
  const own = await makeTestFolder('tmp');
  const settings = { PLATEN_DATA_DIR: dataDir, PLATEN_PORT: '0', TMPDIR: own, ...(await storageSettings(dataDir)) };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', START], {
    env: { ...process.env, ...BROWSER_SETTINGS, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(output).toContain('browser started');
  expect(errors).toMatch(/^failed: .*must be an integer/);
  expect(code).toBe(1);
  expect(await readdir(own)).toEqual([]);
});
