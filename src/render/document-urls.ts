/** Finds what a document would request: HTML and the base of its relative URLs in, the absolute URLs in its markup and styles out. */
import { decodeHTMLAttribute } from 'entities';
import { readTags, type Tag } from '../chromium/load/html/html-tags.ts';
import { LINKS, LOADING, STYLING } from './request/values/external-references.ts';

/** The `rel` values of `link` elements that are loaded. */
const LOADED_LINKS = /(?:^|\s)(?:stylesheet|preload|modulepreload)(?:\s|$)/i;
/** Also matches comments, so that nothing inside them is found. */
const IN_CSS =
  /\/\*[\s\S]*?(?:\*\/|$)|(?:url|src)\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))|image-set\(\s*(?:"([^"]*)"|'([^']*)')|@import\s+(?:"([^"]*)"|'([^']*)')/gi;
/** Matches the URL of a `srcset` candidate. */
const FIRST_WORD = /[\s,]*(\S+)/y;
const MAX_FRAMES = 3;
/** Relative URLs are not found if their base is longer, because each would take time in proportion to its length. */
const MAX_BASE = 8_192;

/** Does not find URLs that scripts create. Takes linear time. Also yields `undefined` after each tag, so that callers can pause. */
export function* documentUrls(html: string, base: string | undefined, depth = 0): Generator<string | undefined> {
  let from = base;
  let own: string | undefined;
  for (const { tag, text } of readTags(html)) {
    const href = own === undefined && tag.name === 'base' ? findAttribute(tag, 'href') : undefined;
    if (href !== undefined) from = ownBase(href, base);
    own ??= href;
    yield* absolutes(findCandidates(tag), from);
    if (tag.name === 'style') yield* inCss(text, from);
    yield* documentUrls(depth < MAX_FRAMES ? framedMarkup(tag) : '', from, depth + 1);
    yield undefined;
  }
}

function ownBase(href: string, base: string | undefined): string | undefined {
  return href.length > MAX_BASE ? undefined : (absolute(href, base) ?? base);
}

/** Finds the URLs in a style sheet. */
export function inCss(css: string, base: string | undefined): Generator<string | undefined> {
  return absolutes(candidatesInCss(css), base);
}

function* absolutes(candidates: Iterable<string>, base: string | undefined): Generator<string | undefined> {
  for (const candidate of candidates) yield absolute(candidate, base);
}

function framedMarkup(tag: Tag): string {
  return (tag.name === 'iframe' && findAttribute(tag, 'srcdoc')) || '';
}

function* findCandidates(tag: Tag): Generator<string> {
  if (LINKS.includes(tag.name) || tag.name === 'base') return;
  if (tag.name === 'link' && !LOADED_LINKS.test(findAttribute(tag, 'rel') ?? '')) return;
  for (const [name, value] of tag.attributes) {
    if (STYLING.includes(name)) yield* candidatesInCss(decodeValue(value));
    else if (name.endsWith('srcset')) yield* firstWords(decodeValue(value));
    else if (LOADING.includes(name)) yield decodeValue(value);
  }
}

function* candidatesInCss(css: string): Generator<string> {
  for (const [, ...found] of css.matchAll(IN_CSS)) yield found.find((each) => each !== undefined) ?? '';
}

function* firstWords(list: string): Generator<string> {
  let from = 0;
  for (let found = matchWord(list, from); found; found = matchWord(list, from)) {
    const [, word = ''] = found;
    yield withoutCommas(word);
    const end = found.index + found[0].length;
    const comma = word.endsWith(',') ? end : list.indexOf(',', end);
    from = comma < 0 ? list.length : comma;
  }
}

/** Sets `lastIndex` each time, because other generators share the expression. */
function matchWord(list: string, from: number): RegExpExecArray | null {
  FIRST_WORD.lastIndex = from;
  return FIRST_WORD.exec(list);
}

/** Removes trailing commas. A regular expression would search for the end from each comma, in quadratic time. */
function withoutCommas(word: string): string {
  let end = word.length;
  while (word[end - 1] === ',') end--;
  return word.slice(0, end);
}

function findAttribute({ attributes }: Tag, wanted: string): string | undefined {
  const found = attributes.find(([name]) => name === wanted);
  return found && decodeValue(found[1]);
}

function decodeValue(value: string): string {
  return value.includes('&') ? decodeHTMLAttribute(value) : value;
}

/** Returns an absolute http or https URL. Undefined for other schemes, and for a relative URL without a base. */
function absolute(text: string, base: string | undefined): string | undefined {
  const url = text.trim() ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
