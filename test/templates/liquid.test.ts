/** The Liquid engine: its features, its sandbox, and isolation from hostile templates. */
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTestFolder } from '../support/close-after-all.ts';
import { NO_LIMIT, runWithEngine, setUpLiquid } from '../support/liquid-engines.ts';

const { engine, engineWith, fill } = setUpLiquid();

describe('a template', () => {
  test.each([
    ['inserts values', '{{ a.b }} {{ list[0] }} {{ list.last }}', '1 x y'],
    ['inserts nothing for missing values', '({{ none }}{{ none.of.it }}{{ a.none }}{{ list[9] }}{{ null }})', '()'],
    ['loops', '{% for i in list %}{{ forloop.index }}{{ i }}{% unless forloop.last %},{% endunless %}{% endfor %}', '1x,2y'],
    ['prints the alternative for an empty list', '{% for i in none %}{{ i }}{% else %}nothing{% endfor %}', 'nothing'],
    ['loops over ranges', '{% for i in (1..a.five) %}{{ i }}{% endfor %}{% for i in (3..1) %}x{% endfor %}', '12345'],
    ['evaluates conditions', '{% if a.b > 0 and list contains "y" %}yes{% else %}no{% endif %}', 'yes'],
    ['evaluates a case', '{% case a.b %}{% when 1, 2 %}few{% else %}many{% endcase %}', 'few'],
    [
      'assigns and captures',
      '{% assign n = a.b | plus: 1 %}{% capture s %}<{{ n }}>{% endcapture %}{{ s }}{{ s | raw }}',
      '&lt;2&gt;<2>',
    ],
    ['calculates', '{{ 7 | divided_by: 2 }} {{ 1.005 | times: 100 | round: 1 }}', '3.5 100.5'],
    [
      'sums, sorts and selects',
      '{{ rows | map: "n" | sort | join: "-" }} {{ rows | sum: "n" }} {{ rows | where: "n", 2 | size }}',
      '1-2-3 6 1',
    ],
    ['trims blanks', 'a {%- if true -%} b {%- endif -%} c', 'abc'],
    ['omits comments', 'a{% comment %} {{ x }} {% endcomment %}{% # note %}b', 'ab'],
    ['prints raw braces', '{% raw %}{{ a }}{% b %}{% endraw %}', '{{ a }}{% b %}'],
    ['keeps no state of earlier templates', '{% increment n %}{% increment n %}{{ a.b }}', '011'],
  ])('%s', async (_, html, expected) => {
    const data = { a: { b: 1, five: 5 }, list: ['x', 'y'], rows: [{ n: 3 }, { n: 1 }, { n: 2 }], null: null };
    expect(await fill(html, data)).toBe(expected);
    expect(await fill(html, data)).toBe(expected);
  });

  test('escapes inserted values, unless it uses raw', async () => {
    const data = { v: `<a href="x">&'`, list: ['<', '>'] };
    expect(await fill('{{ v }}', data)).toBe('&lt;a href=&#34;x&#34;&gt;&amp;&#39;');
    expect(await fill('{{ v | raw }}', data)).toBe(data.v);
    expect(await fill('{{ list }}{{ list | json }}{% echo v %}{% cycle v %}', { ...data, v: '<' })).toBe(
      '&lt;&gt;[&#34;&lt;&#34;,&#34;&gt;&#34;]&lt;&lt;',
    );
  });

  test('does not interpret tags and outputs in inserted values', async () => {
    expect(await fill('{{ v }}{{ v | raw }}', { v: '{{ secret }}{% if %}', secret: 'x' })).toBe(
      '{{ secret }}{% if %}{{ secret }}{% if %}',
    );
  });

  test('reads only own properties', async () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '__defineGetter__'];
    const html = names.map((name) => `{{ ${name} }}{{ x.${name} }}{{ x["${name}"] }}{{ s.${name} }}{{ l.${name} }}`).join('');
    expect(await fill(`(${html})`, { x: {}, s: 'text', l: [1] })).toBe('()');
    expect(await fill(html, JSON.parse('{"__proto__":"1","x":{"__proto__":"2","constructor":"3"}}'))).toBe('331' + '22');
  });

  test('leaves no variables for the next one', async () => {
    await fill('{% assign a = 1 %}{% increment b %}{% assign __proto__ = "p" %}{% increment constructor %}');
    expect(await fill('({{ a }}{{ b }}{{ p }}{{ constructor }}{{ x.constructor }})', { x: {} })).toBe('()');
  });

  test('is cached under its key, but only as long as its text is the same', async () => {
    expect(await engine.fill('owner', { key: 'tpl_same:1', html: 'one {{ a }}' }, { a: 1 }, NO_LIMIT)).toBe('one 1');
    expect(await engine.fill('owner', { key: 'tpl_same:1', html: 'one {{ a }}' }, { a: 2 }, NO_LIMIT)).toBe('one 2');
    expect(await engine.fill('owner', { key: 'tpl_same:1', html: 'two {{ a }}' }, { a: 3 }, NO_LIMIT)).toBe('two 3');
  });
});

