/**
 * Makes tags meet the requirements that PDF/UA-2 adds to PDF/UA-1 (ISO 14289-2 and ISO/TS 32005): text is in paragraphs,
 * decoration is an artifact, and elements are nested as PDF 2.0 allows. The meaning of the document stays the same.
 */
import { PdfArray, PdfDict, PdfName } from '@libpdf/core';
import type { PaintedContent } from '../content/painted-content.ts';
import { FRAMES, GROUPS, INLINE, isForbidden, MAY_BE_INLINE, moreGeneralType, TRANSPARENT } from '../structure/nesting.ts';
import { findRuns, isAnnotation, type Kid, StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';
import { splitRubies } from './repair-ruby.ts';

/** Types for lines of text, which become Div elements if they contain blocks. */
const LINES = new Set(['P', 'Code', 'Span', 'Em', 'Strong', 'Quote', 'Reference']);
/** Types that can be part of a line of text regardless of their kids. */
const OPAQUE = new Set(['Figure', 'Form', 'Ruby', 'Artifact']);

/** Returns the elements that are nested in a way that is not allowed and cannot be repaired. */
export function repairForVersion2(tree: StructureTree, painted: PaintedContent): StructureElement[] {
  tree.setVersion2Type(tree.document, 'Document');
  const elements = tree.elements();
  const ofType = (type: string) => elements.filter((element) => element.type === type);
  for (const aside of ofType('Aside')) tree.setVersion2Type(aside, 'Aside');
  for (const note of ofType('Note')) toFootnote(tree, note);
  splitRubies(tree, ofType('Ruby'));
  for (const list of ofType('L')) numberList(tree, list, painted);
  openLines(elements);
  return new Nesting(tree, painted).repair();
}

/** PDF 2.0 has another type for notes (ISO 32000-2, 14.8.4.7.3). */
function toFootnote(tree: StructureTree, note: StructureElement): void {
  tree.setVersion2Type(note, 'FENote');
  note.set('A', PdfArray.of(...note.attributes, PdfDict.of({ O: PdfName.of('FENote'), NoteType: PdfName.of('Footnote') })));
}

/** Sets `ListNumbering` if Chromium left it out: a list is ordered if its labels differ. */
function numberList(tree: StructureTree, list: StructureElement, painted: PaintedContent): void {
  const labels = list.elements.flatMap((item) => item.elements.filter(({ type }) => type === 'Lbl'));
  const { attributes } = list;
  const isKnown = attributes.some((attribute) => !/^(?:None)?$/.test(attribute.getName('ListNumbering')?.value ?? ''));
  if (!labels.length || isKnown) return;
  const collectText = (element: StructureElement): string =>
    element.kids
      .map((kid) => (kid instanceof StructureElement ? collectText(kid) : (tree.findPainted(kid, element, painted)?.codes ?? '')))
      .join('');
  const numbering = new Set(labels.map(collectText)).size > 1 ? 'Ordered' : 'Unordered';
  const others = attributes.filter((attribute) => !attribute.has('ListNumbering'));
  list.set('A', PdfArray.of(...others, PdfDict.of({ O: PdfName.of('List'), ListNumbering: PdfName.of(numbering) })));
}

/** Works from the innermost elements outwards, because an element that becomes a Div is a block in its parent. */
function openLines(elements: StructureElement[]): void {
  const typesIn = new Map<StructureElement, Set<string>>();
  const listTypes = (kid: StructureElement) => [kid.type, ...(TRANSPARENT.has(kid.type) ? (typesIn.get(kid) ?? []) : [])];
  for (const element of elements.toReversed()) {
    const types = new Set(element.elements.flatMap(listTypes));
    typesIn.set(element, types);
    if (LINES.has(element.type) && [...types].some((type) => isForbidden(type, element.type))) element.type = 'Div';
  }
}

class Nesting {
  readonly #tree: StructureTree;
  readonly #painted: PaintedContent;
  readonly #misplaced: StructureElement[] = [];
  /** Caches whether an element is part of a line of text. */
  readonly #inLine = new Map<StructureElement, boolean>();

  constructor(tree: StructureTree, painted: PaintedContent) {
    this.#tree = tree;
    this.#painted = painted;
  }

  /** Works from the root down, because the type that an element gets decides which kids it may have. */
  repair(): StructureElement[] {
    const waiting: Array<[element: StructureElement, context: string]> = [[this.#tree.document, 'Document']];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [element, context] = next;
      const inner = this.#repairElement(element, context);
      for (const kid of element.elements.filter(({ type }) => type !== 'Artifact')) {
        if (isForbidden(kid.type, inner)) this.#replaceType(kid, inner);
        waiting.push([kid, inner]);
      }
    }
    return this.#misplaced;
  }

  /** Repairs one element. Returns the type that decides which kids are allowed in it. */
  #repairElement(element: StructureElement, context: string): string {
    const contextIn = () => (TRANSPARENT.has(element.type) ? context : element.type);
    this.#placeCaption(element, context);
    if (GROUPS.has(contextIn())) this.#fillGroup(element);
    else if (FRAMES.has(contextIn())) this.#clearFrame(element);
    return contextIn();
  }

  #replaceType(element: StructureElement, context: string): void {
    const type = moreGeneralType(element.type, context);
    if (type) element.type = type;
    else this.#misplaced.push(element);
  }

  /**
   * Makes a caption the first or last kid of its parent. A Div with a caption, as from a `figure` that is not an image, becomes a
   * Sect.
   */
  #placeCaption(element: StructureElement, context: string): void {
    const [caption, ...more] = element.elements.filter(({ type }) => type === 'Caption');
    if (!caption) return;
    for (const another of more) another.type = 'Div';
    const at = element.kids.indexOf(caption);
    const isFirst = element.kids.slice(0, at).every((kid) => this.#isDecoration(kid, element));
    if (isFirst && at > 0) element.replaceKids([caption, ...element.kids.filter((kid) => kid !== caption)]);
    if (!isFirst && at < element.kids.length - 1) caption.type = 'Div';
    else if (element.type === 'Div' && element.kids.length > 1 && GROUPS.has(context)) element.type = 'Sect';
  }

  /** Puts text that is directly in a group into paragraphs. */
  #fillGroup(element: StructureElement): void {
    this.#markDecoration(element);
    const runs = findRuns(element.kids, (kid) => this.#isInLine(kid));
    const isText = (run: Kid[]) => run.some((kid) => this.#isText(kid));
    if (!runs.some(isText)) return;
    if (runs.length === 1 && element.type === 'NonStruct') element.type = 'P';
    else element.replaceKids(runs.flatMap((run) => (isText(run) ? [this.#toParagraph(element, run)] : run)));
  }

  #toParagraph(parent: StructureElement, run: Kid[]): StructureElement {
    const [only, ...more] = run;
    if (more.length || !(only instanceof StructureElement) || only.type !== 'NonStruct')
      return this.#tree.enclose(parent, 'P', run);
    only.type = 'P';
    return only;
  }

  /** Tables and lists may have borders and backgrounds, but no text of their own. */
  #clearFrame(element: StructureElement): void {
    this.#markDecoration(element);
    if (element.hasContent) this.#misplaced.push(element);
  }

  /** Puts content without text into artifacts. */
  #markDecoration(element: StructureElement): void {
    for (const each of [element, ...element.elements])
      if (each.type === 'NonStruct' && each.kids.length && each.kids.every((kid) => this.#isLine(kid, each)))
        this.#tree.setVersion2Type(each, 'Artifact');
    const isDecoration = (kid: Kid) => this.#isDecoration(kid, element);
    if (element.type === 'Artifact' || !isBox(element) || !element.kids.some(isDecoration)) return;
    const runs = findRuns(element.kids, isDecoration);
    element.replaceKids(runs.flatMap((run) => (run.some(isDecoration) ? [this.#toArtifact(element, run)] : run)));
  }

  #toArtifact(parent: StructureElement, run: Kid[]): StructureElement {
    const artifact = this.#tree.enclose(parent, 'Artifact', run);
    this.#tree.setVersion2Type(artifact, 'Artifact');
    return artifact;
  }

  /**
   * Whether a kid is a border or a plain background of an empty box. Curves and images do not count, because text with effects
   * can be drawn as shapes.
   */
  #isLine(kid: Kid, parent: StructureElement): boolean {
    if (!this.#isDecoration(kid, parent) || kid instanceof StructureElement) return false;
    return !this.#tree.findPainted(kid, parent, this.#painted)?.hasShapes;
  }

  /** Whether a kid is content without text. Images have elements of their own. */
  #isDecoration(kid: Kid, parent: StructureElement): boolean {
    if (kid instanceof StructureElement || isAnnotation(kid)) return false;
    return !this.#tree.findPainted(kid, parent, this.#painted)?.codes;
  }

  /** Whether a kid is text that must not be a direct kid of a group. */
  #isText(kid: Kid): boolean {
    if (!this.#isInLine(kid) || !(kid instanceof StructureElement)) return this.#isInLine(kid);
    return INLINE.has(kid.type) || (kid.type === 'NonStruct' && kid.hasContent);
  }

  #isInLine(kid: Kid): boolean {
    if (!(kid instanceof StructureElement)) return !isAnnotation(kid);
    if (OPAQUE.has(kid.type)) return true;
    const known = this.#inLine.get(kid);
    if (known !== undefined) return known;
    const isPart = MAY_BE_INLINE.has(kid.type) || kid.type === 'NonStruct';
    const isInLine = isPart && kid.elements.every((inner) => this.#isInLine(inner));
    this.#inLine.set(kid, isInLine);
    return isInLine;
  }
}

/**
 * Whether the direct content of an element is that of a box, such as its background. Chromium puts text into a NonStruct of its
 * own (`kStaticText`: https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc).
 */
function isBox(element: StructureElement): boolean {
  return element.hasElements || element.type !== 'NonStruct';
}
