/** Makes a table of contents from headings. Its page numbers are references like any other. */
import { type ContentsOrder, SHOWN_STYLE } from '../../contract/paged.ts';
import type { Changes } from '../../dom/changes.ts';
import { createHtml } from '../../dom/create-html.ts';
import { call, findClosest, findFirst, read, readName, writeAttribute } from '../../dom/nodes.ts';
import { isSelector } from '../elements.ts';
import { elementText } from './content-text.ts';

const MAX_ENTRIES = 20_000;
/** Rules of the document precede those in a layer. */
export const CONTENTS_RULES = `@layer platen-toc {
  .platen-toc { display: block }
  .platen-toc-page { break-after: page }
  .platen-toc-title { font-size: 1.5em; font-weight: bold; margin: 0 0 0.8em }
  .platen-toc ol { list-style: none; margin: 0; padding: 0 }
  .platen-toc ol ol { padding-inline-start: 1.5em }
  .platen-toc li { margin: 0.3em 0; break-inside: avoid }
  .platen-toc a { color: inherit; text-decoration: none }
  .platen-toc a::after { --platen-content: leader(".") " " target-counter(attr(href), page, ${SHOWN_STYLE}) }
}`;

/** Returns the name of a selector that is none, or that has no element. Without headings, `empty`, and nothing is added. */
export function addContents(
  { selector, title, depth, place }: ContentsOrder,
  key: string,
  changes: Changes,
): 'place' | 'selector' | 'empty' | undefined {
  if (!isSelector(selector)) return 'selector';
  const around = place ? isSelector(place) && findFirst(document as never, place) : read(document, 'body');
  if (!around) return 'place';
  const headings = [...call(document, 'querySelectorAll', selector)]
    .filter((each) => call(each, 'checkVisibility') && !findClosest(each, '.platen-toc'))
    .slice(0, MAX_ENTRIES);
  if (!headings.length) return 'empty';
  const nav = create('nav', `platen-toc${place ? '' : ' platen-toc-page'}`);
  nav.setAttribute('role', 'doc-toc');
  if (title) {
    const name = create('p', 'platen-toc-title');
    name.textContent = title;
    nav.append(name);
  }
  addEntries(nav, headings, depth, key, changes);
  call(around, place ? 'append' : 'prepend', nav);
  changes.add(() => nav.remove());
  return undefined;
}

/** Levels are those of the headings, without gaps. */
function addEntries(nav: HTMLElement, headings: readonly Element[], depth: number, key: string, changes: Changes): void {
  const lists: Array<{ level: number; list: HTMLElement }> = [];
  let named = 0;
  for (const heading of headings) {
    const level = headingLevel(heading);
    while (levelOf(lists) > level) lists.pop();
    const isDeeper = level > levelOf(lists);
    if (isDeeper && lists.length >= depth) continue;
    if (isDeeper) lists.push({ level, list: appendList(lists.at(-1)?.list.lastElementChild ?? nav) });
    if (!read(heading, 'id')) changes.setAttribute(heading, 'id', `${key}toc-${++named}`);
    lists.at(-1)?.list.append(createEntry(heading));
  }
}

function levelOf(lists: ReadonlyArray<{ level: number }>): number {
  return lists.at(-1)?.level ?? 0;
}

function appendList(around: Element): HTMLElement {
  const list = create('ol');
  around.append(list);
  return list;
}

function createEntry(heading: Element): HTMLElement {
  const item = create('li');
  const link = create('a');
  link.setAttribute('href', `#${encodeURIComponent(read(heading, 'id'))}`);
  link.textContent = elementText(heading, 'text', undefined);
  item.append(link);
  return item;
}

function headingLevel(heading: Element): number {
  const [, digit] = /^h([1-6])$/.exec(readName(heading)) ?? [];
  return Number(digit ?? call(heading, 'getAttribute', 'aria-level') ?? 1) || 1;
}

function create(name: string, className = ''): HTMLElement {
  const element = createHtml(name);
  if (className) writeAttribute(element, 'class', className);
  return element;
}
