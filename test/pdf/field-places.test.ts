/** Sizes of form fields are read from the links that Chromium writes, in linear time for any document. */
import { expect, test } from 'vitest';
import { normalizeElementIds } from '../../src/pdf/edit/normalize-element-ids.ts';
import { fieldSizes } from '../../src/pdf/forms/field-places.ts';
import { ChunkedBuffer } from '../../src/pdf/objects/chunked-buffer.ts';

const link = (address: string) => `<</Rect [10 20 110 40]\n/A <</URI (${address})>>>>`;
const sizesOf = (text: string) => [...fieldSizes([Buffer.from(text)], 'key')];

test('finds fields that share one link', () => {
  const size = { left: 10, width: 100, height: 20 };
  expect(sizesOf(link('key:0') + link('key:12'))).toEqual([
    [0, size],
    [12, size],
  ]);
  expect(sizesOf(link('key:0') + link('key:1') + link('key:0'))).toEqual([[1, size]]);
  expect(sizesOf(['key:', 'key:0x1', 'key:1 ', 'key:123456', 'key', 'other:1'].map(link).join(''))).toEqual([]);
});

test('finds no fields in millions of strings that resemble a link', () => {
  expect(sizesOf(link('key:0') + '(key:'.repeat(1_000_000))).toEqual([]);
});

test('yields to other work while it searches for element ids', async () => {
  const file = Buffer.from('(node'.repeat(200_000));
  let timerCalls = 0;
  const timer = setInterval(() => timerCalls++, 0);
  await normalizeElementIds([file]);
  clearInterval(timer);
  expect(timerCalls).toBeGreaterThan(1);
});

test('reads text across chunks of any size', () => {
  const chunks = ['ab', '', 'c', 'defg', 'h'].map((text) => Buffer.from(text));
  const file = new ChunkedBuffer(chunks);
  expect(file.text(1, 5)).toBe('bcdef');
  file.overwrite(1, 'BCDEF');
  expect(Buffer.concat(chunks).toString()).toBe('aBCDEFgh');
  expect([...file.findPositions('CD')]).toEqual([2]);
});
