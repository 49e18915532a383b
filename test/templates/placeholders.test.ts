/** The placeholder engine: its syntax, its output, and linear time for any template and data. */
import { describe, expect, test } from 'vitest';
import { fillPlaceholders, parsePlaceholders } from '../../src/templates/placeholders.ts';

const NO_LIMIT = 100_000_000;

function fill(html: string, data: Record<string, unknown> = {}, limitBytes = NO_LIMIT): string {
  return fillPlaceholders(parsePlaceholders(html), data, limitBytes);
}

/** Returns nested objects under the key `a`. The innermost one has the key `end`. */
function nested(levels: number): Record<string, unknown> {
  let data: Record<string, unknown> = { end: 'here' };
  for (let level = 0; level < levels; level++) data = { a: data };
  return data;
}

describe('inserts a value', () => {
  const data = {
    name: 'Ada',
    markup: `<b class="x">it's & more</b>`,
    zero: 0,
    price: 1.21,
    yes: true,
    no: false,
    nothing: null,
    empty: '',
    person: { name: 'Joe', age: 36 },
    a: { b: { c: { d: { e: { name: 'Phil' } } } } },
    list: ['one', { two: 2 }],
    'första-namn_1$': 'Åsa',
    名前: '太郎',
    '7': 'seven',
  };

  // The interpolation cases of the Mustache specification that apply, and additional ones.
  test.each([
    ['none into text without placeholders', 'Hello from { Mustache }\n', 'Hello from { Mustache }\n'],
    ['none into an empty template', '', ''],
    ['a string', 'Hello, {{name}}!', 'Hello, Ada!'],
    ['the same value many times', '{{name}}{{name}}-{{name}}', 'AdaAda-Ada'],
    ['escaped in double braces', '{{markup}}', '&lt;b class=&quot;x&quot;&gt;it&#39;s &amp; more&lt;/b&gt;'],
    ['unescaped in triple braces', '{{{markup}}}', `<b class="x">it's & more</b>`],
    ['an integer', '"{{zero}} miles"', '"0 miles"'],
    ['a decimal number', '{{price}}, {{{price}}}', '1.21, 1.21'],
    ['booleans', '{{yes}} {{no}} {{{no}}}', 'true false false'],
    ['null as nothing', 'I ({{nothing}}) be seen {{{nothing}}}.', 'I () be seen .'],
    ['a missing value as nothing', 'I ({{cannot}}) be seen {{{cannot}}}.', 'I () be seen .'],
    ['an empty string as nothing', '({{empty}})', '()'],
    ['through dotted names', '{{person.name}} is {{{person.age}}}', 'Joe is 36'],
    ['through many dotted names', '{{a.b.c.d.e.name}}', 'Phil'],
    ['nothing where a chain breaks', '({{a.b.x.d.e.name}}{{{a.name}}}{{name.first}}{{nothing.x}}{{zero.x}})', '()'],
    ['an element of an array', '{{list.0}} {{list.1.two}}', 'one 2'],
    ['an object as JSON, escaped', '{{person}}', '{&quot;name&quot;:&quot;Joe&quot;,&quot;age&quot;:36}'],
    ['an object as JSON, unescaped', '{{{person}}}', '{"name":"Joe","age":36}'],
    ['an array as JSON', '{{{list}}}', '["one",{"two":2}]'],
    ['with blanks inside the braces', '|{{ name }}|{{\tname\n}}|{{{ name  }}}|', '|Ada|Ada|Ada|'],
    ['without removing surrounding blanks', ' {{name}} \n  {{{name}}}\n', ' Ada \n  Ada\n'],
    ['under names of letters of any script, digits, _ - $', '{{första-namn_1$}} {{名前}} {{7}}', 'Åsa 太郎 seven'],
  ])('%s', (_, html, expected) => {
    expect(fill(html, data)).toBe(expected);
  });

  test('once: braces in a value are text, however it was inserted', () => {
    const tricky = { a: '{{b}}', b: '{{{a}}}', open: '{{', close: '}}', name: 'b' };
    expect(fill('{{a}}{{{a}}}{{b}}{{{b}}}', tricky)).toBe('{{b}}{{b}}{{{a}}}{{{a}}}');
    expect(fill('{{{open}}}name{{{close}}}', tricky)).toBe('{{name}}');
    expect(fill('{{{{name}}}}', { name: '{{a}}' })).toBe('{{{a}}}');
    expect(fill('{ {{a}} }', { a: '{b}' })).toBe('{ {b} }');
  });

  test('without leaving an attribute or a script, when escaped', () => {
    expect(fill('<a title="{{t}}" rel=\'{{t}}\'>', { t: `" onclick='x'` })).toBe(
      `<a title="&quot; onclick=&#39;x&#39;" rel='&quot; onclick=&#39;x&#39;'>`,
    );
    expect(fill('<script>"{{t}}"</script>', { t: '</script><script>' })).toBe('<script>"&lt;/script&gt;&lt;script&gt;"</script>');
  });
});

