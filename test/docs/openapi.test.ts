/** The OpenAPI document is valid, small enough to read, and names everything that client generators turn into types. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { publishedOpenApi } from '../../tools/docs/openapi.ts';
import type { Schema } from '../../tools/docs/schema.ts';

/** 192 KiB: a program that makes a client reads it whole, and so do language models. */
const MAX_BYTES = 196_608;

const document = await publishedOpenApi();
const schemas = document.components.schemas;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

test('is valid', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test(`has at most ${MAX_BYTES} bytes`, () => {
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThanOrEqual(MAX_BYTES);
});

test('gives every operation a unique name', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name ?? ''))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('names every JSON object in requests and responses', () => {
  const contents = operations.flatMap(({ requestBody, responses = {} }) => [requestBody ?? {}, ...Object.values(responses)]);
  const bodies = contents.flatMap(({ content = {} }) => Object.values(content).map(({ schema = {} }) => schema));
  const named = bodies.filter(({ type }) => type !== 'string');
  expect(named.length).toBeGreaterThan(30);
  for (const schema of named) expect(schema.$ref).toMatch(/^#\/components\/schemas\/[A-Z]/);
});

test('describes errors of one status once', () => {
  const errors = operations.flatMap(({ responses = {} }) => Object.entries(responses).filter(([status]) => status >= '400'));
  expect(errors.length).toBeGreaterThan(70);
  for (const [status, response] of errors)
    expect(response).toEqual({ $ref: `#/components/responses/Error${status === 'default' ? '' : status}` });
});

test('allows exactly one source in a request, with its fields', () => {
  const variants = (schemas.PdfRequest?.oneOf ?? []).map(({ $ref = '' }) => schemas[$ref.replace(/.*\//, '')] as Schema);
  expect(variants.map(({ required }) => required)).toEqual([['html'], ['markdown'], ['url'], ['template_id']]);
  expect(variants.map(({ properties = {} }) => ['data' in properties, 'assets' in properties])).toEqual([
    [false, true],
    [false, true],
    [false, false],
    [true, true],
  ]);
});

test('restricts strings that have a format or a list of values', () => {
  const { format, width } = schemas.PdfOptions?.properties ?? {};
  expect(format).toMatchObject({ type: 'string', enum: expect.arrayContaining(['A4', 'Letter']) });
  expect(width).toMatchObject({ $ref: '#/components/schemas/Length' });
  expect(schemas.Data).toMatchObject({ type: 'object' });
  const length = new RegExp(schemas.Length?.anyOf?.find(({ type }) => type === 'string')?.pattern ?? '');
  expect(['10mm', '2.5cm', '.5in', '72pt', '96'].every((text) => length.test(text))).toBe(true);
  expect(['ten', '10 mm', '10em', '-1in'].some((text) => length.test(text))).toBe(false);
});

test('has no redundant nesting in schemas, and no internal keywords', () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('"schema":{"schema"');
  expect(text).not.toMatch(/"(?:expected|x-default|x-optional|x-values|x-sources|x-pattern|x-id|x-reply)"/);
});
