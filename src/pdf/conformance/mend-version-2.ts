/**
 * Mends what PDF/UA-2 asks of tags beyond PDF/UA-1 (ISO 14289-2 and ISO/TS 32005): text stands in paragraphs, decoration is an
 * artifact, and elements stand in one another as PDF 2.0 allows. What is said stays the same.
 */
import { PdfArray, PdfDict, PdfName } from '@libpdf/core';
import { FRAMES, GROUPS, INLINE, IN_LINE, isForbidden, isTransparent, lesserType } from './nesting.ts';
import { type PaintedContent, paintedKey } from './painted-content.ts';
import { isAnnotation, type Leaf, StructureElement } from './structure-element.ts';
import type { StructureTree } from './structure-tree.ts';

type Kid = StructureElement['kids'][number];

/** Returns the elements that stand where they may not. */
export function mendVersion2(tree: StructureTree, painted: PaintedContent): StructureElement[] {
  const mending = new Mending(tree, painted);
  tree.setVersion2Type(tree.document, 'Document');
  const elements = [...tree.elements()];
  for (const element of elements) if (element.type === 'Aside') tree.setVersion2Type(element, 'Aside');
  for (const element of elements) if (element.type === 'Ruby') mending.splitRuby(element);
  for (const element of elements) if (element.type === 'L') mending.numberList(element);
  mending.openLines(elements);
  return mending.nest();
}

class Mending {
  readonly #tree: StructureTree;
  readonly #painted: PaintedContent;
  /** Whether an element is a part of a line of text. */
  readonly #inLine = new Map<StructureElement, boolean>();

  constructor(tree: StructureTree, painted: PaintedContent) {
    this.#tree = tree;
    this.#painted = painted;
  }

