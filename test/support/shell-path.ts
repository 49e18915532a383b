/** Returns a PATH for commands that call curl and jq: the machine's, with a folder that contains replacements for those it lacks. */
import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `folder` belongs to the caller and may get files named `curl` and `jq`. */
export async function pathWithCurlAndJq(folder: string): Promise<string> {
  for (const name of ['curl', 'jq'].filter((each) => !isInstalled(each))) {
    const file = join(folder, name);
    const program = new URL(`${name}.ts`, import.meta.url).pathname;
    await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${program}' "$@"\n`);
    await chmod(file, 0o755);
  }
  return `${folder}:${process.env.PATH ?? ''}`;
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
