/** Returns a PATH for commands that call curl: the machine's, or one with a folder that contains a replacement for curl. */
import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PROGRAM = new URL('curl.ts', import.meta.url).pathname;

/** `folder` belongs to the caller and may get a file named `curl`. */
export async function pathWithCurl(folder: string): Promise<string> {
  const path = process.env.PATH ?? '';
  if (isInstalled('curl')) return path;
  const file = join(folder, 'curl');
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${PROGRAM}' "$@"\n`);
  await chmod(file, 0o755);
  return `${folder}:${path}`;
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