describe('money', () => {
  test.each([
    ['{{ 1234.5 | money: "EUR", "de-DE" }}', '1.234,50\u00a0€'],
    ['{{ 1234.5 | money: "EUR" }}', '€1,234.50'],
    ['{{ -0.5 | money: "USD" }}', '-$0.50'],
    ['{{ 1234.5 | money: "JPY", "ja-JP" }}', '￥1,235'],
    ['{{ "12345678901234567890.12" | money: "CHF", "de-DE" }}', '12.345.678.901.234.567.890,12\u00a0CHF'],
    ['{{ 0.1 | plus: 0.2 | money: "EUR", "fr-FR" }}', '0,30\u00a0€'],
    ['{{ 1234.5 | money: "EUR", locale: "de" }}', '1.234,50\u00a0€'],
    ['({{ none | money: "EUR" }}{{ "" | money: "EUR" }})', '()'],
  ])('%s', async (html, expected) => {
    expect(await fill(html)).toBe(expected);
  });

  test.each([
    ['{{ 1 | money }}', 'money: the currency must be a code of ISO 4217 such as "EUR" (line 1, column 1)'],
    ['{{ 1 | money: "EURO" }}', 'money: the currency must be a code of ISO 4217 such as "EUR" (line 1, column 1)'],
    ['{{ 1 | money: "XXQ" }}', 'money: the currency must be a code of ISO 4217 such as "EUR" (line 1, column 1)'],
    ['{{ 1 | money: "EUR", "german" }}', 'money: the locale must be a language tag such as "de-DE" (line 1, column 1)'],
    ['{{ 1 | money: "EUR", "xx-XX" }}', 'money: the locale must be a language tag such as "de-DE" (line 1, column 1)'],
    ['{{ "secret" | money: "EUR" }}', 'money: the amount is not a number (line 1, column 1)'],
  ])('lists the valid values for %s', async (html, message) => {
    await expect(fill(html)).rejects.toMatchObject({ code: 'template_error', message });
  });
});

describe('number', () => {
  test.each([
    ['{{ 1234567.891 | number: locale: "de" }}', '1.234.567,891'],
    ['{{ 1234567.891 | number: "de", decimals: 2 }}', '1.234.567,89'],
    ['{{ 1234 | number: locale: "de", decimals: 2 }}', '1.234,00'],
    ['{{ "1234.56789012345678901" | number }}', '1,234.56789012345678901'],
    ['{{ 1234.5 | number: locale: l }}', '1\u202f234,5'],
    ['({{ none | number }}{{ "" | number: locale: "de" }})', '()'],
  ])('%s', async (html, expected) => {
    expect(await fill(html, { l: 'fr' })).toBe(expected);
  });

  test.each([
    ['{{ "1.234,5" | number }}', 'number: the value is not a number'],
    ['{{ true | number }}', 'number: the value is not a number'],
    ['{{ 1 | number: locale: "german" }}', 'number: the locale must be a language tag such as "de-DE"'],
    ['{{ 1 | number: locale: list }}', 'number: the locale must be a language tag such as "de-DE"'],
    ['{{ 1 | number: decimals: 41 }}', 'number: decimals must be a whole number from 0 to 40'],
    ['{{ 1 | number: places: 2 }}', 'number: unknown argument; it takes locale and decimals by name'],
  ])('refuses %s', async (html, message) => {
    await expect(fill(html, { list: ['locale', 'de'] })).rejects.toMatchObject({
      code: 'template_error',
      message: `${message} (line 1, column 1)`,
    });
  });
});

