/** Finds an installed npm package: its name in, its folder and version out. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface FoundPackage {
  root: string;
  version: string;
}

/** Returns undefined if it is not installed. It searches folders, because a package need not export its package.json. */
export async function findPackage(name: string): Promise<FoundPackage | undefined> {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const root = join(folder, name);
    const text = await readFile(join(root, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return { root, version: (JSON.parse(text) as { version: string }).version };
  }
  return undefined;
}
