/**
 * Finds the browser to use: the configured one, else a headless shell of the system, the bundled headless shell, and
 * as a last resort a full Chrome.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { bundledFonts } from '../fonts/bundled-fonts.ts';
import { writeFontConfiguration } from '../fonts/font-configuration.ts';
import { unpackBundledBrowser } from './bundled-browser.ts';

export interface LocatedBrowser {
  path: string;
  source: 'configured' | 'system' | 'bundled' | 'full';
  /** What the browser needs in its environment. */
  env: Record<string, string>;
  /** Families of fonts known to be there. */
  families?: string[];
}

const HEADLESS_SHELLS = ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'];
const FULL_BROWSERS = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];

/** In the place of a path: the bundled browser, whatever the system has. */
const BUNDLED = 'bundled';

interface Where {
  /** A path, or `bundled`; empty: look for one. */
  browserPath: string;
  cacheDir: string;
  /** Fonts of the operator's; empty: none. */
  fontsDir: string;
}

/** A browser that sees the fonts it is to see. Throws `browser_unavailable` with the remedy when there is none. */
export async function locateBrowser(config: Where): Promise<LocatedBrowser> {
  const [located, bundled] = await Promise.all([locate(config), bundledFonts(config.cacheDir)]);
  const { fontsDir, ...browser } = located;
  const folders = [fontsDir ?? '', ...bundled.folders].filter(Boolean);
  const file = await writeFontConfiguration(config.cacheDir, config.fontsDir, folders);
  return { ...browser, env: { ...browser.env, FONTCONFIG_FILE: file }, families: bundled.families };
}

async function locate(config: Where): Promise<LocatedBrowser & { fontsDir?: string }> {
  if (config.browserPath === BUNDLED) return bundledOnly(config.cacheDir);
  if (config.browserPath) return configured(config.browserPath);
  const shell = await onPath(HEADLESS_SHELLS);
  if (shell) return { path: shell, source: 'system', env: {} };
  const bundled = await unpackBundledBrowser(config.cacheDir);
  if (bundled) return { ...bundled, source: 'bundled' };
  const full = await onPath(FULL_BROWSERS);
  if (full) return { path: full, source: 'full', env: {} };
  throw new ServiceError(
    'browser_unavailable',
    'no browser found: run `npm ci` on x64 Linux (it brings one), or install chromium-headless-shell, or set PLATEN_BROWSER_PATH',
  );
}

async function bundledOnly(cacheDir: string): Promise<LocatedBrowser> {
  const bundled = await unpackBundledBrowser(cacheDir);
  if (bundled) return { ...bundled, source: 'bundled' };
  throw new ServiceError(
    'browser_unavailable',
    'PLATEN_BROWSER_PATH=bundled, but there is no bundled browser: run `npm ci` on x64 Linux, or set it to the path of a browser',
  );
}

async function configured(path: string): Promise<LocatedBrowser> {
  if (!(await isExecutable(path)))
    throw new ServiceError('browser_unavailable', `PLATEN_BROWSER_PATH=${path} is not an executable file`);
  return { path, source: 'configured', env: {} };
}

async function onPath(names: string[]): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
