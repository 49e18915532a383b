/** Validates files with veraPDF, the reference validator of PDF/A and PDF/UA: files in, the broken rules of each file out. */
import { basename } from 'node:path';
import { fetchJars, jarsOf, runJava } from './jars.ts';

const PROGRAM = 'verapdf-1.28.2';

/** The broken rules by profile, under the names of veraPDF, such as `PDF/UA-1`. */
export type Verdict = Record<string, string[]>;

export async function fetchVeraPdf(): Promise<void> {
  await fetchJars(PROGRAM, './pom.xml');
}

/** Validates each file for one flavour, such as `3a`, or by default for the profiles it claims. One call for all files, because Java starts slowly. */
export async function validateWithVeraPdf(files: string[], flavour = '0'): Promise<Map<string, Verdict>> {
  const program = ['org.verapdf.apps.GreenfieldCliWrapper', '-f', flavour, '--format', 'xml'];
  // The exit status is 1 if a file breaks a rule.
  const { stdout } = await runJava(jarsOf(PROGRAM), [...program, ...files]).catch((error) => error);
  const jobs = String(stdout).split('<job>').slice(1);
  return new Map(jobs.map((job) => [basename(/<name>([^<]*)<\/name>/.exec(job)?.[1] ?? ''), verdictOf(job)]));
}

function verdictOf(job: string): Verdict {
  const reports = job.split('<validationReport ').slice(1);
  if (!reports.length) return { unreadable: [job.slice(0, 2_000)] };
  return Object.fromEntries(reports.map((report) => [profileOf(report), brokenRules(report)]));
}

function profileOf(report: string): string {
  return /profileName="([^"]*?) validation profile"/.exec(report)?.[1] ?? 'unknown';
}

function brokenRules(report: string): string[] {
  const rules = [...report.matchAll(/<rule ([^>]*)>([\s\S]*?)<\/rule>/g)];
  return rules
    .filter(([, attributes = '']) => attributes.includes('status="failed"'))
    .map(([, attributes = '', body = '']) => {
      const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
      return `${attribute('clause')}-${attribute('testNumber')} at ${/<context>([^<]*)/.exec(body)?.[1]}`;
    });
}
