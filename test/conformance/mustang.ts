/** Mustang, a validator of Factur-X and ZUGFeRD: files in, what it finds wrong with each of them out. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../support/printed-files.ts';
import { fetchJars, jarsOf } from './jars.ts';

const PROGRAM = 'mustang-2.22.0';
const SOURCE = fileURLToPath(new URL('Mustang.java', import.meta.url));
const MAX_OUTPUT = 256 * 1_048_576;

export async function fetchMustang(): Promise<void> {
  await fetchJars(PROGRAM, './mustang.pom.xml');
}

/** All files in one call, which starts Java once. By file: nothing where it is completely valid. */
export async function judgeInvoices(files: string[]): Promise<Map<string, string[]>> {
  const { stdout } = await run('java', ['-cp', join(jarsOf(PROGRAM), '*'), SOURCE, ...files], { maxBuffer: MAX_OUTPUT });
  const judged = [...String(stdout).matchAll(/<judged file="([^"]*)" valid="(\w+)">([\s\S]*?)(?=<judged |$)/g)];
  return new Map(judged.map(([, file = '', valid, report = '']) => [file, valid === 'true' ? [] : faultsIn(report)]));
}

function faultsIn(report: string): string[] {
  const faults = [...report.matchAll(/<(error|exception|fatal)\b[^>]*>([\s\S]*?)<\/\1>/g)].map(([, , text = '']) => text.trim());
  return faults.length ? faults : [report.slice(0, 2_000)];
}
