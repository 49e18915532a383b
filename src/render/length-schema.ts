/** The schema of a length, which `toInches` parses. */
import { Type } from 'typebox';
import { LENGTH_PATTERN } from './lengths.ts';

export const LENGTH = 'a length: a number of CSS pixels, or a string such as 10mm, 2.5cm, 1in, 72pt, 96px';

export const Length = Type.Union([Type.Number({ minimum: 0 }), Type.String({ 'x-pattern': LENGTH_PATTERN })], {
  title: 'Length',
  expected: LENGTH,
});
