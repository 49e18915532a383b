/** Writes a list as Markdown: the labels and the texts of its items in, lines out. */
import { escapeMarkdown } from './inline-markdown.ts';

export interface ListItem {
  /** As it is shown, such as `1.` or `•`. */
  label: string;
  /** Markdown. */
  text: string;
  /** Whether it is a list on its own, which belongs to the item before it. */
  isList: boolean;
}

const NUMBER = /^(\d{1,9})[.):]?$/;
const NO_LETTERS = /^[^\p{L}\p{N}]*$/u;

/** `sign` follows numbers, or is that of all items. It differs from `signBefore`, that of a list just before, which it would continue. */
export function toList(
  items: readonly ListItem[],
  isNumbered: boolean,
  signBefore: string | undefined,
): { text: string; sign: string } {
  const [dash, dot] = [signBefore === '-' ? '*' : '-', signBefore === '.' ? ')' : '.'];
  const lines: string[] = [];
  for (const item of items) {
    const number = findNumber(item, isNumbered ? lines.length + 1 : undefined);
    const sign = number === undefined ? dash : `${number}${dot}`;
    lines.push(...writeItem(item, item.isList && lines.length ? ' ' : sign, number !== undefined));
  }
  return { text: lines.join('\n'), sign: lines[0]?.startsWith(dash) ? dash : dot };
}

function writeItem(item: ListItem, sign: string, isNumbered: boolean): string[] {
  const text = isNumbered ? item.text : withLetters(item);
  return text.trim() ? [`${sign} ${indent(text, sign.length + 1)}`] : [];
}

function findNumber({ label, isList }: ListItem, next: number | undefined): string | undefined {
  if (label) return NUMBER.exec(label)?.[1];
  return isList ? undefined : next?.toString();
}

/** A label such as `a)` becomes part of the text. */
function withLetters({ label, text }: ListItem): string {
  return NO_LETTERS.test(label) ? text : `${escapeMarkdown(label)} ${text}`;
}

function indent(text: string, width: number): string {
  return text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`);
}
