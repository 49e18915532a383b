/** Parses JSON: text in, its value or an error that says what is wrong at which position out. */
import { ServiceError } from './errors.ts';

/** `what` names the text in the error. Throws `invalid_json`. */
export function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the error. Only the kind of the error and the position may reach the client.
    // https://source.chromium.org/chromium/chromium/src/+/main:v8/src/json/json-parser.cc (kMaxContextCharacters)
    const { message } = error as Error;
    const position = /position (\d+)/.exec(message)?.[1];
    const [, reason] = MISTAKES.find(([start]) => message.startsWith(start)) ?? [];
    const where = position ? ` (at character ${position})` : '';
    throw new ServiceError('invalid_json', `${what} is not valid JSON${where}${reason ? `: ${reason}` : ''}`);
  }
}

/** The beginning of a message of V8, and what it says about the mistake. */
const MISTAKES: ReadonlyArray<readonly [start: string, reason: string]> = [
  ['Expected property name', 'the name of a member must be in double quotes'],
  ['Expected double-quoted', 'a comma must be followed by the name of another member, in double quotes'],
  ["Expected ','", 'a comma or a closing bracket is missing; a double quote inside a string is written as \\"'],
  ["Expected ':'", 'a colon is missing after the name of a member'],
  ['Bad control character', 'a line break inside a string is written as \\n, and a tab as \\t'],
  ['Bad escaped character', 'a backslash inside a string is written as \\\\'],
  ['Unterminated string', 'a string has no closing quote'],
  ['Unexpected end', 'the end is missing'],
  ['Unexpected non-whitespace', 'something follows the end of the object'],
  ['Unexpected token', 'a value is missing, or is neither in double quotes nor a number, true, false or null'],
];
