/** Downloads validators written in Java from Maven Central, once per machine. Needs Java and Maven. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../support/printed-files.ts';

/** Returns the folder for the JAR files of a program, whose name includes its version. */
export function jarsOf(program: string): string {
  return join(homedir(), '.cache', 'platen-test', program);
}

/** Downloads a program unless it exists. `pom` is a file in this folder. */
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
