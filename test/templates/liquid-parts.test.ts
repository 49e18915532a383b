/** Parts of Liquid templates: what `render`, `layout` and `block` print, which names they accept, and their limits. */
import { describe, expect, test } from 'vitest';
import { NO_LIMIT, newVersion, setUpLiquid } from '../support/liquid-engines.ts';

const { engine, engineWith } = setUpLiquid();

const toParts = (texts: Record<string, string>) =>
  Object.entries(texts).map(([name, html]) => ({ name, key: newVersion(), html }));

function fill(
  html: string,
  texts: Record<string, string> = {},
  data: Record<string, unknown> = {},
  limit = NO_LIMIT,
  on = engine,
) {
  return on.fill('owner', { key: newVersion(), name: 'letter', html, parts: toParts(texts) }, data, limit);
}

async function failure(
  html: string,
  texts: Record<string, string> = {},
  data = {},
): Promise<{ message: string; members: object }> {
  const error = await fill(html, texts, data).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'template_error' });
  return error;
}

describe('render', () => {
  const item = '[{{ item.name }} {{ forloop.index }}/{{ forloop.length }}]';
  const data = { to: { name: 'A&B', city: 'Ulm' }, list: [{ name: 'x' }, { name: 'y' }], secret: 'S' };

  test.each([
    ['{% render "a" %}', { a: 'text' }, 'text'],
    [`{% render 'a', name: to.name, n: 2 %}`, { a: '{{ name }}{{ n }}' }, 'A&amp;B2'],
    ['{% render "a" with to as who %}', { a: '{{ who.city }}' }, 'Ulm'],
    ['{% render "a" with to %}', { a: '{{ a.city }}' }, 'Ulm'],
    ['{% render "a@7" with to %}', { 'a@7': '{{ a.city }}' }, 'Ulm'],
    ['{% render "item" for list %}', { item }, '[x 1/2][y 2/2]'],
    ['{% render "line" for list as item, more: 1 %}', { line: item }, '[x 1/2][y 2/2]'],
    ['{%- for each in list -%}{% render "a", item: each %}{% endfor %}', { a: '{{ item.name }}' }, 'xy'],
    ['{% liquid\n render "a"\n render "b" %}', { a: '1', b: '2' }, '12'],
    ['{% render "a" %}', { a: '{% render "b" %}{% render "b" %}', b: 'b' }, 'bb'],
    ['{% capture x %}{% render "a" %}{% endcapture %}{{ x | raw }}', { a: '<b>' }, '<b>'],
    ['{% comment %}{% render "none" %}{% endcomment %}{% raw %}{% render "none" %}{% endraw %}', {}, '{% render "none" %}'],
  ])('prints %j', async (html, texts, expected) => expect(await fill(html, texts as never, data)).toBe(expected));

  test('shows a part nothing but what it is given, and keeps what it sets to itself', async () => {
    const a = '({{ secret }}{{ local }}){% assign local = 2 %}{% assign secret = 3 %}';
    expect(await fill('{% assign local = 1 %}{% render "a" %}{{ local }}{{ secret }}', { a }, data)).toBe('()1S');
    expect(await fill('{% render "a" %}{{ x.constructor }}{{ constructor }}', { a: '{{ constructor }}{{ x }}' })).toBe('');
  });
});

