/** `docs/reference` says what the code says, and has every option. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPTION_GROUPS } from '../../src/render/option-groups.ts';
import { PdfOptions } from '../../src/render/options-schema.ts';
import { REFERENCE, referenceFiles } from '../../tools/docs/reference.ts';

const files = await referenceFiles();

test.each([...files])('%s is what `npm run docs` writes', async (name, text) => {
  expect(await readFile(join(REFERENCE, name), 'utf8')).toBe(text);
});

test('there is nothing else in the folder', async () => {
  expect((await readdir(REFERENCE)).sort()).toEqual([...files.keys()].sort());
});

test('every option is in one group', () => {
  const grouped = Object.values(OPTION_GROUPS).flatMap((names) => names.split(' '));
  expect(grouped.sort()).toEqual(Object.keys(PdfOptions.properties).sort());
});