  /** Each base has a ruby of its own, with all that is said of it. */
  splitRuby(ruby: StructureElement): void {
    const pairs: Array<{ base: Kid[]; text: StructureElement[] }> = [];
    for (const kid of ruby.kids) {
      const isText = kid instanceof StructureElement && kid.type === 'RT';
      const last = pairs.at(-1);
      if (isText && last) last.text.push(kid);
      else if (last && !last.text.length) last.base.push(kid);
      else pairs.push({ base: [kid], text: [] });
    }
    const parts = pairs.flatMap(({ base, text }) => this.#rubyParts(base, text));
    const [first, ...others] = parts.map((part) => (Array.isArray(part) ? part : [part]));
    const parent = ruby.parent;
    if (!first || !parent) return;
    if (first.length === 2) ruby.replaceKids(first);
    else {
      ruby.type = 'Span';
      ruby.replaceKids(first);
    }
    const after = others.map((kids) => this.#tree.create(kids.length === 2 ? 'Ruby' : 'Span', kids));
    if (after.length) parent.replaceKids(parent.kids.flatMap((kid) => (kid === ruby ? [kid, ...after] : [kid])));
  }

  /** The base and its text; the base alone where nothing is said of it. */
  #rubyParts(base: Kid[], [text, ...more]: StructureElement[]): Kid[][] {
    if (!text) return [base];
    if (more.length) text.replaceKids([...text.kids, ...more.flatMap(({ kids }) => kids)]);
    return [[this.#tree.create('RB', base), text]];
  }

  /** Where Chromium does not know how items are numbered, their labels tell whether they are. */
  numberList(list: StructureElement): void {
    const labels = list.elements.flatMap((item) => item.elements.filter(({ type }) => type === 'Lbl'));
    const attributes = attributesOf(list);
    const isKnown = attributes.some((attribute) => !isNone(attribute.get('ListNumbering')) && attribute.has('ListNumbering'));
    if (!labels.length || isKnown) return;
    const texts = new Set(labels.map((label) => this.#codesOf(label)));
    const numbering = PdfDict.of({ O: PdfName.of('List'), ListNumbering: PdfName.of(texts.size > 1 ? 'Ordered' : 'Unordered') });
    list.set('A', PdfArray.of(...attributes.filter((attribute) => !attribute.has('ListNumbering')), numbering));
  }

  #codesOf(element: StructureElement): string {
    const parts = element.kids.map((kid) =>
      kid instanceof StructureElement ? this.#codesOf(kid) : (this.#paintedBy(kid, element)?.codes ?? ''),
    );
    return parts.join('');
  }

  #paintedBy(leaf: Leaf, parent: StructureElement) {
    const { holder, mcid } = this.#tree.placeOf(leaf, parent);
    return holder && this.#painted.get(paintedKey(holder.objectNumber, mcid));
  }

  /** A paragraph or an emphasis around blocks is a plain group. */
  openLines(elements: StructureElement[]): void {
    const inside = new Map<StructureElement, Set<string>>();
    for (const element of elements.toReversed()) {
      const types = new Set<string>();
      for (const kid of element.elements) {
        types.add(kid.type);
        if (isTransparent(kid.type)) for (const type of inside.get(kid) ?? []) types.add(type);
      }
      inside.set(element, types);
      const isLine = element.type === 'P' || element.type === 'Code' || INLINE.has(element.type);
      if (isLine && element.type !== 'Ruby' && element.type !== 'Lbl' && [...types].some((type) => isForbidden(type, element.type)))
        element.type = 'Div';
    }
  }

  /** From the root down, because what an element becomes decides of its kids. */
  nest(): StructureElement[] {
    const misplaced: StructureElement[] = [];
    const waiting: Array<[element: StructureElement, context: string]> = [[this.#tree.document, 'Document']];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [element, context] = next;
      this.#placeCaption(element, context);
      const own = isTransparent(element.type) ? context : element.type;
      if (GROUPS.has(own)) this.#fillGroup(element);
      // Tables and lists have borders and backgrounds, but no text of their own.
      else if (FRAMES.has(own) && this.#markDecoration(element) && element.hasContent) misplaced.push(element);
      const inner = isTransparent(element.type) ? context : element.type;
      for (const kid of element.elements) {
        if (kid.type === 'Artifact') continue;
        if (isForbidden(kid.type, inner)) this.#lessen(kid, inner, misplaced);
        waiting.push([kid, inner]);
      }
    }
    return misplaced;
  }

  #lessen(element: StructureElement, context: string, misplaced: StructureElement[]): void {
    const type = lesserType(element.type, context);
    if (type) element.type = type;
    else misplaced.push(element);
  }

  /** A caption is the first or the last of what it describes; a figure with parts of its own is a section. */
  #placeCaption(element: StructureElement, context: string): void {
    const captions = element.elements.filter(({ type }) => type === 'Caption');
    if (!captions.length) return;
    const others = element.kids.filter((kid) => !(kid instanceof StructureElement) || kid.type !== 'Caption');
    const [caption, ...more] = captions;
    for (const each of more) each.type = 'Div';
    if (!caption) return;
    const before = element.kids.slice(0, element.kids.indexOf(caption));
    const isFirst = before.every((kid) => !(kid instanceof StructureElement) && this.#isDecoration(kid, element));
    if (isFirst && before.length) element.replaceKids([caption, ...element.kids.filter((kid) => kid !== caption)]);
    else if (!isFirst && element.kids.at(-1) !== caption) caption.type = 'Div';
    const isPart = others.length > 0 && caption.type === 'Caption';
    if (isPart && element.type === 'Div' && GROUPS.has(context)) element.type = 'Sect';
  }

  /** Text in a group is a paragraph, and what is only drawn is an artifact. */
  #fillGroup(element: StructureElement): void {
    const kids = this.#markDecoration(element);
    const runs = runsOf(kids, (kid) => this.#isInLine(kid));
    const isText = (run: Kid[]) => run.some((kid) => this.#isText(kid));
    if (!runs.some(isText)) return;
    const [only] = runs;
    if (runs.length === 1 && only && element.type === 'NonStruct') element.type = 'P';
    else element.replaceKids(runs.flatMap((run) => (isText(run) ? [this.#paragraphOf(element, run)] : run)));
  }

  #paragraphOf(parent: StructureElement, run: Kid[]): StructureElement {
    const [only] = run;
    if (run.length > 1 || !(only instanceof StructureElement) || only.type !== 'NonStruct')
      return this.#tree.enclose(parent, 'P', run);
    only.type = 'P';
    return only;
  }

  /** Returns the kids, with what is only drawn in artifacts. */
  #markDecoration(element: StructureElement): Kid[] {
    const isDecoration = (kid: Kid) => !(kid instanceof StructureElement) && this.#isDecoration(kid, element);
    if (element.kids.length && element.kids.every(isDecoration) && element.type === 'NonStruct') {
      this.#tree.setVersion2Type(element, 'Artifact');
      return [];
    }
    for (const kid of element.elements) this.#markIfDrawn(kid);
    if (!element.kids.some(isDecoration)) return element.kids;
    const runs = runsOf(element.kids, isDecoration);
    element.replaceKids(runs.flatMap((run) => (run.some(isDecoration) ? [this.#artifactOf(element, run)] : run)));
    return element.kids;
  }

  #markIfDrawn(kid: StructureElement): void {
    const isDrawn = (leaf: Kid) => !(leaf instanceof StructureElement) && this.#isDecoration(leaf, kid);
    if (kid.type === 'NonStruct' && kid.kids.length && kid.kids.every(isDrawn)) this.#tree.setVersion2Type(kid, 'Artifact');
  }

  #artifactOf(parent: StructureElement, run: Kid[]): StructureElement {
    const artifact = this.#tree.enclose(parent, 'Artifact', run);
    this.#tree.setVersion2Type(artifact, 'Artifact');
    return artifact;
  }

  #isDecoration(leaf: Leaf, parent: StructureElement): boolean {
    return !isAnnotation(leaf) && !this.#paintedBy(leaf, parent)?.codes;
  }

  /** What must not stand in a group by itself. */
  #isText(kid: Kid): boolean {
    if (!(kid instanceof StructureElement) || !this.#isInLine(kid)) return this.#isInLine(kid) && !(kid instanceof StructureElement);
    return INLINE.has(kid.type) || (kid.type === 'NonStruct' && kid.hasContent);
  }

  #isInLine(kid: Kid): boolean {
    if (!(kid instanceof StructureElement)) return !isAnnotation(kid);
    if (kid.type === 'Artifact') return true;
    const known = this.#inLine.get(kid);
    if (known !== undefined) return known;
    const isOpaque = kid.type === 'Figure' || kid.type === 'Form';
    const isInLine =
      IN_LINE.has(kid.type) || kid.type === 'NonStruct' ? isOpaque || kid.elements.every((inner) => this.#isInLine(inner)) : false;
    this.#inLine.set(kid, isInLine);
    return isInLine;
  }
}

/** Successive kids for which `belongs`, and between them each other kid by itself. */
function runsOf(kids: readonly Kid[], belongs: (kid: Kid) => boolean): Kid[][] {
  const runs: Kid[][] = [];
  let isOpen = false;
  for (const kid of kids) {
    const isPart = belongs(kid);
    if (isPart && isOpen) runs.at(-1)?.push(kid);
    else runs.push([kid]);
    isOpen = isPart;
  }
  return runs;
}

function attributesOf(element: StructureElement): PdfDict[] {
  const value = element.get('A');
  const list = value instanceof PdfArray ? value.toArray() : [value];
  return list.filter((each) => each instanceof PdfDict);
}

function isNone(value: unknown): boolean {
  return value instanceof PdfName && value.value === 'None';
}
