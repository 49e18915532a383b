/** Reads a style sheet as a parser sees it, before it drops what it does not know: text in, statements out. Linear in time. */

export interface Declaration {
  /** Empty where a block begins. */
  property: string;
  value: string;
  /** What it stands in, from the outside in, such as `@media print` and `@page :first`. */
  within: readonly string[];
}

/** What may hold any mark: comments, strings, addresses. */
const OPAQUE = /\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|url\(\s*[^"'\s][^)]*\)?/gi;
const STATEMENT = /([^{};]*)([{};]|$)/g;
const DECLARATION = /^\s*([-\w]+)\s*:\s*([\s\S]*)$/;
const MAX_DEPTH = 20;

export function* declarationsIn(css: string): Generator<Declaration> {
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

/** Whether it is a declaration of an `@page` rule itself. */
export function isOfPage({ within }: Declaration): boolean {
  return /^@page\b/i.test(within.at(-1) ?? '');
}

/** Without comments, and with nothing in strings and addresses that looks like the end of something. */
function plain(css: string): string {
  return css.replace(OPAQUE, (found) => {
    if (found.startsWith('/*')) return ' ';
    return found.replace(/^url/i.test(found) ? /[{};]/g : /[{};()]/g, ' ');
  });
}
