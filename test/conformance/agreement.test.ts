/** Compares `POST /v1/pdf/validate` with veraPDF on PDFs that each have one fault, and prints the agreement by clause. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Profile } from '../../src/pdf/conformance/profiles.ts';
import { validatePdf } from '../../src/pdf/validate/validate.ts';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { startService } from '../support/service.ts';
import { damaged } from './damage.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { fetchVeraPdf, type Verdict, validateWithVeraPdf } from './vera-pdf.ts';

/** Pairs of profiles, with their names in veraPDF. */
const PAIRS = [
  { profiles: ['PDF/A-3a', 'PDF/UA-1'], flavours: ['3a', 'ua1'] },
  { profiles: ['PDF/A-4f', 'PDF/UA-2'], flavours: ['4f', 'ua2'] },
] as const;
const ATTACHMENTS = [{ name: 'a.txt', type: 'text/plain', content: 'YQ==', description: 'A letter' }];
/** The number of conformant documents that are damaged, for each pair of profiles. */
const MIN_CONFORMANT = 14;

/** A document with content for every kind of damage. */
const RICH: ConformanceDocument = {
  name: 'rich',
  html: `<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><p>See <a href="https://example.com/">here</a> and
<a href="#end">below</a>, <strong>soon</strong>.<ul><li>one<li>two</ul><img alt="A dot" src="${PIXEL_URL}" width="9" height="9">
<table><thead><tr><th>a<th>b<tbody><tr><td>1<td>2</table><h2 id="end">End</h2>`,
};

/** The clauses that Platen reports for each file, such as `UA 7.1`, and the verdicts of veraPDF. */
const platenClauses = new Map<string, Set<string>>();
const veraPdfVerdicts = new Map<string, Verdict>();

const folder = await makeFolder('agreement');
const [service] = await Promise.all([startService().then(closeAfterAll), fetchVeraPdf()]);
for (const pair of PAIRS) await validateAll(pair);

async function validateAll({ profiles, flavours }: (typeof PAIRS)[number]): Promise<void> {
  let conformant = 0;
  const names: string[] = [];
  const others = documents().filter(({ html }) => /<(?:table|ul|ol|img|a)\b/.test(html));
  for (const { name, html, options } of [RICH, ...others]) {
    if (conformant === MIN_CONFORMANT) break;
    const all = { ...options, conformance: profiles, compress: false, attachments: ATTACHMENTS };
    const response = await service.pdf({ html, options: all });
    if (response.status !== 200) continue;
    conformant++;
    const pdf = await bytesOf(response);
    names.push(await validateAndSave(`${name}, undamaged`, pdf, profiles));
    for (const { name: fault, bytes } of await damaged(pdf))
      names.push(await validateAndSave(`${name}, ${fault}`, bytes, profiles));
  }
  const files = names.map((name) => join(folder, name));
  const results = await Promise.all(flavours.map((flavour) => validateWithVeraPdf(files, flavour)));
  for (const name of names) veraPdfVerdicts.set(name, Object.assign({}, ...results.map((verdicts) => verdicts.get(name))));
}

/** Validates a PDF, saves it for veraPDF, and returns its file name. */
async function validateAndSave(name: string, pdf: Buffer, profiles: readonly Profile[]): Promise<string> {
  const file = `${platenClauses.size} ${name}.pdf`.replace(/[^\w. ,-]+/g, '_');
  await writeFile(join(folder, file), pdf);
  const { violations } = await validatePdf(Uint8Array.from(pdf), [...profiles]);
  platenClauses.set(file, new Set(violations.flatMap(({ clause }) => clause.split('; ').map(shortened))));
  return file;
}

/** Shortens `ISO 14289-1, 7.1` to `UA 7.1`, and `ISO 19005-3, 6.1.3` to `A 6.1.3`. */
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

/** Returns whether the clauses are equal, or one contains the other. */
function overlaps(one: string, other: string): boolean {
  return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
}

test('accepts undamaged files, as veraPDF does', () => {
  const undamaged = [...platenClauses].filter(([name]) => name.endsWith(', undamaged.pdf'));
  expect(undamaged.length).toBe(PAIRS.length * MIN_CONFORMANT);
  for (const [name, clauses] of undamaged)
    expect([name, [...clauses], [...clausesOf(veraPdfVerdicts.get(basename(name)))]]).toEqual([name, [], []]);
});

test('reports the same clauses for damaged files as veraPDF', () => {
  const table = new Map<string, { agree: number; miss: number; falseAlarm: number }>();
  const count = (clause: string, outcome: 'agree' | 'miss' | 'falseAlarm') => {
    const row = table.get(clause) ?? { agree: 0, miss: 0, falseAlarm: 0 };
    row[outcome]++;
    table.set(clause, row);
  };
  for (const [name, found] of platenClauses) {
    const expected = clausesOf(veraPdfVerdicts.get(name));
    for (const clause of expected) count(clause, [...found].some((each) => overlaps(each, clause)) ? 'agree' : 'miss');
    for (const clause of found) if (![...expected].some((each) => overlaps(each, clause))) count(clause, 'falseAlarm');
  }
  const rows = [...table].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
  const sum = (outcome: 'agree' | 'miss' | 'falseAlarm') => rows.reduce((total, [, row]) => total + row[outcome], 0);
  const [agree, miss, falseAlarm] = [sum('agree'), sum('miss'), sum('falseAlarm')];
  const lines = rows.map(([clause, row]) => [clause, row.agree, row.miss, row.falseAlarm].join('\t'));
  process.stdout.write(
    `clause\tagree\tmiss\tfalse alarm\n${lines.join('\n')}\n${platenClauses.size} files: ${agree}, ${miss}, ${falseAlarm}\n`,
  );
  expect(platenClauses.size).toBeGreaterThanOrEqual(300);
  expect(agree / (agree + miss)).toBeGreaterThan(0.8);
  expect(falseAlarm / (agree + falseAlarm)).toBeLessThan(0.1);
});
