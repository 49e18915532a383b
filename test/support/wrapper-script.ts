/**
 * Writes scripts that start the bundled browser, like those in distribution packages: a start command in, a path for
 * PLATEN_BROWSER_PATH out.
 */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';

/** The start command of Debian's package: without `exec`, so the browser is a child of the process we start. */
export const AS_DEBIAN = '"$browser" "$@"';

/** `start` is the command that the script runs with `"$browser"`. */
export async function writeWrapper(folder: string, name: string, start: string): Promise<string> {
  const { path, env } = await locateBrowser(loadConfig({ PLATEN_BROWSER_PATH: 'bundled' }).engine.location);
  const exports = Object.entries(env).map(([variable, value]) => `export ${variable}='${value}'`);
  const wrapper = join(folder, name);
  await writeFile(wrapper, `#!/bin/sh -e\n${exports.join('\n')}\nbrowser='${path}'\n${start}\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}
