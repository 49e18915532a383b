/** Rejects input quickly that would make careless regular expressions slow. */
import { expect, test } from 'vitest';
import { PDF_FIELDS } from '../../src/gotenberg/fields.ts';
import { PDF_PARAMETERS, toMembers } from '../../src/http/requests/parameters.ts';
import { toInches } from '../../src/render/request/values/lengths.ts';

const DIGITS = `${'1'.repeat(2_000_000)}x`;

test('rejects a length of two million blanks', () => {
  expect(toInches(`1${' '.repeat(2_000_000)}x`)).toBeUndefined();
  expect(toInches(' 2.54 CM ')).toBe(1);
});

test('rejects a parameter of two million digits', () => {
  expect(toMembers([['scale', DIGITS]], PDF_PARAMETERS)).toEqual({ options: { scale: DIGITS } }); // the schema rejects it later, as it is not a number
  expect(toMembers([['scale', '1.']], PDF_PARAMETERS)).toEqual({ options: { scale: 1 } });
});

test.each(['waitDelay', 'paperWidth'])('rejects %s of two million digits, and does not repeat them', (name) => {
  expect(() => PDF_FIELDS[name]?.read(DIGITS)).toThrow(/^(?:must be|is invalid) .{1,600}$/);
});
