/** The schemas of lengths and margins, and the words that describe them in errors. */
import { Type } from 'typebox';
import { FORMATS, LENGTH_PATTERN } from '../values/lengths.ts';

export const LENGTH = 'a length: a number of CSS pixels, or a string such as 10mm, 2.5cm, 40q, 1in, 72pt, 6pc, 96px';
export const MARGIN = `${LENGTH}; one to four lengths as in CSS, such as 10mm 15mm; or an object of lengths`;
export const FORMAT = `one of ${FORMATS}, alone or with portrait or landscape`;

export const Length = Type.Union([Type.Number({ minimum: 0 }), Type.String({ 'x-pattern': LENGTH_PATTERN })], {
  $id: 'Length',
  expected: LENGTH,
});

export const HeightOrAuto = Type.Union([
  Type.Number({ minimum: 0 }),
  Type.String({ 'x-pattern': LENGTH_PATTERN.replace(/\$$/, '$|^auto$') }),
]);
