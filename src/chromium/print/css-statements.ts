/** Splits a style sheet into statements, including those that a browser would ignore. It takes linear time. */

export interface Declaration {
  /** Empty at the beginning of a block. */
  property: string;
  value: string;
  /** The enclosing blocks from the outside in, such as `@media print` and `@page :first`. */
  within: readonly string[];
}

/** Matches what may contain any character: comments, strings and URLs. */
const OPAQUE = /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|url\(\s*[^"'\s][^)]*\)?/gi;
const STATEMENT = /([^{};]*)([{};]|$)/g;
const DECLARATION = /^\s*([-\w]+)\s*:\s*([\s\S]*)$/;
const MAX_DEPTH = 20;

export function* readDeclarations(css: string): Generator<Declaration> {
  const within: string[] = [];
  for (const [, text = '', end] of plain(css).matchAll(STATEMENT)) {
    if (end === '{') {
      if (within.push(text.trim()) > MAX_DEPTH) return;
      yield { property: '', value: '', within: [...within] };
      continue;
    }
    const [, property, value = ''] = DECLARATION.exec(text) ?? [];
    if (property !== undefined) yield { property: property.toLowerCase(), value: value.trim(), within: [...within] };
    if (end === '}') within.pop();
  }
}

/** Whether the declaration is directly inside an `@page` rule. */
export function isOfPage({ within }: Declaration): boolean {
  return /^@page\b/i.test(within.at(-1) ?? '');
}

/** Removes comments, and replaces characters in strings and URLs that could end a statement. */
function plain(css: string): string {
  return css.replace(OPAQUE, (found) => {
    if (found.startsWith('/*')) return ' ';
    return found.replace(/^url/i.test(found) ? /[{};]/g : /[{};()]/g, ' ');
  });
}
