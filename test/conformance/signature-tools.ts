/** Independent verifiers of signatures: EU DSS, which needs Java and Maven, pyHanko, which needs Python, and pdfsig from poppler. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../support/printed-files.ts';
import { runJava } from './jars.ts';

const CACHE = join(homedir(), '.cache', 'platen-test');
const JARS = join(CACHE, 'dss-6.3');
const PYTHON = join(CACHE, 'pyhanko-0.38');
const POM = fileURLToPath(new URL('dss/pom.xml', import.meta.url));
const JUDGE = fileURLToPath(new URL('dss/Judge.java', import.meta.url));

/** Downloads them from Maven Central and PyPI, once per machine. */
export async function fetchSignatureTools(): Promise<void> {
  await downloadOnce(JARS, (folder) =>
    run('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`]),
  );
  if (existsSync(PYTHON)) return;
  try {
    await run('python3', ['-m', 'venv', PYTHON]); // an environment contains its own path and cannot be moved
    await run(join(PYTHON, 'bin', 'pip'), ['install', '-q', 'pyhanko==0.38.*', 'pyhanko-cli']);
  } catch (error) {
    await rm(PYTHON, { recursive: true, force: true });
    throw error;
  }
}

async function downloadOnce(folder: string, fetch: (folder: string) => Promise<unknown>): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    await fetch(unfinished);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Returns the verdicts of EU DSS, one line for each signature. */
export async function verifyWithDss(root: string, files: string[]): Promise<string[]> {
  const { stdout } = await runJava(JARS, [JUDGE, root, ...files]);
  return stdout.split('\n').filter(Boolean);
}

/** Returns the last line of pyHanko's output. */
export async function verifyWithPyHanko(root: string, file: string): Promise<string> {
  const program = ['sign', 'validate', '--trust', root, '--trust-replace', '--pretty-print', file];
  const { stdout } = await run(join(PYTHON, 'bin', 'pyhanko'), program).catch((error) => error);
  return String(stdout).trim().split('\n').at(-1) ?? '';
}

export async function verifyWithPdfsig(file: string): Promise<string> {
  return (await run('pdfsig', ['-nocert', file])).stdout;
}
