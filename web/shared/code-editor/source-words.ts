/** Finds the words of a source that a reader of the document can see, with their places. */
import { htmlLanguage } from '@codemirror/lang-html';
import { jsonLanguage } from '@codemirror/lang-json';
import type { Language } from '@codemirror/language';
import type { SyntaxNode } from '@lezer/common';
import { normalize, WORD } from '../words.ts';

export interface SourceWord {
  text: string;
  from: number;
  to: number;
}

/** Without the title, names of elements, attributes, comments, styles and scripts. */
export const htmlWords = (source: string): SourceWord[] => wordsIn(source, htmlLanguage, ['Text']);
/** The words of the values, without the names of members. */
export const jsonWords = (source: string): SourceWord[] => wordsIn(source, jsonLanguage, ['String', 'Number']);

/** All words, for a source whose marks are not words, such as Markdown. */
export function plainWords(source: string, from = 0): SourceWord[] {
  return [...source.matchAll(WORD)].map(({ 0: text, index }) => ({
    text: normalize(text),
    from: from + index,
    to: from + index + text.length,
  }));
}

function wordsIn(source: string, { parser }: Language, kinds: string[]): SourceWord[] {
  const words: SourceWord[] = [];
  parser.parse(source).iterate({
    enter({ name, from, to, node }) {
      if (!kinds.includes(name) || isTitle(node.parent, source)) return;
      words.push(...plainWords(source.slice(from, to), from));
    },
  });
  return words;
}

function isTitle(element: SyntaxNode | null, source: string): boolean {
  const name = element?.getChild('OpenTag')?.getChild('TagName');
  return name !== null && name !== undefined && source.slice(name.from, name.to).toLowerCase() === 'title';
}