describe('layout', () => {
  const letter = '<h1>{% block title %}Untitled{% endblock %}</h1>{% block %}{% endblock %}{% block foot %}-{% endblock %}';

  test.each([
    ['{% layout "l" %}{% block title %}{{ t }}{% endblock %}', { l: letter }, '<h1>&lt;T&gt;</h1>-'],
    ['{% layout "l" %}body', { l: letter }, '<h1>Untitled</h1>body-'],
    ['{% layout "l" %}{% block foot %}{{ block.super }}{{ block.super }}!{% endblock %}', { l: letter }, '<h1>Untitled</h1>--!'],
    [
      '{% layout "m" %}{% block title %}3{{ block.super }}{% endblock %}',
      { m: '{% layout "l" %}{% block title %}<i>2</i>{{ block.super }}{% endblock %}', l: letter },
      '<h1>3<i>2</i>Untitled</h1>-',
    ],
    ['{% layout "l", t: "x" %}', { l: '{{ t }}{{ who }}' }, 'xyou'],
    ['{% layout none %}{% block a %}x{% endblock %}', {}, 'x'],
    ['{% layout "l" %}{% block constructor %}x{% endblock %}', { l: '{% block constructor %}y{% endblock %}' }, 'x'],
    ['{% block constructor %}y{% endblock %}{% block __proto__ %}z{% endblock %}', {}, 'yz'],
    [
      '{% layout "l" %}{% block a %}{% render "p", t: t %}{% endblock %}',
      { l: '{% block a %}{% endblock %}', p: '{{ t }}' },
      '&lt;T&gt;',
    ],
  ])('prints %j', async (html, texts, expected) =>
    expect(await fill(html, texts as never, { t: '<T>', who: 'you' })).toBe(expected),
  );
});

describe('an error', () => {
  test.each([
    ['{% render "a" %}', {}, 'letter > a: there is no template of this name'],
    ['{% render "a" %}', { a: '{% layout "b" %}' }, 'letter > a > b: there is no template of this name'],
    [
      '{% if false %}{% render "a" %}{% endif %}',
      { a: '{% render "b" %}', b: '{% render "a" %}' },
      'letter > a > b > a: a template',
    ],
    ['{% render "a" %}', { a: '{% render "a" %}' }, 'letter > a > a: a template cannot contain itself'],
    ['{% render name %}', { name: 'x' }, 'must be text in quotes'],
    ['{% render "{{ name }}" %}', { name: 'x' }, 'must be text in quotes'],
    ['{% render "" %}', { '': 'x' }, 'must be text in quotes'],
    ['{% render none %}', { none: 'x' }, 'must be text in quotes'],
    ['{% layout name %}', { name: 'x' }, 'must be text in quotes'],
    ['{% render "constructor" %}', {}, 'letter > constructor: there is no template'],
    ['{% include "a" %}', { a: 'x' }, 'use render'],
  ])('in %j says what is wrong, with the path', async (html, texts, message) =>
    expect((await failure(html, texts as never, { name: 'name' })).message).toContain(message),
  );

  test('in a part has its name and place', async () => {
    const texts = { a: 'one\n{{ x | nothing }}', b: 'one\n two {{ x | money: "XXXX" }}' };
    const parsed = await failure('{% render "a" %}', texts);
    expect(parsed.message).toMatch(/^a: .*nothing.* \(line 2, column 1\)$/);
    expect(parsed.members).toEqual({ part: 'a' });
    expect((await failure('{% render "b", x: 1 %}', texts)).message).toMatch(/^b: .* \(line 2, column 6\)$/);
    expect((await failure('\n{{ x | nothing }}', texts)).members).toEqual({ line: 2, column: 1 });
  });

  test('tells a cycle from a part that is used twice, also by another name', async () => {
    const key = newVersion();
    const same = [
      { name: 'a', key, html: '{% render "a@1" %}' },
      { name: 'a@1', key, html: '{% render "a@1" %}' },
    ];
    const source = { key: newVersion(), name: 'letter', html: '{% render "a" %}', parts: same };
    await expect(engine.fill('owner', source, {}, NO_LIMIT)).rejects.toThrow(
      'letter > a > a@1: a template cannot contain itself',
    );
    const itself = { ...source, key, parts: [{ name: 'letter', key, html: source.html }], html: '{% render "letter" %}' };
    await expect(engine.fill('owner', itself, {}, NO_LIMIT)).rejects.toThrow('letter > letter: a template cannot contain itself');
  });
});