describe('dates', () => {
  const cases = [
    ['{{ "2026-07-29" | date: "%d.%m.%Y" }}', '29.07.2026'],
    ['{{ "2026-07-29T23:30" | date: "%-d %B %Y %H:%M %z" }}', '29 July 2026 23:30 +0000'],
    ['{{ "2026-07-29" | date: "%a %b %e" }}', 'Wed Jul 29'],
    ['{{ "2026-03-04" | date: "%-d. %B %Y", locale: "de" }}', '4. März 2026'],
    ['{{ "2026-03-04" | date: "%A %-d %B %Y", "Europe/Paris", locale: "fr" }}', 'mercredi 4 mars 2026'],
    [
      '{{ "2026-03-04" | date: "%-d %B; %%B", locale: "pl" }}, {{ "2026-03-04" | date: "%B %Y", locale: "pl" }}',
      '4 marca; %B, marzec 2026',
    ],
    ['{{ "2026-03-04" | date: "%Y年%B%-d日", locale: "ja" }}', '2026年3月4日'],
    ['{{ "2026-01-31T23:30:00Z" | date: "%-d %B", "Asia/Tokyo", locale: "ru" }}', '1 февраля'],
    [
      '{{ "20260304" | date: "%Y-%m-%d" }} {{ "2026-03" | date: "%Y-%m-%d" }} {{ "2026" | date: "%Y-%m-%d" }}',
      '2026-03-04 2026-03-01 2026-01-01',
    ],
    ['{{ "2026-03-04 09:30:00 +0200" | date: "%H:%M" }} {{ "2026-03-04T09:30+02" | date: "%H:%M" }}', '07:30 07:30'],
    [
      '{{ "2028-02-29" | date: "%Y-%m-%d" }} {{ "1785367800" | date: "%Y-%m-%d" }} {{ -1 | date: "%Y-%m-%d" }}',
      '2028-02-29 2026-07-29 1969-12-31',
    ],
    ['{{ "2026-07-29T23:30:00+02:00" | date: "%H:%M" }}', '21:30'],
    ['{{ "2026-07-29T23:30:00Z" | date: "%Y-%m-%d %H:%M %z", "Asia/Tokyo" }}', '2026-07-30 08:30 +0900'],
    ['{{ "2026-03-04" | date: locale: "de" }}', '4. März 2026'],
    ['{{ "2026-03-04" | date: locale: "fr" }}', '4 mars 2026'],
    ['{{ "2026-03-04" | date: locale: "en" }}', 'March 4, 2026'],
    ['{{ "2026-03-04T23:30:00Z" | date: nil, "Asia/Tokyo", locale: "en-GB" }}', '5 March 2026'],
    [
      '{{ "2026-03-04T15:04:05" | date: "%x|%X|%c|%r|%p|%P|%%x", locale: "de" }}',
      '4.3.2026|15:04:05|4.3.2026, 15:04:05|03:04:05 PM|PM|pm|%x',
    ],
    ['{{ "2026-03-04T15:04:05" | date: "%x|%X|%c|%p", locale: "fr" }}', '04/03/2026|15:04:05|04/03/2026 15:04:05|PM'],
    [
      '{{ "2026-03-04T15:04:05" | date: "%x|%X|%c|%r|%p|%P", locale: "en" }}',
      '3/4/2026|3:04:05 PM|3/4/2026, 3:04:05 PM|3:04:05 PM|PM|pm',
    ],
    ['{{ "2026-03-04T23:30:00Z" | date: "%x %X", "Europe/Berlin", locale: "de" }}', '5.3.2026 00:30:00'],
    ['{{ "2026-03-04T23:30:00Z" | date: "%X", "America/St_Johns", locale: "de" }}', '20:00:00'],
    ['{{ "2026-03-04T15:04:05" | date: "%p", locale: "ko" }}', '오후'],
    ['{{ 1785367800 | date: "%c" }}', '7/29/2026, 11:30:00 PM'],
    ['{{ "2026-03-08T07:30:00Z" | date: "%H:%M" }}', '07:30'],
    ['{{ "2026-03-29T01:30:00Z" | date: "%H:%M" }}', '01:30'],
    ['{{ "2026-03-29T02:30:00" | date: "%H:%M" }}', '02:30'],
    ['{{ "2026-10-25T02:30:00Z" | date: "%H:%M", "Europe/Berlin" }}', '03:30'],
    ['{{ "2026-07-29" | date_to_string }} {{ "2026-07-29" | date_to_rfc822 }}', '29 Jul 2026 Wed, 29 Jul 2026 00:00:00 +0000'],
    ['{{ "2026-03-04T15:04:05" | date: "%F %T, %R, %D, %h, %-j%%" }}', '2026-03-04 15:04:05, 15:04, 03/04/26, Mar, 63%'],
    ['{{ "2026-03-04" | date: "%-d %B %Y, %B", locale: "fa" }}', '4 مارس 2026, مارس'],
    [
      '{{ "2026-03-04" | date: "%B %Y", locale: "ar-SA" }} {{ "2026-03-04" | date: "%-d %b %Y", locale: "fa" }}',
      'مارس 2026 4 مارس 2026',
    ],
    ['{{ "2026-03-04" | date: locale: "th" }}', '4 มีนาคม 2569'],
    ['({{ none | date: "%Y" }}{{ "" | date: "%Y", locale: "de" }})', '()'],
  ] as const;

  test.each(cases)('%s', async (html, expected) => {
    expect(await fill(html)).toBe(expected);
  });

  test.each([
    '4.3.2026',
    '3/4/2026',
    'March 4, 2026',
    '4 Mar',
    '2026-3-4',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '20260230',
    '2026-03-04T25:00',
    '2026-03-04T09:30+99:00',
    '1785367800000',
    'no date',
    1_785_367_800_000,
    true,
    ['2026-03-04'],
    { day: 4 },
  ])('are not guessed from %j', async (value) => {
    const message = `the value is not a date; write ISO 8601 such as "2026-03-04" or "2026-03-04T09:30:00Z", seconds since 1970, or "now"`;
    for (const filter of [
      'date: "%Y-%m-%d"',
      'date',
      'date_to_string',
      'date_to_long_string',
      'date_to_rfc822',
      'date_to_xmlschema',
    ]) {
      const name = filter.split(':')[0];
      await expect(fill(`{{ v | ${filter} }}`, { v: value })).rejects.toMatchObject({
        code: 'template_error',
        message: `${name}: ${message} (line 1, column 1)`,
      });
    }
  });

  test.each([
    ['locale: "german"', 'date: the locale must be a language tag such as "de-DE"'],
    ['lang: "de"', 'date: unknown argument; it takes locale by name'],
    ['"Mars/Olympus"', 'date: the time zone must be a name such as "Europe/Berlin"'],
  ])('cannot be formatted with %s', async (argument, message) => {
    await expect(fill(`{{ "now" | date: "%Y-%m-%d", ${argument} }}`)).rejects.toMatchObject({
      message: `${message} (line 1, column 1)`,
    });
  });

  test.each(['%Q', '%-F', '%V', '100%'])('cannot be formatted with the directive of %j', async (format) => {
    const message = `date: there is no directive ${/%.*/.exec(format)}; print a percent sign with %% (line 1, column 1)`;
    await expect(fill(`{{ "now" | date: "${format}" }}`)).rejects.toMatchObject({ code: 'template_error', message });
  });

  test.each(['America/New_York', 'Europe/Berlin', 'Asia/Kolkata'])('are the same on a server in %s', async (zone) => {
    const html = JSON.stringify(cases.map(([template]) => template).join('\n'));
    const { output } = await runWithEngine(
      `console.log(await engine.fill("owner", { key: 't:1', html: ${html} }, {}, 10_000));`,
      { TZ: zone },
    );
    expect(output.trim().split('\n')).toEqual(cases.map(([, expected]) => expected));
  });
});

