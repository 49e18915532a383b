/** Hostile markup is classified in linear time, and never as safer than it is. */
import { expect, test } from 'vitest';
import { classifyHtml, withBase } from '../../src/chromium/load/html/classify-html.ts';

const FILLER = '<p title="x">text</p><!-- - --><style>/* */ p { color: red }</style>'.repeat(5_000);

/** Each is in a tag that begins inside another, or that another text seems to end. */
test.each([
  ['runsAfterLoad', '<script a="<script" src=x>'],
  ['runsAfterLoad', '<meta <script type = "module">'],
  ['runsAfterLoad', `<script>1</script>${FILLER}<script\n\nsrc`],
  ['mayBeAnimated', '<input <script src=x>'],
  ['mayBeAnimated', `${FILLER}<script async src=x>`],
  ['mayClip', '<meta <input value=x>'],
  ['mayClip', `<input>${FILLER}<input type=text value=x>`],
  ['mentionsMetadata', '<input <meta name=author content=x>'],
  ['mentionsMetadata', `<meta charset=utf-8>${FILLER}<meta content=x name="keywords">`],
  ['declaresClosed', '<template shadowrootmode = " closed">'],
  ['declaresClosed', '<template shadowrootmode=closed>'],
] as const)('%s: %s', (property, html) => {
  expect(classifyHtml(html)[property]).toBe(true);
});

test.each(['<script ', '<meta ', '<meta name=', '<input', '<base ', '<a <script <meta <input ', 'shadowrootmode=" '])(
  'classifies 5 MB of %j within seconds, and not within hours',
  (piece) => {
    const html = piece.repeat(5_000_000 / piece.length);
    const before = process.threadCpuUsage();
    classifyHtml(html);
    withBase(html, 'https://example.com/');
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(10);
  },
);

test.each([
  ['<p>', 'https://example.com/'],
  ['<base>', 'https://example.com/'],
  ['<base target=_top><base href="b/">', 'https://example.com/b/'],
  ['<BASE\nHREF=/c?a&amp;b>', 'https://example.com/c?a&amp;b'],
  ['<script>"<base href=x/>"</script>', 'https://example.com/'],
  ['<!-- <base href=x/> --><p title="<base href=x/>">', 'https://example.com/'],
])('%s has the base %s', (html, base) => {
  expect(withBase(html, 'https://example.com/')).toContain(`<base href="${base}">`);
});

test.each(['<base href="https://other.example/">', "<title><base href=x></title><base a='>' href='https://other.example/'>"])(
  '%s keeps its own base',
  (html) => {
    expect(withBase(html, 'https://example.com/')).toBe(html);
  },
);
