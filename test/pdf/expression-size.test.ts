/** Estimated sizes of expressions beside those of the programs that RE2 makes of them. */
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { expressionSize, MAX_EXPRESSION_SIZE } from '../../src/pdf/redact/expression-size.ts';

test.each([
  '(?:[a-z]{1,10}[ -]){1,8}(?:[a-z]{1,10}[ -]){1,8}(?:[a-z]{1,10}){1,8}',
  '(\\+\\d{1,3})?[ -]?(\\(\\d{2,5}\\))?[ -]?(\\d{2,4}){2,4}([ -]\\d{1,4}){0,3}',
  '(?P<name>(?:a{1,3}){1,3}){30}',
  '[[:alpha:])(]{30}',
  '[])(]{30}',
  '[^]A-[:alpha:]]{30}',
  '(?:[\\x{5b}-\\]]x){30}',
  '\\Q(((\\E{30}',
  '(a\\(\\x{28}){30}',
  'a{1,20}(?i){30}',
  'a{1,20}(?iiiiii){30}',
  'a{1,20}\\Q\\E{30}',
])('the size of %s is neither too small nor much too large', (expression) => {
  const size = expressionSize(expression);
  const actual = RE2JS.compile(expression).programSize();
  expect(size).toBeGreaterThan(actual / 2);
  expect(size).toBeLessThan(actual * 16);
});

test('several counted groups beside each other are added up', () => {
  const expression = Array(8).fill('(?:[A-Z]{1,10} ){1,10}').join('');
  expect(expressionSize(expression)).toBeLessThan(MAX_EXPRESSION_SIZE);
});
