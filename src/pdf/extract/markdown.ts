/** Writes a tagged PDF as Markdown (https://github.github.com/gfm/): its tags and the text of its marked content in, a text out. */
import type { Glyph } from '../redact/read-content.ts';
import { isOnNewLine } from '../redact/readings.ts';
import { escapeMarkdown, fence, PLAIN, type Run, type Style, toInline, toLines, toPlain } from './inline-markdown.ts';
import { toList } from './markdown-list.ts';
import { toTable } from './markdown-table.ts';
import type { MarkedTexts } from './marked-text.ts';
import { isElement, type Tag, type TagElement } from './tags.ts';

interface Block {
  text: string;
  /** Of the items of a list. */
  sign?: string;
}

/** Elements within a line. Those that only group others are within a line if all of these are. */
const INLINE = new Set('Span Quote Reference BibEntry Code Link Annot Ruby RB RT Warichu WT WP Em Strong Sub Lbl'.split(' '));
const GROUPS = new Set(['NonStruct', 'Span', 'Annot', 'Reference']);
const HIDDEN = new Set(['Artifact', 'Private', 'RP']);
const DESCRIBED = new Set(['Figure', 'Formula']);
const NOTES = new Set(['Note', 'FENote']);
const HEADING = /^(?:H([1-6]?)|Title)$/;
const NUMBERED = 'Decimal';
const MAX_LEVEL = 6;

export function toMarkdown(kids: readonly Tag[], texts: MarkedTexts): string {
  return new MarkdownWriter(texts).write(kids);
}

class MarkdownWriter {
  readonly #texts: MarkedTexts;
  readonly #inline = new Map<TagElement, boolean>();
  readonly #notes: string[] = [];

  constructor(texts: MarkedTexts) {
    this.#texts = texts;
  }

  write(kids: readonly Tag[]): string {
    const blocks = this.#blocks(kids, 0);
    const notes = this.#notes.map((text, index) => ({ text: `[^${index + 1}]: ${text}` }));
    return joinBlocks([...blocks, ...notes]);
  }

  /** `sections` is the number of sections around them. */
  #blocks(tags: readonly Tag[], sections: number): Block[] {
    const blocks: Block[] = [];
    let runs: Run[] = [];
    let last: Glyph | undefined; // of the runs
    const flush = () => {
      const text = writeParagraph(runs);
      if (text) blocks.push({ text });
      [runs, last] = [[], undefined];
    };
    for (const tag of tags) {
      if (!this.#isInline(tag)) {
        flush();
        blocks.push(...this.#block(tag as TagElement, sections, blocks.at(-1)?.sign));
        continue;
      }
      const own = this.#runs([tag], PLAIN);
      if (isGroup(tag) && isNextLine(last, own)) flush();
      runs.push(...own);
      last = own.findLast((run) => run.last)?.last ?? last;
    }
    flush();
    return blocks;
  }

