/**
 * Attacks a regular expression with texts made of what it matches itself: each part that may repeat, and what precedes it, over and
 * over, with an end that does not match. V8 runs it, so that the search for a start, lookbehinds and global matching count.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** How often a quantifier must be able to repeat its part to be of interest. */
const MANY = 50;
const CHARACTERS = [...'a0 \t\n"\'<>/\\=:;,.-_({[]})%&#@!*\0'];
const MISMATCH = '\0';
/** Processor time in microseconds: what is allowed for any text, and for each of its characters. */
const ALLOWED_US = 5_000;
const ALLOWED_US_PER_CHARACTER = 1;
/** A text of the length before the last that takes less than this is not tried with more characters. */
const UNSUSPICIOUS_US = 1_000;
/** Each is little more than the one before, because the time of some expressions grows with the cube, or exponentially. */
const LENGTHS = [10, 14, 18, 22, 26, 30, 40, 80, 120, 160, 200, 240, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000];

/** Returns the beginning of a text for which the expression takes too much time, if there is one. */
export function slowText(source: string, flags: string): string | undefined {
  const expression = new RegExp(source, flags);
  const attacks = attacksOn(source, flags);
  const slow = [...attacks].find((attack) => {
    for (const length of LENGTHS) {
      const spentUs = leastTime(expression, attack(length));
      if (spentUs > ALLOWED_US + length * ALLOWED_US_PER_CHARACTER) return true;
      if (length >= 30_000 && spentUs < UNSUSPICIOUS_US) return false;
    }
    return false;
  });
  return slow?.(40);
}

type Attack = (length: number) => string;

/** Another process or the garbage collector may have delayed one of the runs. */
function leastTime(expression: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least > UNSUSPICIOUS_US; run++) {
    const before = process.threadCpuUsage();
    matchAll(expression, text);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

function matchAll(expression: RegExp, text: string): void {
  let from = 0;
  do {
    expression.lastIndex = from;
    if (!expression.test(text)) return;
    from = Math.max(expression.lastIndex, from + 1);
  } while ((expression.global || expression.sticky) && from < text.length);
}

function attacksOn(source: string, flags: string): Iterable<Attack> {
  const parser = new RegExpParser();
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const found = new Map<string, Attack>();
  const add = (start: string, pump: string) => {
    const end = pump.includes(MISMATCH) ? '' : MISMATCH;
    if (pump) found.set(JSON.stringify([start, pump]), (length) => start + pump.repeat(length / pump.length) + end);
  };
  visitRegExpAST(pattern, {
    onQuantifierEnter(node) {
      if (node.max < MANY) return;
      for (const before of [textBefore(node, 0), textBefore(node, 1)]) {
        add('', before);
        for (const text of textsOf(node.element, flags)) {
          add('', text);
          add(before, text);
          add('', before + text);
        }
      }
    },
  });
  return found.values();

  /** A text that what precedes a part may match, where parts that may be absent are present `optional` times. */
  function textBefore(node: AST.Node, optional: number): string {
    const { parent } = node;
    if (!parent) return '';
    const preceding = parent.type === 'Alternative' ? parent.elements.slice(0, parent.elements.indexOf(node as AST.Element)) : [];
    const text = preceding.map((each) => textOf(each, flags, optional)).join('');
    return textBefore(parent, optional) + text;
  }
}

/** A text that the part matches. */
function textOf(node: AST.Element, flags: string, optional: number): string {
  if (node.type === 'Quantifier') return textOf(node.element, flags, optional).repeat(Math.max(node.min, optional));
  if (node.type !== 'Group' && node.type !== 'CapturingGroup') return textsOf(node, flags)[0] ?? '';
  return (node.alternatives[0]?.elements ?? []).map((each) => textOf(each, flags, optional)).join('');
}

/** Several texts that the part matches: characters of a class, and each alternative of a group. */
function textsOf(node: AST.Element, flags: string): string[] {
  if (node.type === 'Character') return [String.fromCodePoint(node.value)];
  if (node.type === 'Group' || node.type === 'CapturingGroup')
    return node.alternatives.map(({ elements }) => elements.map((each) => textOf(each, flags, 1)).join(''));
  if (node.type !== 'CharacterClass' && node.type !== 'CharacterSet' && node.type !== 'ExpressionCharacterClass') return [];
  const wanted = new RegExp(`^${node.raw}$`, flags.replace(/[gy]/g, ''));
  return CHARACTERS.filter((each) => wanted.test(each));
}