describe('parsing reports', () => {
  const pathsOf = async (html: string, on = engine) => (await on.parse('owner', { key: '', html })).paths;

  test('the paths that a template reads from the data, without its own variables', async () => {
    expect(
      await pathsOf(`{{ order.total }}{% for item in order.items %}{{ item.name }}{{ forloop.index }}{% endfor %}
        {% assign x = y %}{{ x }}{% if (1..n) contains m %}{{ order.total | plus: tax.rate | default: none }}{% endif %}
        {{ list[0].name }}{{ map["a key"] }}{{ map[key] }}`),
    ).toEqual([
      'order.total',
      'order.items',
      'y',
      'n',
      'm',
      'tax.rate',
      'none',
      'list[0].name',
      "map['a key']",
      'map[key]',
      'key',
    ]);
    expect(await pathsOf('no tags')).toEqual([]);
  });

  test.each([
    ['an unknown filter', 'a\n  {{ x | upper }}', 'undefined filter: upper', 2, 3],
    ['an unknown tag', 'ab{% foo %}', 'tag "foo" not found', 1, 3],
    ['an empty condition', '{% if %}{% endif %}', 'invalid value expression: ""', 1, 6],
    ['a tag that stays open', '\n\n{% for i in x %}', 'tag {% for i in x %} not closed', 3, 1],
    ['an output that stays open', 'é {{ x', 'output "{{ x" not closed', 1, 3],
    ['an invalid loop', '{% for x of y %}{% endfor %}', 'illegal tag: {% for x of y %}', 1, 1],
    ['a filter that would evaluate data as code', '{{ x | where_exp: "i", "i.a" }}', 'undefined filter: where_exp', 1, 1],
  ])('%s with line and column', async (_, html, message, line, column) => {
    const expected = {
      code: 'template_error',
      message: `${message} (line ${line}, column ${column})`,
      members: { line, column },
    };
    await expect(engine.parse('owner', { key: '', html })).rejects.toMatchObject(expected);
    await expect(fill(html)).rejects.toMatchObject(expected);
  });

  test('the line of an error after five megabytes', async () => {
    const html = `${'<p>text</p>\n'.repeat(430_000)}{{ x | upper }}`;
    await expect(engine.parse('owner', { key: '', html })).rejects.toMatchObject({ members: { line: 430_001, column: 1 } });
    await expect(engine.parse('owner', { key: '', html: html.replaceAll('\n', ' ') })).rejects.toMatchObject({
      members: { line: 1, column: 5_160_001 },
    });
  });

  test('an error in a long tag without quoting all of it', async () => {
    const error = await engine
      .parse('owner', { key: '', html: `{% for ${'x'.repeat(10_000)} %}` })
      .catch((thrown: Error) => thrown);
    expect((error as Error).message.length).toBeLessThan(300);
  });

  // With LiquidJS alone, each of these took longer than the default time limit.
  test('the paths of a large template', async () => {
    const html = Array.from({ length: 20_000 }, (_, row) => `<p>row ${row} ${'.'.repeat(80)}{{ v${row % 100} }}</p>`).join('');
    const patient = engineWith({ timeoutMs: 60_000 });
    expect(await pathsOf(html, patient)).toHaveLength(100);
    expect(await fill(html, { v7: 'seven' }, NO_LIMIT, patient)).toContain(`${'.'.repeat(80)}seven</p>`);
  });

  test('the paths of ninety thousand tags', async () => {
    expect(await pathsOf('{{ a }}'.repeat(90_000), engineWith({ timeoutMs: 60_000 }))).toEqual(['a']);
  });
});

