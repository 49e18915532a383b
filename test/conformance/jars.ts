/** Programs in Java that judge what we make: fetched from Maven Central, once for this machine. Needs Java and Maven. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../support/printed-files.ts';

/** Where the program of this name and version is, once it is fetched. */
export function jarsOf(program: string): string {
  return join(homedir(), '.cache', 'platen-test', program);
}

/** `pom` is a file in this folder. */
export async function fetchJars(program: string, pom: string): Promise<void> {
  const folder = jarsOf(program);
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    const from = fileURLToPath(new URL(pom, import.meta.url));
    await run('mvn', ['-q', '-B', '-f', from, 'dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`]);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
