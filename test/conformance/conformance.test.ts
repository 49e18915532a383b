/**
 * Every document either conforms according to veraPDF or is refused for something it really lacks, and nothing is invented. Each is
 * rendered for both parts of PDF/UA and for one other profile; with `PLATEN_TEST_SWEEP=1` for every profile, which takes ten times as long.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PdfDict, PdfString } from '@libpdf/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Profile } from '../../src/pdf/conformance/profiles.ts';
import { StructureTree } from '../../src/pdf/conformance/structure-tree.ts';
import type { Violation } from '../../src/pdf/conformance/violations.ts';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { bytesOf } from '../support/client.ts';
import { run } from '../support/printed-files.ts';
import { type Service, startService } from '../support/service.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { looksLike, textOf, write } from './printed.ts';
import { fetchVeraPdf, type Verdict, validate } from './vera-pdf.ts';

const DOCUMENTS = documents();
/** The names of the profiles in veraPDF. */
const NAMES: Record<Profile, string> = {
  'PDF/A-2b': 'PDF/A-2B',
  'PDF/A-2u': 'PDF/A-2U',
  'PDF/A-2a': 'PDF/A-2A',
  'PDF/A-3b': 'PDF/A-3B',
  'PDF/A-3u': 'PDF/A-3U',
  'PDF/A-3a': 'PDF/A-3A',
  'PDF/A-4': 'PDF/A-4',
  'PDF/A-4f': 'PDF/A-4F',
  'PDF/UA-1': 'PDF/UA-1',
  'PDF/UA-2': 'PDF/UA-2 + Tagged PDF',
};
/** Level a asks for these as well. */
const OF_LEVEL_A =
  /^(?:language_missing|image_untagged|language_invalid|alternate_text_missing|embedded_content|content_rasterized) /;
const BOTH: Profile[] = ['PDF/A-3a', 'PDF/UA-1'];
/** Each document takes one of these as well, or all of them. */
const TURNS: Profile[][] = [
  BOTH,
  ['PDF/A-2b'],
  ['PDF/A-2u'],
  ['PDF/A-2a'],
  ['PDF/A-3b'],
  ['PDF/A-3u'],
  ['PDF/A-3a'],
  ['PDF/A-4'],
  ['PDF/A-4f'],
  ['PDF/A-4', 'PDF/UA-2'],
];
const EACH: Profile[][] = [['PDF/UA-1'], ['PDF/UA-2']];
const IS_SWEEP = process.env.PLATEN_TEST_SWEEP === '1';
/** The least number of documents that must conform to each profile. */
const LEAST_DOCUMENTS = 150;
/** PDF/A-4f is for files that have some. */
const FILES = [{ name: 'data.csv', type: 'text/csv', content: Buffer.from('a;b').toString('base64') }];
const AT_ONCE = 3;

/** A document under one profile, or two: a file, or the rules and elements it is refused for. */
interface Outcome {
  document: ConformanceDocument;
  profiles: Profile[];
  file: string | undefined;
  refused: string[];
}

