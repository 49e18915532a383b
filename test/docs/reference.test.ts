/** `docs/reference` matches the code and describes every option. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PdfOptions } from '../../src/render/request/schemas/options-schema.ts';
import { readOpenApi } from '../../tools/docs/openapi.ts';
import { REFERENCE, referenceFiles } from '../../tools/docs/reference.ts';
import { OPTION_GROUPS } from '../../web/playground/options/option-groups.ts';

const files = await referenceFiles();

test.each([...files])('%s is up to date with `npm run docs`', async (name, text) => {
  expect(await readFile(join(REFERENCE, name), 'utf8')).toBe(text);
});

test('docs/reference contains no other files', async () => {
  expect((await readdir(REFERENCE)).sort()).toEqual([...files.keys()].sort());
});

test('every option belongs to exactly one group', () => {
  const grouped = Object.values(OPTION_GROUPS).flatMap((names) => names.split(' '));
  expect(grouped.sort()).toEqual(Object.keys(PdfOptions.properties).sort());
});

test('the OpenAPI document contains defaults, examples and units of options', async () => {
  const { paths } = await readOpenApi();
  const body = paths['/v1/pdf']?.post?.requestBody?.content?.['application/json']?.schema;
  const options = body?.properties?.options?.properties;
  expect(options?.scale).toMatchObject({ default: 1, examples: [0.8] });
  expect(options?.waitForTimeout).toMatchObject({ 'x-unit': 'ms' });
  expect(options?.headerTemplate).toMatchObject({ 'x-default': 'none', contentMediaType: 'text/html' });
});
