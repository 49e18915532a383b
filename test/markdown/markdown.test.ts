/** The conversion of Markdown: its HTML, and the limit of its size. */
import { describe, expect, test } from 'vitest';
import { Markdown } from '../../src/markdown/markdown.ts';
import { closeAfterAll } from '../support/close-after-all.ts';

const LIMIT_BYTES = 5_242_880;
const markdown = closeAfterAll(new Markdown());

function convert(text: string, { stylesheet, owner = 'a', limitBytes = LIMIT_BYTES }: Given = {}): Promise<string> {
  return markdown.toHtml(owner, { markdown: text, stylesheet, limitBytes });
}

interface Given {
  stylesheet?: string;
  owner?: string;
  limitBytes?: number;
}

describe('a document', () => {
  test.each([
    ['headings and emphasis', '# One *two*', '<h1>One <em>two</em></h1>'],
    ['tables', '| a | b |\n|---|--:|\n| 1 | 2 |', '<td style="text-align:right">2</td>'],
    ['strikethrough', '~~gone~~', '<s>gone</s>'],
    ['HTML', '<div class="x">a</div>\n\nb <b>c</b>', '<p>b <b>c</b></p>'],
    ['relative images', '![Logo](img/logo.png)', '<img src="img/logo.png" alt="Logo">'],
    [
      'addresses that become links',
      'See https://a.example/b_c, not README.md',
      '<a href="https://a.example/b_c">https://a.example/b_c</a>, not README.md',
    ],
    [
      'task lists',
      '- [x] done\n- [ ] *open*\n- [link]',
      '<li class="task">☑\u00a0done</li>\n<li class="task">☐\u00a0<em>open</em></li>\n<li>[link]</li>',
    ],
    [
      'footnotes',
      'Note[^n] again[^n]\n\n[^n]: The *note*.',
      '<li id="fn1" class="footnote-item"><p>The <em>note</em>.</p>\n</li>',
    ],
    ['references to footnotes', 'Note[^n]\n\n[^n]: x', 'Note<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>'],
    ['pictures in SVG', '![ok](data:image/svg+xml;base64,PHN2Zy8+)', '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="ok">'],
    ['pictures in AVIF', '![ok](data:image/avif;base64,AAAA)', '<img src="data:image/avif;base64,AAAA" alt="ok">'],
    ['a byte order mark', '\uFEFF# Title', '<h1>Title</h1>'],
    ['Windows line ends', 'a\r\n\r\nb', '<p>a</p>\n<p>b</p>'],
  ])('may have %s', async (_, text, html) => expect(await convert(text)).toContain(html));

  test('has the text of its first heading as title', async () => {
    expect(await convert('intro\n\n## A *b* `<c>` & d\n\n# Later')).toContain('<title>A b &lt;c&gt; &amp; d</title>');
  });

  test('may have a style sheet in place of the default, which cannot contain markup', async () => {
    const html = await convert('x', { stylesheet: 'p::after { content: "</style><p>y" }' });
    expect(html.match(/<style>.*?<\/style>/gs)).toEqual(['<style>\np::after { content: "<\\/style><p>y" }\n</style>']);
  });
});

describe('limits', () => {
  test('limits the HTML', async () => {
    const error = await convert('&'.repeat(1_000), { limitBytes: 4_000 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'content_too_large', members: { limit: 4_000 } });
  });
});
