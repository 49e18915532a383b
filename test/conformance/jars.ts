/** Downloads validators written in Java from Maven Central, once per machine, and runs them. Needs Java and Maven. */
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

/** Arguments of Java for programs that end soon: the second compiler of Java costs more than it saves there. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const MAX_OUTPUT = 512 * 1_048_576;

/** Runs Java with the libraries in a folder. `program` is a class or source file and its arguments. */
export async function runJava(folder: string, program: string[]): Promise<{ stdout: string }> {
  return run('java', [...SHORT_RUN, '-cp', join(folder, '*'), ...program], { maxBuffer: MAX_OUTPUT });
}
