/** Writes the text within a paragraph as Markdown: runs of one style in, a line out. */
import { isAtWrapWithoutSpace } from '../content/word-breaks.ts';
import type { Glyph } from '../redact/read-content.ts';
import { isSpaced } from '../redact/readings.ts';

/** How a run looks. */
export interface Style {
  isStrong: boolean;
  isEmphasized: boolean;
  isCode: boolean;
  url: string;
}

export interface Run extends Style {
  /** With a line feed where a line ends. */
  text: string;
  /** Undefined for a text that is not shown. */
  first: Glyph | undefined;
  last: Glyph | undefined;
  /** Whether the text is Markdown already. */
  isMarkdown: boolean;
}

export const PLAIN: Style = { isStrong: false, isEmphasized: false, isCode: false, url: '' };
/** Links to other schemes, such as `javascript`, become text. */
const FOLLOWED = /^(?:https?|mailto|tel):/i;
const SPECIAL = /[\\`*[\]<~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#|[a-z])/giu;
/** What would begin a heading, a quotation, a list or a rule at the start of a line. */
const AT_START = /^(?:[#>+=-]|(\d{1,9})(?=[.)](?:\s|$)))/;
const NOT_IN_URL = /[\0- <>()\\|]/g;

/** A line as it is read: without breaks, and with spaces between runs that are apart. */
export function toPlain(runs: readonly Run[]): string {
  return joinRuns(runs)
    .map(({ text }) => unbroken(text))
    .join('')
    .trim();
}

/** Fit for the beginning of a block. */
export function toInline(runs: readonly Run[]): string {
  const spaced = joinRuns(runs).map((run) => ({ ...run, text: unbroken(run.text) }));
  const links = group(spaced, (one, other) => one.url === other.url);
  const line = links.map(writeLink).join('');
  const text = line.replace(/\s+/g, ' ').trim();
  return isCodeOrMarkdown(spaced) ? text : text.replace(AT_START, (start, digits) => (digits ? `${digits}\\` : `\\${start}`));
}

function isCodeOrMarkdown([first]: readonly Run[]): boolean {
  return first !== undefined && (first.isCode || first.isMarkdown);
}

/** The lines of code as they are. */
export function toLines(runs: readonly Run[]): string {
  return joinRuns(runs)
    .map(({ text }) => text)
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

export function escapeMarkdown(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

/** With a fence that is longer than any in the text. */
export function fence(text: string, least: number): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  return '`'.repeat(Math.max(least, longest + 1));
}

/** Adds spaces between runs. */
function joinRuns(runs: readonly Run[]): Run[] {
  const shown = runs.filter(({ text }) => text);
  return shown.map((run, index) => {
    const next = shown[index + 1];
    if (!next || !run.last || !next.first) return run;
    const isApart = isSpaced({ text: run.text, last: run.last }, { text: next.text, first: next.first });
    return isApart ? { ...run, text: `${run.text} ` } : run;
  });
}

/** Hyphens at the ends of lines stay, because nobody knows which belong to the word. */
function unbroken(text: string): string {
  const [first = '', ...others] = text.split('\n');
  const parts = [first];
  for (const line of others) {
    trimLast(parts);
    const [before, after] = [parts.slice(-3).join('').slice(-2), line.trimStart()];
    if (!isAtWrapWithoutSpace(before, after.slice(0, 2))) parts.push(' ');
    parts.push(after);
  }
  return parts.join('');
}

/** Removes white space at the end of all parts together, whose number may be large. */
function trimLast(parts: string[]): void {
  for (let last = parts.pop(); last !== undefined; last = parts.pop()) {
    const trimmed = last.trimEnd();
    if (!trimmed) continue;
    parts.push(trimmed);
    return;
  }
}

function writeLink(runs: readonly Run[]): string {
  const text = group(runs, isSameStyle).map(writeStyle).join('');
  const url = runs[0]?.url ?? '';
  if (!FOLLOWED.test(url) || !text.trim()) return text;
  return around(text, (inner) => `[${inner}](${url.trim().replace(NOT_IN_URL, toPercent)})`);
}

function toPercent(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
}

function isSameStyle(one: Run, other: Run): boolean {
  return one.isStrong === other.isStrong && one.isEmphasized === other.isEmphasized && one.isCode === other.isCode;
}

function writeStyle(runs: readonly Run[]): string {
  const [{ isStrong, isEmphasized, isCode }] = runs as [Run];
  const marker = `${isStrong ? '**' : ''}${isEmphasized ? '*' : ''}`;
  const text = runs.map((run) => (isCode || run.isMarkdown ? run.text : escapeMarkdown(run.text))).join('');
  return around(text, (inner) => `${marker}${isCode ? writeCode(inner) : inner}${marker}`);
}

function writeCode(text: string): string {
  const ticks = fence(text, 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${text}${space}${ticks}`;
}

/** Leaves white space outside. */
function around(text: string, write: (inner: string) => string): string {
  const inner = text.trim();
  if (!inner) return text;
  const from = text.indexOf(inner);
  return text.slice(0, from) + write(inner) + text.slice(from + inner.length);
}

function group(runs: readonly Run[], belongs: (one: Run, other: Run) => boolean): Run[][] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last && belongs(last[0] as Run, run)) last.push(run);
    else groups.push([run]);
  }
  return groups;
}