let service: Service;
let folder: string;
const outcomes: Outcome[] = [];
let verdicts = new Map<string, Verdict>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-conformance-'));
  [service] = await Promise.all([startService(), fetchVeraPdf()]);
  const orders = DOCUMENTS.flatMap((document, index) =>
    [...EACH, ...(IS_SWEEP ? TURNS : [TURNS[index % TURNS.length] ?? BOTH])].map((profiles) => ({
      document,
      profiles,
    })),
  );
  const take = async () => {
    for (let order = orders.shift(); order; order = orders.shift()) outcomes.push(await render(order.document, order.profiles));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  verdicts = await validate(outcomes.flatMap(({ file }) => file ?? []));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function render(document: ConformanceDocument, profiles: Profile[]): Promise<Outcome> {
  const options = {
    ...document.options,
    conformance: profiles.length === 1 ? profiles[0] : profiles,
    compress: profiles.length > 1,
    ...(profiles[0] === 'PDF/A-4f' && { attachments: FILES }),
  };
  const response = await service.pdf({ html: document.html, options });
  const name = `${document.name} ${profiles.join(' ')}`.replace(/[^\w-]+/g, '_');
  if (response.status === 422)
    return { document, profiles, file: undefined, refused: refusalsOf((await response.json()) as Refusal) };
  expect(response.status, response.ok ? '' : `${name}: ${await response.clone().text()}`).toBe(200);
  const file = await write(folder, name, await bytesOf(response));
  return { document, profiles, file, refused: [] };
}

interface Refusal {
  code: string;
  violations: Violation[];
}

function refusalsOf({ code, violations }: Refusal): string[] {
  expect(code).toBe('not_conformant');
  return violations.map(({ rule, selector }) => `${rule} ${selector ?? '-'}`);
}

/** What a document must be refused for. */
function expectedRefusals({ refused = [], refusedAlways = [] }: ConformanceDocument, profiles: Profile[]): string[] {
  if (profiles.includes('PDF/UA-1')) return refused;
  if (profiles.includes('PDF/UA-2')) return refused.filter((refusal) => !refusal.startsWith('heading_skipped '));
  const isLevelA = profiles.some((profile) => profile.endsWith('a'));
  return refusedAlways.length ? [] : refused.filter((refusal) => isLevelA && OF_LEVEL_A.test(refusal));
}

test('accepts conforming documents with their claims', () => {
  const faults = outcomes.flatMap(({ file, profiles }) => {
    if (!file) return [];
    const verdict = verdicts.get(basename(file)) ?? {};
    const missing = profiles.filter((profile) => !verdict[NAMES[profile]]);
    return [
      ...missing.map((profile) => `${basename(file)}: veraPDF does not see ${profile}, but ${Object.keys(verdict)}`),
      ...Object.entries(verdict).flatMap(([profile, rules]) => rules.map((rule) => `${basename(file)}: ${profile} ${rule}`)),
    ];
  });
  expect(faults).toEqual([]);
  expect(verdicts.size).toBe(outcomes.filter(({ file }) => file).length);
});

test('checks as many documents as requested', () => {
  const judged = new Map<string, number>();
  for (const { file, profiles } of outcomes) if (file) judged.set(profiles.join(), (judged.get(profiles.join()) ?? 0) + 1);
  const all = [...EACH, ...(IS_SWEEP ? TURNS : [])].map((profiles) => [profiles.join(), judged.get(profiles.join()) ?? 0]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(judged))}\n`);
  expect(all.filter(([, count]) => Number(count) < LEAST_DOCUMENTS)).toEqual([]);
});

test('rejects each document for exactly what it lacks', () => {
  const wrong = outcomes.flatMap(({ document, profiles, refused }) => {
    const { refusedAlways = [] } = document;
    const expected = expectedRefusals(document, profiles);
    const rules = refused.map((refusal) => refusal.split(' ')[0] ?? '');
    const isRight = refusedAlways.length
      ? refusedAlways.every((rule) => rules.includes(rule) || (rule === 'value_too_large' && /UA-|A-4/.test(profiles[0] ?? '')))
      : matches(refused, expected);
    return isRight ? [] : [{ document: document.name, profiles, refused, expected: [...expected, ...refusedAlways] }];
  });
  expect(wrong).toEqual([]);
});

/** Compares refusals with the expected ones, in which an asterisk stands for any element. */
function matches(refused: string[], expected: string[]): boolean {
  const rest = [...expected];
  const isExpected = (refusal: string) => {
    const at = rest.findIndex((each) => each === refusal || each === refusal.replace(/ .*/, ' *'));
    return at >= 0 && rest.splice(at, 1).length > 0;
  };
  return refused.every(isExpected) && rest.length === 0;
}

describe('compared with the plain PDF', () => {
  test('has the same text', async () => {
    const different: string[] = [];
    for (const { document, file } of accessible()) {
      const plain = await renderPlain(document);
      const [ours, theirs] = await Promise.all([file, plain].map((each) => textOf(each)));
      if (ours !== theirs) different.push(document.name);
    }
    expect(different).toEqual([]);
  });

  test('has the same appearance', async () => {
    const different: string[] = [];
    for (const { document, file } of accessible().filter(({ document: { name } }) =>
      /described|opacity|filters|transforms|watermark/.test(name),
    )) {
      const plain = await renderPlain(document);
      if (!(await looksLike(file, plain))) different.push(document.name);
    }
    expect(different).toEqual([]);
  });
});

test('is valid for qpdf', async () => {
  const files = outcomes.flatMap(({ file }) => file ?? []);
  const faults: string[] = [];
  for (const file of files)
    await run('qpdf', ['--check', file]).catch(({ stdout }) => faults.push(`${basename(file)}: ${stdout}`));
  expect(faults).toEqual([]);
});

test('invents nothing: each text and heading level of the structure occurs in the document', async () => {
  const invented: string[] = [];
  for (const { document, file } of accessible()) {
    const pdf = await EditablePdf.read(await readFile(file)); // it has no object streams
    const source = sourceOf(document);
    for (const text of textsIn(pdf)) if (!source.includes(plain(text))) invented.push(`${document.name}: ${text}`);
    for (const level of levelsIn(pdf)) if (!statesLevel(document, level)) invented.push(`${document.name}: level ${level}`);
  }
  expect(invented).toEqual([]);
});

function accessible(): Array<{ document: ConformanceDocument; file: string }> {
  return outcomes.flatMap(({ document, profiles, file }) => (file && profiles.join() === 'PDF/UA-1' ? [{ document, file }] : []));
}

async function renderPlain({ name, html, options }: ConformanceDocument): Promise<string> {
  const file = join(folder, `plain ${name}.pdf`.replace(/[^\w.-]+/g, '_'));
  if (existsSync(file)) return file;
  await writeFile(file, await bytesOf(await service.pdf({ html, options: { ...options } })));
  return file;
}

/** Returns alternate texts, languages, titles, names of fields and descriptions of links. */
function textsIn(pdf: EditablePdf): string[] {
  const elements = [...StructureTree.read(pdf).elements()];
  const texts = elements.flatMap((element) => [
    element.text('Alt'),
    element.text('Lang').replaceAll('-', '_'),
    element.text('E'),
  ]);
  const info = pdf.resolve(pdf.info);
  const entries = [info instanceof PdfDict ? info.get('Title') : undefined, pdf.catalog.get('Lang')];
  const annotations = pdf.pdf.getPages().flatMap(({ dict }) => {
    const list = pdf.resolve(dict.get('Annots'));
    return list ? [...(list as never as Iterable<never>)].map((ref) => (pdf.resolve(ref) as PdfDict).get('Contents')) : [];
  });
  const strings = [...entries, ...annotations].flatMap((entry) => (entry instanceof PdfString ? [entry.asString()] : []));
  return [...texts, ...strings].filter(Boolean);
}

function levelsIn(pdf: EditablePdf): Set<string> {
  const types = [...StructureTree.read(pdf).elements()].map(({ type }) => type);
  return new Set(types.flatMap((type) => /^H(\d)$/.exec(type)?.[1] ?? []));
}

/** A heading by its role alone is of level 2. */
function statesLevel({ html }: ConformanceDocument, level: string): boolean {
  const isByRole = level === '2' && /role="heading"(?![^>]*aria-level)/.test(html);
  return isByRole || new RegExp(`<h${level}\\b|aria-level="${level}"`, 'i').test(html);
}

function sourceOf({ html, options }: ConformanceDocument): string {
  const text = html.replace(/<[^>]*>/g, ''); // a link's text may be in parts
  return plain(`${html} ${text} ${JSON.stringify(options ?? {})}`);
}

/** Removes spaces, escapes, and the difference between `en_GB` and `en-GB`. */
function plain(text: string): string {
  return text
    .replace(/&amp;/g, '&')
    .replace(/&(?:nbsp|shy|[et][mnh]\w*sp);|\u00ad/g, '')
    .replaceAll('_', '-')
    .replace(/\s+/g, '');
}
