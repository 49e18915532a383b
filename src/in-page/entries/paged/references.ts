/**
 * Shows in generated content what is elsewhere in the document: its page number, its text, its counters; and fills lines with leaders.
 */
import { quote } from '../../contract/css-string.ts';
import { ALL_PAGES, MAX_PAGED_TEXT, type PagedElements, THIS_ELEMENT } from '../../contract/paged.ts';
import type { Changes } from '../../dom/changes.ts';
import type { Destinations } from '../../dom/destinations.ts';
import { elementName } from '../../dom/names.ts';
import { call, read, readAttribute } from '../../dom/nodes.ts';
import { selectIn } from '../../dom/roots.ts';
import { decodeFragment } from '../decode-fragment.ts';
import { type ContentPart, parseContent } from './content-list.ts';
import { contentText, elementText } from './content-text.ts';
import { type Snapshot, writeCounter } from './counters.ts';
import { isInMargin } from './fixed-in-margins.ts';
import { type LeaderBox, leaderText, showLeaders } from './leaders.ts';
import { findStyled, PSEUDOS, type Pseudo, readProperty } from './styled-elements.ts';

/** A part of generated content: as CSS writes it and as it is shown, the number of a page, or a leader. */
type Piece = { css: string; text: string } | { reference: number } | { leader: string };

interface GeneratedContent {
  element: HTMLElement;
  pseudo: Pseudo;
  parts: ContentPart[];
}

interface PreparedContent extends Omit<GeneratedContent, 'parts'> {
  pieces: Piece[];
}

const TARGETS = /(?<![\w-])(?:target-(?:counters?|text)|leader)\(/i;
/** What is shown until the page is known. */
const UNKNOWN = '00';
/** In the first layer, `!important` precedes that of the document. */
export const REFERENCE_RULES = `@layer platen { ${['before', 'after', 'marker']
  .map((side) => `[data-platen-${side}]::${side} { content: var(--platen-shown-${side}) !important }`)
  .join(' ')} }`;

export function findGenerated(): GeneratedContent[] {
  return findStyled(/--platen-content/).flatMap((element) =>
    PSEUDOS.flatMap((pseudo) => {
      const value = readProperty(element, '--platen-content', pseudo);
      return TARGETS.test(value) ? [{ element, pseudo, parts: parseContent(value) }] : [];
    }),
  );
}

/** The elements to which generated content refers, by the URLs with which it does. */
export function findTargets(generated: readonly GeneratedContent[]): Map<string, Element | null> {
  const targets = new Map<string, Element | null>();
  const anchors = findAnchors();
  for (const { parts } of generated)
    for (const part of parts)
      if (part.kind === 'call' && part.name.startsWith('target-'))
        targets.set(addressOf(part), findTarget(addressOf(part), anchors));
  return targets;
}

/** The elements with a leader, whose room depends on the counters beside it. */
export function findLed(generated: readonly GeneratedContent[]): Element[] {
  const isLeader = (part: ContentPart) => part.kind === 'call' && part.name === 'leader';
  return generated.filter(({ parts }) => parts.some(isLeader)).map(({ element }) => element);
}

/** The first anchor of each name. */
function findAnchors(): Map<string, Element> {
  const anchors = [...selectIn(document, 'a[name]')].reverse();
  return new Map(anchors.map((anchor) => [readAttribute(anchor, 'name') ?? '', anchor]));
}

export class References {
  readonly #prepared: PreparedContent[];
  readonly #changes: Changes;
  readonly references: PagedElements['references'] = [];
  readonly missing: PagedElements['missing'] = [];

  constructor(
    generated: readonly GeneratedContent[],
    targets: ReadonlyMap<string, Element | null>,
    counters: ReadonlyMap<Element, Snapshot>,
    destinations: Destinations,
    changes: Changes,
  ) {
    this.#changes = changes;
    const prepare = (part: ContentPart, element: Element): Piece => {
      if (part.kind === 'call' && part.name === 'leader') return { leader: leaderText(part.args[0] ?? '') };
      if (part.kind === 'call' && part.name.startsWith('target-')) return prepareTarget(part, element);
      return { css: part.written, text: contentText([part], element, counters.get(element)) };
    };
    const prepareTarget = (part: ContentPart & { kind: 'call' }, element: Element): Piece => {
      const address = addressOf(part);
      if (address === THIS_ELEMENT) {
        if (isRunning(element) || isInMargin(element)) return toCounter(part);
        return part.args[1] === 'pages' ? toNumber(ALL_PAGES, part.args[2], element) : refer(part, element, element);
      }
      const target = targets.get(address);
      if (target) return refer(part, target, element);
      return miss(address, element);
    };
    const miss = (address: string, element: Element): Piece => {
      this.missing.push({ to: address.slice(0, MAX_PAGED_TEXT), element: elementName(element) });
      return fixedText('');
    };
    const refer = (part: ContentPart & { kind: 'call' }, target: Element, element: Element): Piece => {
      const [, what = '', ...more] = part.args;
      if (part.name === 'target-text') return fixedText(elementText(target, what || 'content', counters.get(target)));
      if (what !== 'page') return fixedText(writeCounter(part.name, part.args.slice(1), counters.get(target)));
      const shown = target === element ? element : findShown(target);
      return shown ? toNumber(destinations.mark(shown), more.at(-1), element) : miss(addressOf(part), element);
    };
    const toNumber = (to: string, style = 'decimal', element: Element): Piece => {
      const reference = { to, style: style.slice(0, MAX_PAGED_TEXT), element: elementName(element) };
      return { reference: this.references.push(reference) - 1 };
    };
    this.#prepared = generated.map(({ parts, ...rest }) => ({
      ...rest,
      pieces: parts.map((part) => prepare(part, rest.element)),
    }));
    for (const { element, pseudo } of this.#prepared) changes.setAttribute(element, `data-platen-${pseudo.slice(2)}`, '');
  }

  /** Shows these page numbers, in the order of `references`. */
  show(numbers: readonly string[]): void {
    const leaders = this.#prepared.flatMap((content): LeaderBox[] => {
      const { element, pseudo, pieces } = content;
      const compositionWith = (text: string) => compose(pieces, numbers, text);
      const textWith = (text: string) => composeText(pieces, numbers, text);
      write(content, compositionWith('\u00A0'));
      const pattern = pieces.flatMap((piece) => ('leader' in piece ? piece.leader : []))[0];
      if (pattern === undefined) return [];
      return [{ element, pseudo, pattern, compositionWith, textWith, write: (css) => write(content, css) }];
    });
    showLeaders(leaders, this.#changes);
  }
}

