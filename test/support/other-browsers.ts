/** The browser to test besides the bundled one: Debian's package, which is a wrapper script, or a wrapper script like it. */
import { access, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AS_DEBIAN, writeWrapper } from './wrapper-script.ts';

const PACKAGED = '/usr/bin/chromium-headless-shell';

interface TestBrowser {
  name: string;
  path: string;
}

export async function otherBrowsers(): Promise<TestBrowser[]> {
  if (await exists(PACKAGED)) return [{ name: 'package', path: PACKAGED }];
  const folder = await mkdtemp(join(tmpdir(), 'platen-wrapper-'));
  return [{ name: 'wrapper', path: await writeWrapper(folder, 'chromium-headless-shell', AS_DEBIAN) }];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