describe('keeps braces that are not a placeholder', () => {
  test.each([
    '{{#each items}}',
    '{{/each}}',
    '{{^x}}',
    '{{> partial}}',
    '{{! comment }}',
    '{{& x}}',
    '{{=<% %>=}}',
    '{{.}}',
    '{{..}}',
    '{{../x}}',
    '{{a..b}}',
    '{{.a}}',
    '{{a.}}',
    '{{a b}}',
    '{{a | upper}}',
    '{{a()}}',
    '{{a[0]}}',
    '{{}}',
    '{{ }}',
    '{{{}}}',
    '{{{ }}}',
    '{ {a} }',
    '{{a} }',
    '{ {a}}',
    '{a}',
    '{{a}',
    '{{',
    '}}',
    '{{{',
    '}}}',
    '{{ a: 1 }}',
    '{{"a"}}',
    "{{'a'}}",
    '{{a,b}}',
    '{{a\\}}',
    '{% a %}',
    'é{{é!}}',
    'const x = {{ a: 1 }, { b: {} }};',
    '@media print{p{color:red}}',
    'a{b:{c:{}}}',
    '{{\ud83d\ude00}}',
  ])('%s', (html) => {
    expect(fill(html, { a: 'VALUE', each: 'VALUE', b: 'VALUE', x: 'VALUE', '': 'VALUE' })).toBe(html);
  });

  test.each([
    ['{{{{a}}}}', '{<}'],
    ['{{{{{a}}}}}', '{{<}}'],
    ['{{a}}}', '&lt;}'],
    ['{{{a}}', '{&lt;'],
    ['{{{a}} }', '{&lt; }'],
    ['{{{{a}}', '{{&lt;'],
    ['{{a{{a}}', '{{a&lt;'],
    ['{{ {{a}} }}', '{{ &lt; }}'],
    ['{{#a}}{{a}}{{/a}}', '{{#a}}&lt;{{/a}}'],
    ['{{{a}}}{{a}}', '<&lt;'],
    ['{{a}}{{{a}}}', '&lt;<'],
    ['{{a}}}}}{{{{{a}}', '&lt;}}}{{{&lt;'],
  ])('uses the first possible placeholder, and three braces before two (%s)', (html, expected) => {
    expect(fill(html, { a: '<' })).toBe(expected);
  });
});

describe('paths', () => {
  test('are listed once each, in order of first use, as written', () => {
    const html = '{{b.c}} {{a}} {{{b.c}}} {{ a }} {{{d.0.e}}} {{#x}} {{__proto__}}';
    expect(parsePlaceholders(html).paths).toEqual(['b.c', 'a', 'd.0.e', '__proto__']);
    expect(parsePlaceholders('no {braces}').paths).toEqual([]);
  });

  const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', '__defineGetter__', '__lookupGetter__'];

  test.each(inherited)('do not find an inherited %s', (name) => {
    const html = `({{${name}}}{{{${name}}}}{{o.${name}}}{{o.${name}.name}}{{list.${name}}}{{text.${name}}}{{number.${name}}})`;
    expect(fill(html, { o: {}, list: [], text: 'x', number: 1 })).toBe('()');
  });

  test.each(inherited)('find %s as a key of the data', (name) => {
    const data = JSON.parse(`{"${name}":"mine","o":{"${name}":{"deep":"<its>"}}}`);
    expect(fill(`{{${name}}} {{o.${name}.deep}}`, data)).toBe('mine &lt;its&gt;');
  });

  test('of strings and arrays lead only to elements', () => {
    const data = { text: 'abc', list: ['zero', 'one'] };
    expect(fill('({{text.length}}{{text.0}}{{list.length}}{{list.01}}{{list.-1}}{{list.1e0}}{{list.2}}{{list.٠}})', data)).toBe(
      '()',
    );
    expect(fill('{{list.0}}{{list.1}}', data)).toBe('zeroone');
  });

  test('find keys that look like numbers as written', () => {
    expect(fill('{{o.01}} {{o.1}} {{o.length}}', { o: { '01': 'a', '1': 'b', length: 'c' } })).toBe('a b c');
  });
});

