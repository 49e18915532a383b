/** The page that compares the CSS of print is made from a result of `npm run bench -- --features`, which agrees with the tests. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { COMPATIBILITY, type FeaturesResult, readFeatures, writeCompatibility } from '../../tools/docs/compatibility.ts';
import { DOCUMENTED } from '../../tools/docs/documented-support.ts';
import { AREAS } from '../features/features.ts';
import { UNSUPPORTED } from '../features/unsupported.ts';

const features = AREAS.flatMap(({ features }) => features.map(({ name }) => name));
const result = await readFeatures();

test('the page is up to date with `npm run docs`', async () => {
  expect(await readFile(COMPATIBILITY, 'utf8')).toBe(writeCompatibility(result));
});

test('the result has all features, and what Platen cannot do is what the tests say', () => {
  const ofPlaten = result.rows.filter(({ feature, peer }) => feature && peer === 'Platen');
  expect(ofPlaten.map(({ feature }) => feature)).toEqual(features);
  const wrong = ofPlaten.filter(({ isRight }) => !isRight).map(({ feature }) => feature);
  expect(wrong.toSorted()).toEqual(Object.keys(UNSUPPORTED).toSorted());
});

test('the page says what each tool did', () => {
  const [name = ''] = features;
  const outcome = { measure: '', feature: name, pages: 2, ms: 7 };
  const rows: FeaturesResult['rows'] = [
    { measure: '', peer: 'Platen', version: '1' },
    { measure: '', peer: 'Other', version: '2' },
    { ...outcome, peer: 'Platen', isRight: true },
    { ...outcome, peer: 'Other', isRight: false, pages: 3 },
  ];
  const page = writeCompatibility({ startedAt: '2026-03-04T05:06:07.890Z', rows });
  expect(page).toContain('| Platen | 1 | 1 of 1 | 7 ms |');
  expect(page).toMatch(/^\| \[a size in lengths\]\(\S+\) \| yes \| no: 3 instead of 2 pages \|$/m);
  expect(page).toContain('2026-03-04');
});

test('what other documentation says is about subjects of the page', () => {
  const names = AREAS.map(({ name }) => name);
  expect(Object.keys(DOCUMENTED).filter((name) => !names.includes(name))).toEqual([]);
});
