/** Splits a style sheet into statements, including those that a browser would ignore. It takes linear time. */

export interface Declaration {
  /** Empty at the beginning of a block. */
  property: string;
  value: string;
  /** The enclosing blocks from the outside in, such as `@media print` and `@page :first`. */
  within: readonly string[];
  /** The value and the enclosing blocks as they are written, with comments and everything in strings. */
  written: { value: string; within: readonly string[] };
}

/** Matches what may contain any character: comments, strings and URLs. */
const OPAQUE = /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|url\(\s*[^"'\s][^)]*\)?/gi;
const STATEMENT = /([^{};]*)([{};]|$)/g;
const DECLARATION = /^\s*([-\w]+)\s*:\s*([\s\S]*)$/;
const MAX_DEPTH = 20;
/** The blocks around a declaration are read again for each declaration. In style sheets that people write, all are as long as the sheet. */
const MAX_ENCLOSING = { characters: 100_000, perCharacter: 4 };

export function* readDeclarations(css: string): Generator<Declaration> {
  let left = Math.max(MAX_ENCLOSING.characters, MAX_ENCLOSING.perCharacter * css.length);
  for (const declaration of readAll(css)) {
    left -= declaration.within.reduce((sum, block) => sum + block.length, 0);
    if (left < 0) return;
    yield declaration;
  }
}

function* readAll(css: string): Generator<Declaration> {
  const within: string[] = [];
  const writtenWithin: string[] = [];
  for (const { 1: text = '', 2: end, index } of plain(css).matchAll(STATEMENT)) {
    const written = (part: string) => css.slice(index + text.length - part.length, index + text.length).trim();
    if (end === '{') {
      if (within.push(text.trim()) > MAX_DEPTH) return;
      writtenWithin.push(written(text));
      yield { property: '', value: '', within: [...within], written: { value: '', within: [...writtenWithin] } };
      continue;
    }
    const [, property, value = ''] = DECLARATION.exec(text) ?? [];
    if (property !== undefined) {
      const asWritten = { value: written(value), within: [...writtenWithin] };
      yield { property: property.toLowerCase(), value: value.trim(), within: [...within], written: asWritten };
    }
    if (end === '}') {
      within.pop();
      writtenWithin.pop();
    }
  }
}

/** Whether the declaration is directly inside an `@page` rule. */
export function isOfPage({ within }: Declaration): boolean {
  return /^@page\b/i.test(within.at(-1) ?? '');
}

/** A rule in these blocks, of which there may be none. */
export function ruleWithin(blocks: readonly string[], rule: string): string {
  return `${blocks.map((block) => `${block} { `).join('')}${rule}${' }'.repeat(blocks.length)}`;
}

/** Blanks comments, and characters in strings and URLs that could end a statement, without changing any position. */
function plain(css: string): string {
  return css.replace(OPAQUE, (found) => {
    if (found.startsWith('/*')) return ' '.repeat(found.length);
    return found.replace(/^url/i.test(found) ? /[{};]/g : /[{};()]/g, ' ');
  });
}