describe('limits', () => {
  const chain = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, n) => [`p${n}`, n + 1 < length ? `{% render "p${n + 1}" %}` : 'end']));

  test('allow ten levels', async () => {
    expect(await fill('{% render "p0" %}', chain(10))).toBe('end');
    expect((await failure('{% render "p0" %}', chain(11))).message).toContain('p9 > p10: parts are nested more than 10 deep');
  });

  test('count levels on every path, in time that does not grow with the number of paths', async () => {
    const all = Array.from({ length: 90 }, (_, n) => `p${n}`);
    const layer = (n: number) => all.slice(10 * n, 10 * n + 10);
    const uses = (n: number) =>
      layer(n)
        .map((name) => `{% if x %}{% render "${name}" %}{% endif %}`)
        .join('');
    const texts = Object.fromEntries(all.map((name, n) => [name, uses(Math.floor(n / 10) + 1)]));
    expect(await fill(uses(0), texts)).toBe('');
    const late = { a: '{% render "p0" %}', ...chain(10) };
    expect((await failure('{% render "p0" %}{% render "a" %}', late)).message).toContain('more than 10 deep');
  });

  test('hold over all parts together', async () => {
    const loop = '{% for i in (1..1000) %}{% render "a" %}{% endfor %}';
    await expect(fill(loop, { a: 'x'.repeat(1_000) }, {}, 100_000)).rejects.toMatchObject({ code: 'content_too_large' });
    const many = '{{ x }}'.repeat(60_000);
    expect((await failure('{% render "a" %}{% render "b" %}', { a: many, b: many })).message).toContain('too many tags together');
    const doubling = (n: number) => `{% layout "l${n}" %}{% block b %}${'{{ block.super }}'.repeat(100)}{% endblock %}`;
    const texts = { l1: doubling(2), l2: doubling(3), l3: doubling(4), l4: `{% block b %}${'x'.repeat(1_000)}{% endblock %}` };
    expect((await failure(doubling(1), texts)).message).toContain('uses too much memory');
    const busy = engineWith({ timeoutMs: 2_000 });
    const slow = `{% for i in (1..900000) %}{% render "a", i: i %}{% endfor %}`;
    await expect(fill(slow, { a: '{{ i | times: 2 }}' }, {}, NO_LIMIT, busy)).rejects.toMatchObject({ code: 'template_error' });
  });
});

describe('a cached part', () => {
  test('is never used in another version', async () => {
    const source = (key: string, html: string) => ({
      key: 'tpl_root:1',
      html: '{% render "a" %}',
      parts: [{ name: 'a', key, html }],
    });
    for (const [key, html] of [
      ['tpl_a:1', 'one'],
      ['tpl_a:2', 'two'],
      ['tpl_a:1', 'one'],
      ['tpl_b:1', 'other'],
    ] as const)
      expect(await engine.fill('owner', source(key, html), {}, NO_LIMIT)).toBe(html);
    const gone = { key: 'tpl_root:1', html: '{% render "a" %}', parts: [] };
    await expect(engine.fill('owner', gone, {}, NO_LIMIT)).rejects.toThrow('there is no template');
  });
});

test('finds the paths that parts read', async () => {
  const pathsOf = async (html: string, texts: Record<string, string>) =>
    (await engine.parse('owner', { key: newVersion(), html, parts: toParts(texts) })).paths.sort();
  expect(
    await pathsOf('{% layout "l" %}{% block b %}{{ a }}{% endblock %}', { l: '{{ c.d }}{% block b %}{{ e }}{% endblock %}' }),
  ).toEqual(['a', 'c.d', 'e']);
  const part = '{{ who.city }}{{ n }}{{ forloop.index }}{{ own }}';
  expect(await pathsOf('{% render "p" with to as who, n: x.y %}', { p: part })).toEqual(['own', 'to', 'x.y']);
  expect(await pathsOf('{% render "p" for list as who %}', { p: '{{ who.name }}' })).toEqual(['list']);
});
