/** Schemas and data that want to run code, to take all time or all memory, or to disturb others. */
import { expect, test } from 'vitest';
import { Schemas } from '../../src/templates/schemas.ts';
import { closeAfterAll } from '../support/close-after-all.ts';

const checking = closeAfterAll(new Schemas());
let number = 0;
const compile = (schema: object | string, samples: ReadonlyMap<string, string> = new Map()) =>
  checking.compile('ada', typeof schema === 'string' ? schema : JSON.stringify(schema), samples);
const check = (schema: object, data: unknown, owner = 'ada') =>
  checking.check(owner, `tpl_x:${++number}`, JSON.stringify(schema), typeof data === 'string' ? data : JSON.stringify(data));

/** Each level of the data is checked twice, so that the time doubles with each. */
const DOUBLING = {
  $ref: '#/$defs/a',
  $defs: { a: { anyOf: [2, 3].map((n) => ({ properties: { a: { $ref: '#/$defs/a' } }, required: [`b${n}`] })) } },
};
const nested = (levels: number): object => (levels ? { a: nested(levels - 1) } : {});

test.each<[string, object, unknown]>([
  ['branches that double with each level', DOUBLING, nested(60)],
  [
    'comparisons of all items with all others',
    { properties: { a: { uniqueItems: true } } },
    { a: Array.from({ length: 60_000 }, (_, n) => ({ n })) },
  ],
  [
    'conditions within conditions',
    {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: [1, 2, 3].map(() => ({ not: { not: { properties: { a: { $ref: '#/$defs/a' } } } } })) } },
    },
    nested(40),
  ],
])('ends %s after the time of a task, and goes on', async (_, schema, data) => {
  const started = performance.now();
  await expect(check(schema, data)).rejects.toMatchObject({
    code: 'template_error',
    message: expect.stringMatching(/^the check takes/),
  });
  expect(performance.now() - started).toBeLessThan(10_000);
  await check({ type: 'object' }, {});
});

test('answers errors of all branches for all values in its time and memory', async () => {
  const schema = { properties: { a: { items: { anyOf: Array.from({ length: 2_000 }, (_, n) => ({ const: n })) } } } };
  const broken = check(schema, { a: Array.from({ length: 20_000 }, () => 'x') });
  await expect(broken).rejects.toSatisfy(({ code }: { code: string }) => ['data_invalid', 'template_error'].includes(code));
  await check({ type: 'object' }, {});
});

test('warns about a sample that takes too long, and goes on', async () => {
  const samples = new Map([
    ['long', JSON.stringify({ a: Array.from({ length: 60_000 }, (_, n) => ({ n })) })],
    ['short', '{}'],
  ]);
  const told = await compile({ properties: { a: { uniqueItems: true } }, anyOf: [{ required: ['a'] }, false] }, samples);
  expect(told).toContainEqual({ path: 'samples.long', message: 'cannot be checked: the check takes longer than 4000 ms' });
  expect(told).toContainEqual({ path: 'samples.short.a', message: 'is required' });
});

test('matches patterns in linear time, in values and in names', async () => {
  const text = `${'a'.repeat(50_000)}!`;
  const started = process.hrtime.bigint();
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a?){50}a{50}$', '(.*)*x'])
    await expect(check({ properties: { a: { pattern } } }, { a: text })).rejects.toMatchObject({ code: 'data_invalid' });
  await expect(
    check({ patternProperties: { '^(a+)+$': false }, additionalProperties: { type: 'null' } }, { [text]: 1 }),
  ).rejects.toMatchObject({
    code: 'data_invalid',
  });
  expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(10_000);
});

test('checks a large list of values and long data in its time', async () => {
  const values = Array.from({ length: 6_000 }, (_, n) => `value ${n}`);
  await check({ properties: { a: { items: { enum: values } } } }, { a: values.slice(0, 500) });
  const items = Array.from({ length: 100_000 }, (_, n) => ({ n }));
  await check({ properties: { items: { items: { required: ['n'] } } } }, { items });
  const broken = check({ properties: { items: { items: { required: ['m'] } } } }, { items, text: 'x'.repeat(1_000_000) });
  await expect(broken).rejects.toMatchObject({ code: 'data_invalid', members: { errors: [{ pointer: '/items/0/m' }] } });
  const many = check({ properties: { items: { items: { required: ['m'] } } } }, { items: items.slice(0, 5_000) });
  await expect(many).rejects.toSatisfy((error: { members: { errors: unknown[] } }) => error.members.errors.length === 100);
});

