/** The pattern for page ranges in the OpenAPI document accepts exactly what the parser accepts. */
import { expect, test } from 'vitest';
import { PageRanges } from '../../src/render/request/schemas/page-ranges-schema.ts';
import { parsePageRanges } from '../../src/render/request/values/page-ranges.ts';
import { ValidationErrors } from '../../src/render/request/values/validation-errors.ts';

const pattern = new RegExp((PageRanges as unknown as { 'x-pattern': string })['x-pattern']);

function isAccepted(ranges: string): boolean {
  const errors = new ValidationErrors();
  parsePageRanges('pageRanges', ranges, errors);
  try {
    errors.throwIfAny();
    return true;
  } catch {
    return false;
  }
}

test.each(['', ' ', '1', '1-3', '1-3, 5, 8-', '-2', ' - 2 ', '1 0', '01', '0 1-1\t', '8 -, 9'])(
  'accepts %j as page ranges',
  (ranges) => {
    expect([isAccepted(ranges), pattern.test(ranges)]).toEqual([true, true]);
  },
);

test.each(['0', '00', '-0', '1-0', '0-1', '1,', ',1', '1,,2', '1--2', '-', 'a', '1-2-3', '1;2', ' ,1'])(
  'rejects %j as page ranges',
  (ranges) => {
    expect([isAccepted(ranges), pattern.test(ranges)]).toEqual([false, false]);
  },
);
