/**
 * Every document either conforms according to veraPDF or is refused for something it really lacks, and its tags contain nothing
 * that the document does not. Each is rendered for both parts of PDF/UA and for one other profile, or for every profile with
 * `PLATEN_TEST_SWEEP=1`, which takes ten times as long.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { PdfDict, PdfString } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/pdf/conformance/profiles.ts';
import type { Violation } from '../../src/pdf/conformance/violations.ts';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { StructureTree } from '../../src/pdf/structure/structure-tree.ts';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { run } from '../support/printed-files.ts';
import { startService } from '../support/service.ts';
import { concurrently } from './concurrently.ts';
import { type ConformanceDocument, documents } from './documents.ts';
import { hasSameAppearance, savePdf, textOf } from './printed.ts';
import { fetchVeraPdf, validateWithVeraPdf } from './vera-pdf.ts';

const DOCUMENTS = documents();
/** The names of the profiles in veraPDF. */
const VERA_PDF_NAMES: Record<Profile, string> = {
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
/** The requirements of PDF/UA-1 that level A of PDF/A also has. */
const LEVEL_A_RULES =
  /^(?:language_missing|image_untagged|language_invalid|alternate_text_missing|embedded_content|content_rasterized) /;
const BOTH: Profile[] = ['PDF/A-3a', 'PDF/UA-1'];
/** Each document is also rendered for one of these sets of profiles, or for all of them in a sweep. */
const PROFILE_SETS: Profile[][] = [
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
const ACCESSIBLE_ALONE: Profile[][] = [['PDF/UA-1'], ['PDF/UA-2']];
const IS_SWEEP = process.env.PLATEN_TEST_SWEEP === '1';
/** The minimum number of documents that must conform to each profile. */
const MIN_DOCUMENTS = 150;
/** PDF/A-4f requires attachments. */
const ATTACHMENTS = [{ name: 'data.csv', type: 'text/csv', content: Buffer.from('a;b').toString('base64') }];

/** The outcome of a document for a set of profiles: a file, or the rules and elements it was refused for. */
interface Outcome {
  document: ConformanceDocument;
  profiles: Profile[];
  file: string | undefined;
  refused: string[];
}

interface PlainPdf {
  file: string;
  text: string;
}

const outcomes: Outcome[] = [];
const plainPdfs = new Map<string, Promise<PlainPdf>>();

const folder = await makeFolder('conformance');
const [service] = await Promise.all([startService().then(closeAfterAll), fetchVeraPdf()]);
const jobs = DOCUMENTS.flatMap((document, index) =>
  [...ACCESSIBLE_ALONE, ...(IS_SWEEP ? PROFILE_SETS : [PROFILE_SETS[index % PROFILE_SETS.length] ?? BOTH])].map((profiles) => ({
    document,
    profiles,
  })),
);
await concurrently(jobs, async ({ document, profiles }) => outcomes.push(await render(document, profiles)));
const verdicts = await validateWithVeraPdf(outcomes.flatMap(({ file }) => file ?? []));

async function render(document: ConformanceDocument, profiles: Profile[]): Promise<Outcome> {
  const options = {
    ...document.options,
    conformance: profiles.length === 1 ? profiles[0] : profiles,
    compress: profiles.length > 1,
    ...(profiles[0] === 'PDF/A-4f' && { attachments: ATTACHMENTS }),
  };
  const response = await service.pdf({ html: document.html, options });
  const name = `${document.name} ${profiles.join(' ')}`.replace(/[^\w-]+/g, '_');
  if (response.status === 422)
    return { document, profiles, file: undefined, refused: refusalsOf((await response.json()) as Refusal) };
  expect(response.status, response.ok ? '' : `${name}: ${await response.clone().text()}`).toBe(200);
  const file = await savePdf(folder, name, await bytesOf(response));
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

/** Returns the rules and elements a document must be refused for. */
function expectedRefusals({ refused = [], refusedAlways = [] }: ConformanceDocument, profiles: Profile[]): string[] {
  if (profiles.includes('PDF/UA-1')) return refused;
  if (profiles.includes('PDF/UA-2')) return refused.filter((refusal) => !refusal.startsWith('heading_skipped '));
  const isLevelA = profiles.some((profile) => profile.endsWith('a'));
  return refusedAlways.length ? [] : refused.filter((refusal) => isLevelA && LEVEL_A_RULES.test(refusal));
}

test('accepts conforming documents with their claims', () => {
  const errors = outcomes.flatMap(({ file, profiles }) => {
    if (!file) return [];
    const verdict = verdicts.get(basename(file)) ?? {};
    const missing = profiles.filter((profile) => !verdict[VERA_PDF_NAMES[profile]]);
    return [
      ...missing.map((profile) => `${basename(file)}: veraPDF finds the claims ${Object.keys(verdict)}, but not ${profile}`),
      ...Object.entries(verdict).flatMap(([profile, rules]) => rules.map((rule) => `${basename(file)}: ${profile} ${rule}`)),
    ];
  });
  expect(errors).toEqual([]);
  expect(verdicts.size).toBe(outcomes.filter(({ file }) => file).length);
});

test('checks as many documents as requested', () => {
  const counts = new Map<string, number>();
  for (const { file, profiles } of outcomes) if (file) counts.set(profiles.join(), (counts.get(profiles.join()) ?? 0) + 1);
  const all = [...ACCESSIBLE_ALONE, ...(IS_SWEEP ? PROFILE_SETS : [])].map((profiles) => [
    profiles.join(),
    counts.get(profiles.join()) ?? 0,
  ]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
  expect(all.filter(([, count]) => Number(count) < MIN_DOCUMENTS)).toEqual([]);
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

describe('an accessible PDF', () => {
  test('has the same text as the PDF without claims', async () => {
    const different: string[] = [];
    for (const { document, file } of accessible())
      if (!hasSameText(document.name, await textOf(file), (await plainPdfOf(document)).text)) different.push(document.name);
    expect(different).toEqual([]);
  });

  test('has the same appearance as the PDF without claims', async () => {
    const different: string[] = [];
    for (const { document, file } of accessible().filter(({ document: { name } }) =>
      /described|opacity|filters|transforms|watermark/.test(name),
    )) {
      if (!(await hasSameAppearance(file, (await plainPdfOf(document)).file))) different.push(document.name);
    }
    expect(different).toEqual([]);
  });
});

test('tags every document without claims, and keeps its appearance and text', async () => {
  const different: string[] = [];
  await concurrently(DOCUMENTS, async (document) => different.push(...(await changesByTags(document))));
  expect(different).toEqual([]);
});

/**
 * Poppler shows a space that the tags add between the parts of a formula, and joins the lines of a hyphenated word only at a hyphen of
 * ASCII: in tagged PDFs, hyphens at line ends are soft ones.
 */
const SPACED = ['formulas in all places', 'hyphenated words', 'long words that may be hyphenated'];

function hasSameText(name: string, tagged: string, plain: string): boolean {
  const letters = (text: string) => (SPACED.includes(name) ? text.replaceAll(/[-\s\u00ad]/g, '') : text);
  return letters(tagged) === letters(plain);
}

async function changesByTags(document: ConformanceDocument): Promise<string[]> {
  const { name, html, options } = document;
  const response = await service.pdf({ html, options: { ...options, tagged: true } });
  if (!response.ok) return [`${name}: ${await response.text()}`];
  const [tagged, plain] = [await savePdf(folder, `tagged ${name}`, await bytesOf(response)), await plainPdfOf(document)];
  const isSameText = hasSameText(name, await textOf(tagged), plain.text);
  const hasSameLook = await hasSameAppearance(tagged, plain.file);
  return [...(isSameText ? [] : [`${name}: text`]), ...(hasSameLook ? [] : [`${name}: appearance`])];
}

test('produces files that qpdf finds valid', async () => {
  const files = outcomes.flatMap(({ file }) => file ?? []);
  const errors: string[] = [];
  for (const file of files)
    await run('qpdf', ['--check', file]).catch(({ stdout }) => errors.push(`${basename(file)}: ${stdout}`));
  expect(errors).toEqual([]);
});

test('adds no text or heading level to the structure that the document does not have', async () => {
  const additions: string[] = [];
  for (const { document, file } of accessible()) {
    const pdf = await EditablePdf.read(await readFile(file)); // it has no object streams
    const source = sourceOf(document);
    for (const text of textsIn(pdf)) if (!source.includes(plain(text))) additions.push(`${document.name}: ${text}`);
    for (const level of levelsIn(pdf)) if (!hasLevel(document, level)) additions.push(`${document.name}: level ${level}`);
  }
  expect(additions).toEqual([]);
});

function accessible(): Array<{ document: ConformanceDocument; file: string }> {
  return outcomes.flatMap(({ document, profiles, file }) => (file && profiles.join() === 'PDF/UA-1' ? [{ document, file }] : []));
}

/** Returns the document without claims and tags, which is rendered and read once. */
function plainPdfOf({ name, html, options }: ConformanceDocument): Promise<PlainPdf> {
  const render = async () => {
    const response = await service.pdf({ html, options: { ...options, outline: false } });
    expect(response.status, name).toBe(200);
    const file = await savePdf(folder, `plain ${name}`, await bytesOf(response));
    return { file, text: await textOf(file) };
  };
  const pdf = plainPdfs.get(name) ?? render();
  plainPdfs.set(name, pdf);
  return pdf;
}

/** Returns alternate texts, languages, titles, names of fields and descriptions of links. */
function textsIn(pdf: EditablePdf): string[] {
  const elements = StructureTree.read(pdf).elements();
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
  const types = StructureTree.read(pdf)
    .elements()
    .map(({ type }) => type);
  return new Set(types.flatMap((type) => /^H(\d)$/.exec(type)?.[1] ?? []));
}

/** Returns whether the document has a heading of this level. A heading that has only a role is of level 2. */
function hasLevel({ html }: ConformanceDocument, level: string): boolean {
  const isByRole = level === '2' && /role="heading"(?![^>]*aria-level)/.test(html);
  return isByRole || new RegExp(`<h${level}\\b|aria-level="${level}"`, 'i').test(html);
}

function sourceOf({ html, options }: ConformanceDocument): string {
  const text = html.replace(/<rp>.*?<\/rp>|<[^>]*>/g, ''); // the text of a link may be split by elements; `rp` is not shown
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