/** Texts that would end a string, a comment or an expression of code that contains them. */
const ESCAPES = ['"', "'", '`', '\\', '\\"', '*/', '\n', '\u2028', '${', ']', '"]', '"));', "'));", '`));'];

test('runs no code of a schema, wherever it is', async () => {
  for (const start of ESCAPES) {
    const code = `${start}globalThis.broken = true; process.exit(7);//`;
    const schema = {
      $id: `https://example.com/${encodeURIComponent(code)}`,
      $comment: code,
      title: code,
      default: { [code]: code },
      examples: [code],
      required: [code],
      properties: { [code]: { const: code, description: code }, 'a.b': { enum: [code, { [code]: code }] } },
      dependentRequired: { [code]: [code] },
      dependentSchemas: { [code]: { minProperties: 1 } },
      $defs: { [code]: { $anchor: 'x', not: { const: { [code]: [code] } } } },
    };
    expect(await compile(schema, new Map([['a', JSON.stringify({ [code]: code })]]))).toEqual([]);
    await check(schema, { [code]: code });
    await expect(check(schema, { [code]: 1 })).rejects.toMatchObject({ code: 'data_invalid' });
    for (const broken of [
      { $ref: `#/$defs/${code}` },
      { $ref: `#${code}` },
      { $anchor: code },
      { pattern: code },
      { format: code },
      { type: code },
      { minLength: code },
      { [code]: 1 },
    ])
      await compile(broken).catch((error) => expect(error).toMatchObject({ code: 'invalid_request' }));
  }
  // The process that has seen all of this is still there, and answers as before.
  await expect(check({ required: ['a'] }, {})).rejects.toMatchObject({ code: 'data_invalid' });
});

test('takes names that objects have by themselves for names', async () => {
  const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "hasOwnProperty": 1}');
  await expect(check({ required: ['toString'] }, {})).rejects.toMatchObject({ members: { errors: [{ pointer: '/toString' }] } });
  await expect(check({ additionalProperties: false }, own)).rejects.toMatchObject({ code: 'data_invalid' });
  await check({ properties: { constructor: { const: 1 }, hasOwnProperty: { const: 1 } } }, own);
  await expect(compile('{"__proto__": {"type": "string"}}')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(compile('{"constructor": {"prototype": {}}}')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(check({ required: ['b'] }, { a: 1 })).rejects.toMatchObject({ code: 'data_invalid' });
});

test.each<[string, string]>([
  ['nested allOf', `${'{"allOf":['.repeat(45)}{}${']}'.repeat(45)}`],
  ['thousands of branches', JSON.stringify({ anyOf: Array.from({ length: 5_000 }, (_, n) => ({ const: n })) })],
  [
    'thousands of names',
    JSON.stringify({ properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`n${n}`, {}])) }),
  ],
  [
    'many unevaluated names',
    JSON.stringify({
      allOf: Array.from({ length: 800 }, (_, n) => ({ anyOf: [{ properties: { [`a${n}`]: {} } }, {}] })),
      unevaluatedProperties: false,
    }),
  ],
  [
    'references to references',
    JSON.stringify({
      $ref: '#/$defs/n0',
      $defs: {
        ...Object.fromEntries(
          Array.from({ length: 500 }, (_, n) => [`n${n}`, { allOf: [1, 2].map(() => ({ $ref: `#/$defs/n${n + 1}` })) }]),
        ),
        n500: {},
      },
    }),
  ],
])('answers a schema of %s in its time', async (_, schema) => {
  const started = performance.now();
  await compile(schema).catch((error) => expect(error).toMatchObject({ code: 'invalid_request' }));
  expect(performance.now() - started).toBeLessThan(10_000);
  await check({ type: 'object' }, {});
});

test('checks for others while one account keeps a process busy', async () => {
  const busy = Array.from({ length: 2 }, () => check(DOUBLING, nested(60)));
  for (const each of busy) each.catch(() => {});
  await check({ type: 'object' }, {}, 'bob');
  expect(await Promise.race([Promise.allSettled(busy).then(() => 'all ended'), Promise.resolve('still busy')])).toBe(
    'still busy',
  );
  for (const each of busy) await expect(each).rejects.toMatchObject({ code: 'template_error' });
});
