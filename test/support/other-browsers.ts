/** The browsers to test besides the bundled one: a wrapper script like Debian's, and Debian's own package if it is installed. */
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
  const folder = await mkdtemp(join(tmpdir(), 'platen-wrapper-'));
  const wrapper = { name: 'wrapper', path: await writeWrapper(folder, 'chromium-headless-shell', AS_DEBIAN) };
  const packaged = { name: 'package', path: PACKAGED };
  return (await exists(PACKAGED)) ? [wrapper, packaged] : [wrapper];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