describe('the size limit', () => {
  test('allows exactly that many bytes of UTF-8, and reports limit and size beyond', () => {
    const data = { a: 'é€😀' }; // 2 + 3 + 4 bytes
    expect(fill('<{{a}}{{a}}>', data, 20)).toBe('<é€😀é€😀>');
    expect(() => fill('<{{a}}{{a}}>', data, 19)).toThrow(
      expect.objectContaining({
        code: 'content_too_large',
        members: { limit: 19, actual: 20 },
        message: 'html has 20 bytes after substitution; at most 19 are allowed',
      }),
    );
  });

  test('includes characters added by escaping', () => {
    expect(() => fill('{{a}}', { a: '"""' }, 17)).toThrow(expect.objectContaining({ members: { limit: 17, actual: 18 } }));
    expect(fill('{{{a}}}', { a: '"""' }, 3)).toBe('"""');
  });

  test('counts a character once if its surrogates come from two values', () => {
    expect(fill('{{a}}{{nothing}}{{b}}', { a: '\ud83d', b: '\ude00' }, 4)).toBe('😀');
    expect(() => fill('{{b}}{{a}}', { a: '\ud83d', b: '\ude00' }, 5)).toThrow(
      expect.objectContaining({ members: { limit: 5, actual: 6 } }),
    );
  });

  test('rejects a million placeholders of a megabyte without building the result', () => {
    const parsed = parsePlaceholders('{{a}}'.repeat(1_000_000));
    const before = process.memoryUsage.rss();
    expect(() => fillPlaceholders(parsed, { a: 'x'.repeat(1_000_000) }, 5_000_000)).toThrow(
      expect.objectContaining({ code: 'content_too_large', members: { limit: 5_000_000, actual: 1_000_000_000_000 } }),
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
  });

  test('rejects many paths into one large object without writing all of them', () => {
    const data = { ...nested(2_000), text: '' };
    let innermost: Record<string, unknown> = data;
    while (innermost.a) innermost = innermost.a as Record<string, unknown>;
    innermost.end = 'x'.repeat(1_000_000);
    const html = Array.from({ length: 2_000 }, (_, level) => `{{${'a.'.repeat(level)}a}}`).join('');
    expect(() => fill(html, data, 5_000_000)).toThrow(
      expect.objectContaining({ code: 'content_too_large', members: { limit: 5_000_000 } }),
    );
  });
});

describe('takes time proportional to template and data', () => {
  // Each of these would take minutes in quadratic time.
  const MANY = 1_000_000;

  test.each([
    ['opening braces', '{{'.repeat(MANY)],
    ['single braces', '{'.repeat(MANY)],
    ['closing braces', '}}'.repeat(MANY)],
    ['openings with blanks', '{{ '.repeat(MANY)],
    ['openings with names', '{{a'.repeat(MANY)],
    ['triple openings with names', '{{{a'.repeat(MANY)],
    ['placeholders closed by one brace', '{{a}'.repeat(MANY)],
    ['an opening before blanks', `{{${' '.repeat(MANY)}`],
    ['an opening before a name and blanks', `{{a${' \n'.repeat(MANY)}!}}`],
    ['an endless name', `{{${'a'.repeat(5 * MANY)}`],
    ['an endless name of astral letters', `{{${'𝒳'.repeat(MANY)}`],
    ['an endless path', `{{${'a.'.repeat(MANY)}`],
    ['dots', `{{${'.'.repeat(MANY)}}}`],
  ])('for %s', (_, html) => {
    expect(fill(html, { a: 'VALUE' })).toBe(html);
    expect(parsePlaceholders(html).paths).toEqual([]);
  });

  test('for a million placeholders', () => {
    expect(fill('{{a}}'.repeat(MANY), { a: 'x' })).toBe('x'.repeat(MANY));
    expect(fill('{{{a}}}\n'.repeat(MANY), {})).toBe('\n'.repeat(MANY));
  });

  test('for a hundred thousand placeholders of one long path', () => {
    expect(fill(`{{${'a.'.repeat(30)}end}}`.repeat(100_000), nested(30))).toBe('here'.repeat(100_000));
  });

  test('for five thousand distinct paths, and rejects one more', () => {
    const html = (count: number) => Array.from({ length: count }, (_, number) => `{{v${number}}}`).join(' ');
    const parsed = parsePlaceholders(html(5_000));
    expect(parsed.paths).toHaveLength(5_000);
    expect(fillPlaceholders(parsed, { v0: 'first', v4999: 'last' }, NO_LIMIT)).toMatch(/^first *last$/);
    for (const count of [5_001, MANY / 2])
      expect(() => parsePlaceholders(html(count))).toThrow(expect.objectContaining({ code: 'template_error' }));
  });

  test('for a value that is too large before it is escaped', () => {
    const value = "'".repeat(30_000_000);
    const error = { code: 'content_too_large', members: { limit: 1_000, actual: 150_000_001 } };
    expect(() => fillPlaceholders(parsePlaceholders('<{{x}}'), { x: value }, 1_000)).toThrow(expect.objectContaining(error));
  });

  test('for a long value in many places', () => {
    expect(fill('{{a}}'.repeat(90), { a: '<'.repeat(250_000) })).toBe('&lt;'.repeat(90 * 250_000));
  });

  test('for a path of ten thousand levels', () => {
    expect(fill(`{{${'a.'.repeat(10_000)}end}}`, nested(10_000))).toBe('here');
  });

  test('for an object of ten thousand levels, which it rejects with its path', () => {
    expect(() => fill('<p>{{a}}', nested(10_000))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        members: { errors: [{ path: 'data.a', message: 'is nested too deeply to be inserted as text' }] },
      }),
    );
    expect(fill('{{{a}}}', nested(100))).toBe(JSON.stringify(nested(99)));
  });
});
