/**
 * Finds the browser to use: the configured one, otherwise a headless shell of the system, the bundled headless shell, or
 * a full Chrome.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { bundledFonts } from '../../fonts/bundled-fonts.ts';
import { writeFontConfiguration } from '../../fonts/font-configuration.ts';
import { unpackBundledBrowser } from './bundled-browser.ts';

export interface LocatedBrowser {
  path: string;
  source: 'configured' | 'system' | 'bundled' | 'full';
  /** Environment variables of the browser. */
  env: Record<string, string>;
  /** Font families that are known to be available. */
  families?: string[];
}

const HEADLESS_SHELLS = ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'];
const FULL_BROWSERS = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];

/** The value of `browserPath` that selects the bundled browser. */
const BUNDLED = 'bundled';
const NO_BROWSER =
  'no browser found: run `npm ci` on x64 Linux (it brings one), or install chromium-headless-shell, or set PLATEN_BROWSER_PATH';
const NO_BUNDLED_BROWSER =
  'PLATEN_BROWSER_PATH=bundled, but there is no bundled browser: run `npm ci` on x64 Linux, or set it to the path of a browser';

interface Where {
  /** A path, or `bundled`. If it is empty, a browser is searched. */
  browserPath: string;
  cacheDir: string;
  /** The operator's fonts. Empty if there are none. */
  fontsDir: string;
}

/** Finds a browser and configures its fonts. Throws `browser_unavailable` with the remedy if there is none. */
export async function locateBrowser(config: Where): Promise<LocatedBrowser> {
  const [located, bundled] = await Promise.all([locate(config), bundledFonts(config.cacheDir)]);
  const { fontsDir, ...browser } = located;
  const folders = [fontsDir ?? '', ...bundled.folders].filter(Boolean);
  const file = await writeFontConfiguration(config.cacheDir, config.fontsDir, folders);
  return { ...browser, env: { ...browser.env, FONTCONFIG_FILE: file }, families: bundled.families };
}

async function locate({ browserPath, cacheDir }: Where): Promise<LocatedBrowser & { fontsDir?: string }> {
  const isBundled = browserPath === BUNDLED;
  if (browserPath && !isBundled) {
    if (await isExecutable(browserPath)) return { path: browserPath, source: 'configured', env: {} };
    throw unavailable(`PLATEN_BROWSER_PATH=${browserPath} is not an executable file`);
  }
  const shell = isBundled ? undefined : await findOnPath(HEADLESS_SHELLS);
  if (shell) return { path: shell, source: 'system', env: {} };
  const bundled = await unpackBundledBrowser(cacheDir);
  if (bundled) return { ...bundled, source: 'bundled' };
  const full = isBundled ? undefined : await findOnPath(FULL_BROWSERS);
  if (full) return { path: full, source: 'full', env: {} };
  throw unavailable(isBundled ? NO_BUNDLED_BROWSER : NO_BROWSER);
}

function unavailable(detail: string): ServiceError {
  return new ServiceError('browser_unavailable', detail);
}

async function findOnPath(names: string[]): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
