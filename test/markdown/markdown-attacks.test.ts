/** Hostile Markdown is converted or rejected within limits of time and memory, and delays no other owner. */
import { expect, test } from 'vitest';
import { hasCode } from '../../src/errors.ts';
import { Markdown } from '../../src/markdown/markdown.ts';
import { closeAfterAll } from '../support/close-after-all.ts';

const LIMIT_BYTES = 5_242_880;
/** Half of the limit that the service has. */
const markdown = closeAfterAll(new Markdown({ timeoutMs: 5_000 }));

const convert = (text: string, owner = 'a') =>
  markdown.toHtml(owner, { markdown: text, stylesheet: undefined, limitBytes: LIMIT_BYTES });

/** Documents of about 5 MB. */
test.each([
  ['a link that is used repeatedly', `[a]: ${'x'.repeat(2_000_000)}\n\n${'[a] '.repeat(700_000)}`],
  ['brackets', '['.repeat(5_000_000)],
  ['unclosed images', '![a'.repeat(1_700_000)],
  ['nested emphasis', '**a*'.repeat(1_250_000)],
  ['headings', '# a\n'.repeat(1_250_000)],
  ['quotes', `${'>'.repeat(2_000)}${'a\n'.repeat(500_000)}`],
  ['footnotes', '[^a]: b\n\n[^a]'.repeat(350_000)],
  ['inline footnotes', '^['.repeat(2_500_000)],
  ['addresses', 'http://a@'.repeat(550_000)],
  ['task lists', '- [ ] '.repeat(800_000)],
  ['deep lists', Array.from({ length: 3_000 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n')],
])('converts or rejects %s, and serves others meanwhile', async (_, text) => {
  const ended = convert(text).catch((error: unknown) => error);
  expect(await convert('# Meanwhile', 'b')).toContain('<h1>Meanwhile</h1>');
  const result = await ended;
  if (typeof result !== 'string') expect(hasCode(result, 'content_too_large', 'resource_limit'), String(result)).toBe(true);
  expect(await convert('# After')).toContain('<h1>After</h1>');
});
