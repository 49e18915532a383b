/** Validates files with Mustang, a validator of Factur-X and ZUGFeRD: files in, the errors of each file out. */
import { fileURLToPath } from 'node:url';
import { fetchJars, jarsOf, runJava } from './jars.ts';

const PROGRAM = 'mustang-2.22.0';
const SOURCE = fileURLToPath(new URL('Mustang.java', import.meta.url));

export async function fetchMustang(): Promise<void> {
  await fetchJars(PROGRAM, './mustang.pom.xml');
}

/** Validates all files in one call, because Java starts slowly. Returns the errors by file; empty if the file is completely valid. */
export async function validateInvoices(files: string[]): Promise<Map<string, string[]>> {
  const { stdout } = await runJava(jarsOf(PROGRAM), [SOURCE, ...files]);
  const verdicts = [...String(stdout).matchAll(/<judged file="([^"]*)" valid="(\w+)">([\s\S]*?)(?=<judged |$)/g)];
  return new Map(verdicts.map(([, file = '', valid, report = '']) => [file, valid === 'true' ? [] : errorsIn(report)]));
}

function errorsIn(report: string): string[] {
  const errors = [...report.matchAll(/<(error|exception|fatal)\b[^>]*>([\s\S]*?)<\/\1>/g)].map(([, , text = '']) => text.trim());
  return errors.length ? errors : [report.slice(0, 2_000)];
}
