/** Marks with many fields are filled once for pages with the same values, and only so often for others. */
import { expect, test } from 'vitest';
import { fillFields } from '../../src/render/assembly/marks.ts';
import { repeated } from './pieces.ts';

const places = (count: number, title: string) =>
  Array.from({ length: count }, (_, index) => ({ page: index + 1, pages: count, title, part: 0 }));
const fill = (html: string, count: number, title = 'T') => fillFields({ html, style: '', kind: 'html' }, places(count, title));

test('a mark with the same text on all pages is made once, however many there are', () => {
  const { texts, ofPages } = fill(repeated('{{title}}', 2_000_000), 100_000, '');
  expect([texts, new Set(ofPages)]).toEqual([[''], new Set([0])]);
});

test('the names of fields count, because each is replaced', () => {
  const html = repeated('{{ page }}', 1_000_000);
  expect(() => fill(html, 16)).toThrow('is too long with its fields');
  expect(fill(html, 10).texts).toHaveLength(10);
});
