/** Which data a template reads, and which is missing or unused. */
import { expect, test } from 'vitest';
import { dataUse } from '../../src/templates/data-use.ts';

test.each([
  [['a'], { a: 1 }, [], []],
  [['a', 'b.c'], { a: null, b: {} }, ['a', 'b.c'], []],
  [['b.c'], { b: { c: '', d: 1 }, e: 2 }, [], ['b.d', 'e']],
  [['b'], { b: { c: 1, d: 2 } }, [], []],
  [['b.c'], { b: 'text' }, ['b.c'], ['b']],
  [['items.0.name'], { items: [{ name: 'x', more: 1 }] }, [], []],
  [['items[0].name', 'x["y z"]'], { items: [{}], x: { 'y z': 1 } }, ['items[0].name'], []],
  [['items.size'], { items: [] }, [], []],
  [['map[key].name'], { map: { x: 1 } }, [], []],
  [['constructor', 'a.__proto__'], { a: {} }, ['constructor', 'a.__proto__'], []],
])('finds the use of %j in %j', (paths, data, missing, unused) => expect(dataUse(paths, data)).toEqual({ missing, unused }));

test('names up to a hundred', () => {
  const data = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`x${n}`, n]));
  expect(dataUse([], data).unused).toHaveLength(100);
});
