/** The browsers to try besides the bundled one: a wrapper as Debian has it, and where it is installed, Debian's own package. */
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
