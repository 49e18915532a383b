/** Finds the data that a template reads and that is missing, and the data that it does not use. */
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
])('reports what is missing and unused for the paths %j and the data %j', (paths, data, missing, unused) =>
  expect(dataUse(paths, data)).toEqual({ missing, unused }),
);

test('reports at most a hundred names', () => {
  const data = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`x${n}`, n]));
  expect(dataUse([], data).unused).toHaveLength(100);
});
