/** The pages know each kind of warning. */
import { expect, test } from 'vitest';
import { WARNINGS } from '../../src/render/request/schemas/warnings.ts';
import { WARNING_TITLES } from '../../web/shared/warning-titles.ts';

test('each kind of warning has a title', () => {
  expect(Object.keys(WARNING_TITLES).sort()).toEqual(Object.keys(WARNINGS).sort());
});
