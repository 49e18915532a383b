/** How far `POST /v1/pdf/validate` agrees with veraPDF on conformant PDFs that were damaged in one thing each: a table by clause. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validatePdf } from '../../src/pdf/validate/validate.ts';
import { bytesOf } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { type Service, startService } from '../support/service.ts';
import { damaged } from './damage.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { fetchVeraPdf, type Verdict, validate } from './vera-pdf.ts';

const PROFILES = ['PDF/A-3a', 'PDF/UA-1'] as const;
const ATTACHMENTS = [{ name: 'a.txt', type: 'text/plain', content: 'YQ==' }];
/** Documents that conform, with all that can be damaged. */
const WANTED = 14;

/** With something of each kind that can be damaged. */
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
let theirs = new Map<string, Verdict>();
const FLAVOURS = ['3a', 'ua1'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-agreement-'));
  [service] = await Promise.all([startService(), fetchVeraPdf()]);
  let conformant = 0;
  const others = documents().filter(({ html }) => /<(?:table|ul|ol|img|a)\b/.test(html));
  for (const { name, html, options } of [RICH, ...others]) {
    if (conformant === WANTED) break;
    const all = { ...options, conformance: PROFILES, compress: false, attachments: ATTACHMENTS };
    const response = await service.pdf({ html, options: all });
    if (response.status !== 200) continue;
    conformant++;
    const pdf = await bytesOf(response);
    await judge(`${name} as it is`, pdf);
    for (const { name: fault, bytes } of await damaged(pdf)) await judge(`${name}, ${fault}`, bytes);
  }
  const files = [...ours.keys()].map((name) => join(folder, name));
  const judged = await Promise.all(FLAVOURS.map((flavour) => validate(files, flavour)));
  theirs = new Map([...ours.keys()].map((name) => [name, Object.assign({}, ...judged.map((verdicts) => verdicts.get(name)))]));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function judge(name: string, pdf: Buffer): Promise<void> {
  const file = `${ours.size} ${name}.pdf`.replace(/[^\w. ,-]+/g, '_');
  await writeFile(join(folder, file), pdf);
  const { violations } = await validatePdf(Uint8Array.from(pdf), [...PROFILES]);
  ours.set(file, new Set(violations.flatMap(({ clause }) => clause.split('; ').map(shortened))));
}

/** `UA 7.1` for `ISO 14289-1, 7.1`, `A 6.1.3` for `ISO 19005-3, 6.1.3`. */
function shortened(clause: string): string {
  return clause.replace('ISO 14289-1,', 'UA').replace(/ISO 19005-\d,/, 'A');
}

function clausesOf(verdict: Verdict | undefined): Set<string> {
  const clauses = Object.entries(verdict ?? {}).flatMap(([profile, rules]) =>
    rules.map((rule) => `${profile === 'PDF/UA-1' ? 'UA' : 'A'} ${rule.split('-')[0]}`),
  );
  return new Set(clauses);
}

/** Whether one of them is the other, or a part of it. */
function fits(one: string, other: string): boolean {
  return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
}

test('what was not damaged has no fault for either', () => {
  const whole = [...ours].filter(([name]) => name.endsWith('as it is.pdf'));
  expect(whole.length).toBe(WANTED);
  for (const [name, clauses] of whole)
    expect([name, [...clauses], [...clausesOf(theirs.get(basename(name)))]]).toEqual([name, [], []]);
});

test('both name the same clauses of what was damaged', () => {
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