describe('messages', () => {
  test.each([
    ['{{ "now" | date: "%Y", v }}'],
    ['{{ list | where: v, 1 }}'],
    ['{{ v | base64_decode }}'],
    ['{{ v | url_decode }}'],
    ['{{ x | append: v | money: "EUR" }}'],
    ['{{ 1 | money: v }}'],
  ])('do not quote the data in %s', async (html) => {
    const error = await fill(html, { v: 'secret[((%', list: [{}] }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'template_error' });
    expect(JSON.stringify([(error as Error).message, error])).not.toContain('secret');
  });
});

describe('files', () => {
  test.each(['include', 'render', 'layout'])('cannot be read by %s', async (tag) => {
    const folder = await makeTestFolder('liquid');
    const file = join(folder, 'secret.liquid');
    await writeFile(file, 'SECRET');
    for (const path of [file, relative(process.cwd(), file), `file://${file}`, 'package.json', './package.json', 'constructor']) {
      const refused = { code: 'template_error', message: expect.not.stringContaining('SECRET') };
      await expect(fill(`{% ${tag} "${path}" %}`, { path })).rejects.toMatchObject(refused);
      await expect(fill(`{% ${tag} path %}`, { path })).rejects.toMatchObject(refused);
      await expect(fill(`{% ${tag} "{{ path }}" %}`, { path })).rejects.toMatchObject(refused);
    }
  });
});

describe('the size limit', () => {
  test('allows exactly that many bytes of UTF-8, and reports limit and size beyond', async () => {
    const data = { a: 'é€😀' };
    expect(await fill('<{{ a }}{{ a }}>', data, 20)).toBe('<é€😀é€😀>');
    await expect(fill('<{{ a }}{{ a }}>', data, 19)).rejects.toMatchObject({
      code: 'content_too_large',
      message: 'html has 20 bytes after substitution; at most 19 are allowed',
      members: { limit: 19, actual: 20 },
    });
  });

  test('counts a character once if its surrogates are written one after the other', async () => {
    expect(await fill('{% assign halves = "😀" | split: "" %}{% for half in halves %}{{ half }}{% endfor %}', {}, 4)).toBe('😀');
  });

  test('stops a huge template at the limit', async () => {
    const html = '{% for i in (1..100000) %}{{ a }}{% endfor %}';
    await expect(fill(html, { a: 'x'.repeat(100_000) }, 1_000)).rejects.toMatchObject({
      code: 'content_too_large',
      message: 'html has more than 1000 bytes after substitution; at most 1000 are allowed',
      members: { limit: 1_000 },
    });
  });
});