function fixedText(text: string): Piece {
  return { css: quote(text), text };
}

function toCounter({ args }: ContentPart & { kind: 'call' }): Piece {
  return { css: `counter(${args.slice(1).join()})`, text: UNKNOWN };
}

/** Whether an element is shown in margin boxes, where a counter has the number of the page. */
function isRunning(element: Element): boolean {
  for (let around: Element | null = element; around; around = read(around, 'parentElement'))
    if (readProperty(around, '--platen-position').startsWith('running(')) return true;
  return false;
}

/** The generated content as CSS writes it. */
function compose(pieces: readonly Piece[], numbers: readonly string[], leader: string): string {
  return pieces.map((piece) => ('css' in piece ? piece.css : quote(composeText([piece], numbers, leader)))).join(' ');
}

/** The generated content as a reader sees it. */
function composeText(pieces: readonly Piece[], numbers: readonly string[], leader: string): string {
  const texts = pieces.map((piece) => {
    if ('text' in piece) return piece.text;
    return 'leader' in piece ? leader : (numbers[piece.reference] ?? UNKNOWN);
  });
  return texts.join('');
}

function write({ element, pseudo }: PreparedContent, css: string): void {
  read(element, 'style').setProperty(`--platen-shown-${pseudo.slice(2)}`, css);
}

function addressOf(part: ContentPart & { kind: 'call' }): string {
  const [first] = parseContent(part.args[0] ?? '');
  if (first?.kind === 'string') return first.text;
  return first?.kind === 'call' ? (first.args[0] ?? '').replace(/^["']|["']$/g, '') : (first?.written ?? '');
}

/** Returns null if the URL does not lead into the document. */
function findTarget(address: string, anchors: ReadonlyMap<string, Element>): Element | null {
  const [page, ...after] = address.split('#');
  const fragment = after.join('#');
  const [here] = read(document, 'URL').split('#');
  const isHere = !page || page === here || URL.parse(page, read(document, 'baseURI'))?.href === here;
  if (!fragment || !isHere) return null;
  const byId = (id: string) => Document.prototype.getElementById.call(document, id);
  return byId(fragment) ?? byId(decodeFragment(fragment)) ?? anchors.get(fragment) ?? null;
}

/** The element, or the first in it if it has no box of its own. Null if nothing of it is shown. */
function findShown(element: Element): Element | null {
  const isShown = (each: Element) => call(each, 'checkVisibility') && call(each, 'getClientRects').length > 0;
  if (isShown(element)) return element;
  return getComputedStyle(element).display === 'contents' ? ([...selectIn(element, '*')].find(isShown) ?? null) : null;
}
