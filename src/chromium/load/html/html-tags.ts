/**
 * Reads the tags of markup, as the tokenizer of the HTML standard does (13.2.5:
 * https://html.spec.whatwg.org/multipage/parsing.html). It moves only forward, so that it takes linear time for any text.
 */

export interface Tag {
  /** In lower case, as those of attributes. */
  name: string;
  attributes: Array<[name: string, value: string]>;
}

interface TagAt extends Tag {
  closes: boolean;
  end: number;
}

/** Matches the end of a comment that is not just `<!-->` or `<!--->`. */
const COMMENT_END = /--!?>/g;
const OPENING = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const BETWEEN_ATTRIBUTES = /[\t\n\f\r /]*/y;
const ATTRIBUTE_NAME = /([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*/y;
const ATTRIBUTE_VALUE = /=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)|(?=>))/y;
/** Elements whose content is text up to their end tag, even if it looks like tags. */
const TEXT_ENDS = new Map(
  ['style', 'script', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'].map((name) => [
    name,
    new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi'),
  ]),
);

/** More attributes of one tag are not returned. */
const MAX_ATTRIBUTES = 10_000;

/** A start tag with its text if its content is text. The text begins where the tag ends. */
export interface TagWithText {
  tag: Tag;
  text: string;
  start: number;
  end: number;
}

/** Returns the start tags in order. A tag that does not end is none. */
export function* readTags(html: string): Generator<TagWithText> {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const [tag, start] = [readTag(html, at), at];
    at = afterMarkup(html, at) ?? (tag ? tag.end : at + 1);
    if (!tag || tag.closes || at === Number.POSITIVE_INFINITY) continue;
    at = textEnd(html, tag);
    yield { tag, text: html.slice(tag.end, at), start, end: tag.end };
  }
}

/**
 * Returns what is written in all tags of an element, and more: everything from its name to the next `>`, wherever that is, counts as
 * a tag.
 */
export function textInTags(html: string, name: string): string {
  const opening = new RegExp(`<${name}`, 'gi');
  const texts: string[] = [];
  while (opening.test(html)) {
    const start = opening.lastIndex;
    const end = html.indexOf('>', start);
    opening.lastIndex = end < 0 ? html.length : end;
    texts.push(html.slice(start, opening.lastIndex));
  }
  return texts.join('>');
}

/** Returns the text of all style sheets in the markup. */
export function styleText(html: string): string {
  const [, ...starts] = html.split(/<style/i);
  return starts.map((start) => start.split(/<\/style/i, 1)).join('\n');
}

/** Returns the end of the comment that starts here, or Infinity if it does not end. */
function afterComment(html: string, start: number): number {
  const abrupt = ['<!-->', '<!--->'].find((empty) => html.startsWith(empty, start));
  if (abrupt) return start + abrupt.length;
  COMMENT_END.lastIndex = start + '<!--'.length;
  return COMMENT_END.exec(html) ? COMMENT_END.lastIndex : Number.POSITIVE_INFINITY;
}

/**
 * Returns the end of a comment, a doctype, or markup that the parser treats as a comment, or Infinity if it does not end. Undefined
 * if none starts here.
 */
export function afterMarkup(html: string, at: number): number | undefined {
  if (html.startsWith('<!--', at)) return afterComment(html, at);
  if (html.startsWith('</>', at)) return at + '</>'.length;
  return /^(?:<[!?]|<\/[^a-z])/i.test(html.slice(at, at + 3)) ? html.indexOf('>', at) + 1 || Number.POSITIVE_INFINITY : undefined;
}

/** Returns the tag that starts here. Its end is Infinity if it does not end; the parser then ignores it. */
export function readTag(html: string, at: number): TagAt | undefined {
  OPENING.lastIndex = at;
  const [, slash, name] = OPENING.exec(html) ?? [];
  if (!name) return undefined;
  return { name: name.toLowerCase(), closes: slash !== '', ...readAttributes(html, OPENING.lastIndex) };
}

function readAttributes(html: string, start: number): Pick<TagAt, 'attributes' | 'end'> {
  const attributes: Tag['attributes'] = [];
  for (let at = start; ; ) {
    match(BETWEEN_ATTRIBUTES, html, at);
    at = BETWEEN_ATTRIBUTES.lastIndex;
    if (html[at] === '>') return { attributes, end: at + 1 };
    const found = readAttribute(html, at);
    if (!found) return { attributes, end: Number.POSITIVE_INFINITY };
    if (attributes.length < MAX_ATTRIBUTES) attributes.push([found.name, found.value]);
    at = found.end;
  }
}

function readAttribute(html: string, at: number): { name: string; value: string; end: number } | undefined {
  const [, written] = match(ATTRIBUTE_NAME, html, at) ?? [];
  if (!written) return undefined;
  const name = written.toLowerCase();
  const end = ATTRIBUTE_NAME.lastIndex;
  if (html[end] !== '=') return { name, value: '', end };
  const values = match(ATTRIBUTE_VALUE, html, end);
  return values ? { name, value: values[1] ?? values[2] ?? values[3] ?? '', end: ATTRIBUTE_VALUE.lastIndex } : undefined;
}

function textEnd(html: string, { name, end }: TagAt): number {
  const pattern = TEXT_ENDS.get(name);
  return pattern ? (match(pattern, html, end)?.index ?? html.length) : end;
}

/** Sets `lastIndex` each time, because other generators share the expressions. */
function match(pattern: RegExp, html: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(html);
}