  #isInline(tag: Tag): boolean {
    if (!isElement(tag) || HIDDEN.has(tag.type)) return true;
    const known = this.#inline.get(tag);
    if (known !== undefined) return known;
    const groups = GROUPS.has(tag.type);
    const isInline = (groups || INLINE.has(tag.type)) && (!groups || tag.kids.every((kid) => this.#isInline(kid)));
    this.#inline.set(tag, isInline);
    return isInline;
  }

  #block(element: TagElement, sections: number, signBefore: string | undefined): Block[] {
    const [heading, level] = HEADING.exec(element.type) ?? [];
    if (heading) return this.#heading(element, Number(level) || Math.min(MAX_LEVEL, heading === 'H' ? sections + 1 : 1));
    switch (element.type) {
      case 'P':
        return this.#paragraph(element);
      case 'L':
      case 'TOC':
        return this.#list(element, sections, signBefore);
      case 'Table':
        return this.#table(element, sections);
      case 'BlockQuote':
        return quote(joinBlocks(this.#blocks(element.kids, sections)));
      case 'Figure':
      case 'Formula':
        return this.#described(element, sections);
      default:
        return this.#blocks(element.kids, sections + (element.type === 'Sect' ? 1 : 0));
    }
  }

  #heading(element: TagElement, level: number): Block[] {
    const text = toInline(this.#runs([element], PLAIN));
    return text ? [{ text: `${'#'.repeat(level)} ${text}` }] : [];
  }

  /** What is no text, such as a figure, follows it. */
  #paragraph(element: TagElement): Block[] {
    if (element.actualText || element.kids.every((kid) => this.#isInline(kid) || isNote(kid))) {
      const text = toInline(this.#runs([element], PLAIN));
      return text ? [{ text }] : [];
    }
    return this.#blocks(element.kids, 0);
  }

  #described(element: TagElement, sections: number): Block[] {
    if (!element.alternative) return this.#blocks(element.kids, sections);
    const captions = element.kids.filter((kid) => isElement(kid) && kid.type === 'Caption');
    return [{ text: describe(element) }, ...this.#blocks(captions, sections)];
  }

  #list(element: TagElement, sections: number, signBefore: string | undefined): Block[] {
    const isPart = (kid: Tag): kid is TagElement => isElement(kid) && kid.type !== 'Caption';
    const before = this.#blocks(
      element.kids.filter((kid) => !isPart(kid)),
      sections,
    );
    const items = element.kids.filter(isPart).map((kid) => {
      const body = isItem(kid) ? kid.kids.filter((each) => !isLabel(each)) : [kid];
      return { label: this.#label(kid), text: joinItem(this.#blocks(body, sections)), isList: kid.type === 'L' };
    });
    const { text, sign } = toList(items, element.numbering === NUMBERED, signBefore);
    return text ? [...before, { text, sign }] : before;
  }

  #label(item: TagElement): string {
    const labels = isItem(item) ? item.kids.filter(isLabel) : [];
    return toPlain(this.#runs(labels, PLAIN));
  }

  #table(element: TagElement, sections: number): Block[] {
    const captions = element.kids.filter((kid) => isElement(kid) && kid.type === 'Caption');
    const text = toTable(element, (cell) => toInline(this.#runs(cell.kids, PLAIN)));
    return [...this.#blocks(captions, sections), ...(text ? [{ text }] : [])];
  }

  #runs(tags: readonly Tag[], style: Style): Run[] {
    return tags.flatMap((tag) => (isElement(tag) ? this.#elementRuns(tag, style) : this.#contentRuns(tag.mark, style)));
  }

  #contentRuns(mark: string, style: Style): Run[] {
    const found = this.#texts.get(mark);
    return found ? [{ ...found, ...style, isMarkdown: false }] : [];
  }

  #elementRuns(element: TagElement, style: Style): Run[] {
    if (HIDDEN.has(element.type)) return [];
    if (NOTES.has(element.type)) return [this.#note(element, style)];
    const inner = this.#runs(element.kids, styleOf(element, style));
    const [first, last] = [inner.find((run) => run.first)?.first, inner.findLast((run) => run.last)?.last];
    const whole = { ...styleOf(element, style), first, last };
    if (DESCRIBED.has(element.type) && element.alternative)
      return [{ ...whole, isCode: false, text: describe(element), isMarkdown: true }];
    const runs = element.actualText ? [{ ...whole, text: element.actualText, isMarkdown: false }] : inner;
    const plain = { ...whole, first: undefined, last: undefined, isMarkdown: false };
    if (element.type === 'RT') return [{ ...plain, text: `(${toPlain(runs)})` }];
    if (element.expansion) return [...runs, { ...plain, text: ` (${element.expansion})` }];
    return this.#isInline(element) ? runs : [{ ...plain, text: ' ' }, ...runs, { ...plain, text: ' ' }];
  }

  #note(element: TagElement, style: Style): Run {
    const text = toInline(this.#runs(element.kids, PLAIN));
    const number = text ? this.#notes.push(text) : 0;
    return { ...style, isCode: false, text: text && `[^${number}]`, first: undefined, last: undefined, isMarkdown: true };
  }
}

function styleOf({ type, url }: TagElement, style: Style): Style {
  return {
    isStrong: style.isStrong || type === 'Strong',
    isEmphasized: style.isEmphasized || type === 'Em',
    isCode: style.isCode || type === 'Code',
    url: style.url || (type === 'Link' ? url : ''),
  };
}

/** Code on its own keeps its lines. */
function writeParagraph(runs: readonly Run[]): string {
  const text = runs.filter((run) => run.text.trim());
  if (!text.length || !text.every(({ isCode }) => isCode)) return toInline(runs);
  const lines = toLines(runs);
  if (!lines.includes('\n')) return toInline(runs);
  const ticks = fence(lines, 3);
  return `${ticks}\n${lines}\n${ticks}`;
}

/** There is no file to show. */
function describe({ alternative }: TagElement): string {
  return `![${escapeMarkdown(alternative.replace(/\s+/g, ' ').trim())}]()`;
}

function quote(text: string): Block[] {
  const lines = text.split('\n').map((line) => (line ? `> ${line}` : '>'));
  return text ? [{ text: lines.join('\n') }] : [];
}

function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(({ text }) => text).join('\n\n');
}

/** A list below a line needs no empty line before it. */
function joinItem(blocks: readonly Block[]): string {
  return blocks.map(({ text, sign }, index) => (index ? `${sign ? '\n' : '\n\n'}${text}` : text)).join('');
}

function isGroup(tag: Tag): boolean {
  return isElement(tag) && tag.kids.some(isElement) && tag.type === 'NonStruct';
}

/** Whether an element that groups others begins a line, as a block does. */
function isNextLine(last: Glyph | undefined, own: readonly Run[]): boolean {
  const first = own.find((run) => run.first)?.first;
  return last !== undefined && first !== undefined && isOnNewLine(last, first);
}

function isNote(tag: Tag): boolean {
  return isElement(tag) && NOTES.has(tag.type);
}

function isItem({ type }: TagElement): boolean {
  return type === 'LI' || type === 'TOCI';
}

function isLabel(tag: Tag): tag is TagElement {
  return isElement(tag) && tag.type === 'Lbl';
}
