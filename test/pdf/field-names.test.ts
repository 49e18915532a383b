/** Names of form fields are unique, and finding a free name takes constant time. */
import { expect, test } from 'vitest';
import { FieldNames } from '../../src/pdf/forms/field-names.ts';

test('appends the next free number to a taken name, without counting from the first again', () => {
  let lookups = 0;
  class Counted extends FieldNames {
    override isTaken(name: string): boolean {
      lookups++;
      return super.isTaken(name);
    }
  }
  const names = new Counted(['n_3']);
  const generated = Array.from({ length: 5_000 }, () => names.next('n'));
  expect(generated.slice(0, 4)).toEqual(['n', 'n_2', 'n_4', 'n_5']);
  expect(new Set(generated).size).toBe(5_000);
  expect(lookups).toBeLessThan(3 * 5_000);
});

test('does not cut a long name within a character', () => {
  const name = new FieldNames().next(`${'x'.repeat(199)}\u{1F600}`);
  expect(name).toBe('x'.repeat(199));
});
