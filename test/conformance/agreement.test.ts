/** Agreement of `POST /v1/pdf/validate` with veraPDF on PDFs with one fault each, as a table by clause. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Profile } from '../../src/pdf/conformance/profiles.ts';
import { validatePdf } from '../../src/pdf/validate/validate.ts';
import { bytesOf } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { type Service, startService } from '../support/service.ts';
import { damaged } from './damage.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { fetchVeraPdf, type Verdict, validate } from './vera-pdf.ts';

/** Profiles, and what veraPDF calls them. */
const PAIRS = [
  { profiles: ['PDF/A-3a', 'PDF/UA-1'], flavours: ['3a', 'ua1'] },
  { profiles: ['PDF/A-4f', 'PDF/UA-2'], flavours: ['4f', 'ua2'] },
] as const;
const ATTACHMENTS = [{ name: 'a.txt', type: 'text/plain', content: 'YQ==', description: 'A letter' }];
/** Documents that conform, with all that can be damaged. */
const WANTED = 14;

/** A document with something of each kind that can be damaged. */
const RICH: ConformanceDocument = {
  name: 'rich',
  html: `<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><p>See <a href="https://example.com/">here</a> and
<a href="#end">below</a>, <strong>soon</strong>.<ul><li>one<li>two</ul><img alt="A dot" src="${PIXEL_URL}" width="9" height="9">
<table><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table><h2 id="end">End</h2>`,
};

let service: Service;
let folder: string;
/** By the name of the file: the clauses that each of the two names, such as `UA 7.1`. */
const ours = new Map<string, Set<string>>();
const theirs = new Map<string, Verdict>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-agreement-'));
  [service] = await Promise.all([startService(), fetchVeraPdf()]);
  for (const pair of PAIRS) await judgeAll(pair);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function judgeAll({ profiles, flavours }: (typeof PAIRS)[number]): Promise<void> {
  let conformant = 0;
  const names: string[] = [];
  const others = documents().filter(({ html }) => /<(?:table|ul|ol|img|a)\b/.test(html));
  for (const { name, html, options } of [RICH, ...others]) {
    if (conformant === WANTED) break;
    const all = { ...options, conformance: profiles, compress: false, attachments: ATTACHMENTS };
    const response = await service.pdf({ html, options: all });
    if (response.status !== 200) continue;
    conformant++;
    const pdf = await bytesOf(response);
    names.push(await judge(`${name} as it is`, pdf, profiles));
    for (const { name: fault, bytes } of await damaged(pdf)) names.push(await judge(`${name}, ${fault}`, bytes, profiles));
  }
  const files = names.map((name) => join(folder, name));
  const judged = await Promise.all(flavours.map((flavour) => validate(files, flavour)));
  for (const name of names) theirs.set(name, Object.assign({}, ...judged.map((verdicts) => verdicts.get(name))));
}

/** Returns the name of the file. */
async function judge(name: string, pdf: Buffer, profiles: readonly Profile[]): Promise<string> {
  const file = `${ours.size} ${name}.pdf`.replace(/[^\w. ,-]+/g, '_');
  await writeFile(join(folder, file), pdf);
  const { violations } = await validatePdf(Uint8Array.from(pdf), [...profiles]);
  ours.set(file, new Set(violations.flatMap(({ clause }) => clause.split('; ').map(shortened))));
  return file;
}

/** `UA 7.1` for `ISO 14289-1, 7.1`, `A 6.1.3` for `ISO 19005-3, 6.1.3`. */
function shortened(clause: string): string {
  return clause
    .replace('ISO 14289-1,', 'UA')
    .replace('ISO 14289-2,', 'UA-2')
    .replace('ISO/TS 32005, table 5', 'UA-2 Table 5')
    .replace(/ISO 19005-\d,/, 'A');
}

function prefixOf(profile: string): string {
  if (profile.startsWith('PDF/UA-2')) return 'UA-2';
  return profile === 'PDF/UA-1' ? 'UA' : 'A';
}

function clausesOf(verdict: Verdict | undefined): Set<string> {
  const clauses = Object.entries(verdict ?? {}).flatMap(([profile, rules]) =>
    rules.map((rule) => `${prefixOf(profile)} ${rule.split('-')[0]}`),
  );
  return new Set(clauses);
}

/** Whether the clauses are the same, or one is a part of the other. */
function fits(one: string, other: string): boolean {
  return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
}

test('both validators accept undamaged files', () => {
  const undamaged = [...ours].filter(([name]) => name.endsWith('as it is.pdf'));
  expect(undamaged.length).toBe(PAIRS.length * WANTED);
  for (const [name, clauses] of undamaged)
    expect([name, [...clauses], [...clausesOf(theirs.get(basename(name)))]]).toEqual([name, [], []]);
});

test('both validators name the same clauses for damaged files', () => {
  const table = new Map<string, { agree: number; miss: number; falseAlarm: number }>();
  const count = (clause: string, what: 'agree' | 'miss' | 'falseAlarm') => {
    const row = table.get(clause) ?? { agree: 0, miss: 0, falseAlarm: 0 };
    row[what]++;
    table.set(clause, row);
  };
  for (const [name, found] of ours) {
    const expected = clausesOf(theirs.get(name));
    for (const clause of expected) count(clause, [...found].some((each) => fits(each, clause)) ? 'agree' : 'miss');
    for (const clause of found) if (![...expected].some((each) => fits(each, clause))) count(clause, 'falseAlarm');
  }
  const rows = [...table].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
  const sum = (what: 'agree' | 'miss' | 'falseAlarm') => rows.reduce((total, [, row]) => total + row[what], 0);
  const [agree, miss, falseAlarm] = [sum('agree'), sum('miss'), sum('falseAlarm')];
  const lines = rows.map(([clause, row]) => [clause, row.agree, row.miss, row.falseAlarm].join('\t'));
  process.stdout.write(
    `clause\tagree\tmiss\tfalse alarm\n${lines.join('\n')}\n${ours.size} files: ${agree}, ${miss}, ${falseAlarm}\n`,
  );
  expect(ours.size).toBeGreaterThanOrEqual(300);
  expect(agree / (agree + miss)).toBeGreaterThan(0.8);
  expect(falseAlarm / (agree + falseAlarm)).toBeLessThan(0.1);
});
