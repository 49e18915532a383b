/**
 * Removes text and areas from pages, form XObjects, patterns and appearances: what is searched in; changed streams, and the marked
 * content that lost something, out. A form or an image that is drawn elsewhere as well is changed only where it must be: there it becomes
 * another object.
 */
import { createHash } from 'node:crypto';
import { PdfDict, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import { stringBytes } from '../content/content-scanner.ts';
import { contentBalance, foreignContent } from '../content/graphics-balance.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { type Matrix, transform } from '../objects/matrix.ts';
import { findResources } from '../objects/page-view.ts';
import { decimal, deflatedStream, entriesOf, roundedDecimal, textString, toText } from '../objects/syntax.ts';
import { IndirectContent } from './indirect-content.ts';
import {
  ContentReader,
  type ContentUse,
  type Draw,
  decode,
  type Edit,
  type Glyph,
  type IndirectUse,
  type ReadContent,
  type Show,
  type Span,
  UnreadableError,
} from './read-content.ts';
import { directionOf, findGlyphs } from './readings.ts';
import { coveredRegions, type Region, redactImage } from './redact-images.ts';
import type { Search } from './search.ts';
import { boundsOf, overlaps, type Polygon, UNIT_SQUARE } from './shapes.ts';

/** How far glyphs reach from their base line, in proportion to the font size. */
const [DESCENT, ASCENT] = [-0.25, 0.95];
/** The share of a glyph that may be in an area without being removed. */
const EDGE = 0.1;
/** How wide and high letters are, in proportion to the font size. */
const MAX_LETTER = 2;
/** The width of the glyph is that of the font. */
const EMPTY_GLYPH = Buffer.from('0 0 d0');
const NEW_NAME = 'PlatenRedacted';
/** Entries of a stream that are about its old bytes, or may tell what it had. */
const DROPPED = ['Filter', 'DecodeParms', 'DL', 'Length', 'Metadata', 'PieceInfo', 'LastModified'];

/** A page or a form XObject that loses something. */
interface Plan {
  ref: PdfRef;
  /** Undefined for a page. */
  stream: PdfStream | undefined;
  root: ContentUse;
  areas: Polygon[];
}

export class ContentRedaction {
  /** Marked content that lost something; see `markOf`. */
  readonly marks = new Set<string>();
  /** How many images were removed as a whole, because they cannot be decoded. */
  removedImages = 0;
  readonly #pdf: EditablePdf;
  readonly #search: Search;
  /** The operator that sets the colour of what is painted over areas. Undefined if nothing is. */
  readonly #color: string | undefined;
  readonly #reader: ContentReader;
  readonly #indirect: IndirectContent;
  /** Of the page that is planned. */
  #boxes: readonly Polygon[] = [];
  /** The streams that draw glyphs of Type 3 fonts which were removed, and of those which stay, by their numbers. */
  readonly #procedures = { removed: new Set<number>(), kept: new Set<number>() };
  readonly #plans: Plan[] = [];
  readonly #seen = new Set<number>();
  /** Forms and images that are drawn somewhere as they are. */
  readonly #kept = new Set<number>();
  readonly #changed = new Set<ContentUse>();
  readonly #regions = new Map<Draw, Region[]>();
  readonly #replaced = new Set<number>();
  readonly #variants = new Map<string, PdfRef>();

  /** `color` has the shares of red, green and blue. */
  constructor(pdf: EditablePdf, search: Search, color: readonly number[] | undefined) {
    this.#pdf = pdf;
    this.#search = search;
    this.#color = color && `${color.map(roundedDecimal).join(' ')} rg`;
    this.#reader = new ContentReader(pdf, !search.isEmpty);
    this.#indirect = new IndirectContent(pdf);
  }

  /** `isPainted` tells whether paths and images under the boxes are removed, and the boxes are painted. Throws `UnreadableError`. */
  planPage(ref: PdfRef, page: PdfDict, boxes: readonly Polygon[], isPainted: boolean): void {
    const resources = findResources(this.#pdf, page);
    const read = this.#reader.read(foreignContent(this.#pdf, page, decode), resources, ref.objectNumber, isPainted ? boxes : []);
    for (const glyph of read.glyphs) if (isInside(glyph, boxes)) this.#remove(glyph);
    this.#boxes = isPainted ? boxes : [];
    this.#plan(ref, undefined, read, this.#boxes);
  }

  /** Plans a form XObject, a pattern or an appearance that no page draws. Does nothing if it was met before. */
  planStream(ref: PdfRef, stream: PdfStream, otherResources: PdfDict | undefined): void {
    if (this.#seen.has(ref.objectNumber)) return;
    this.#seen.add(ref.objectNumber);
    const resources = this.#pdf.dict(stream, 'Resources') ?? otherResources;
    const read = this.#reader.read(decode(stream), resources, ref.objectNumber);
    this.#boxes = [];
    this.#plan(ref, stream, read, []);
  }

  /** Carries out what was planned. Returns whether anything changed. */
  async apply(): Promise<boolean> {
    for (const { ref, stream, root, areas } of this.#plans) {
      const { content, resources } = await this.#rewrite(root);
      const painted = this.#paint(content, areas);
      if (stream) this.#pdf.change(ref, withContent(stream, painted, resources));
      else this.#changePage(ref, painted, resources);
    }
    for (const id of this.#procedures.removed)
      if (!this.#procedures.kept.has(id)) this.#pdf.change(PdfRef.of(id), PdfStream.fromDict({}, EMPTY_GLYPH));
    return this.#plans.length > 0;
  }

  #plan(ref: PdfRef, stream: PdfStream | undefined, read: ReadContent, boxes: readonly Polygon[]): void {
    const areas = [...this.#removeFound(read), ...boxes];
    for (const span of read.spans) if (span.isRemoved) removeActualText(span);
    for (const { procedure, isRemoved } of read.glyphs)
      if (procedure instanceof PdfRef) this.#procedures[isRemoved ? 'removed' : 'kept'].add(procedure.objectNumber);
    this.#planUse(read.root, areas);
    if (areas.length || this.#changed.has(read.root)) this.#plans.push({ ref, stream, root: read.root, areas });
  }

  #removeFound({ glyphs }: ReadContent): Polygon[] {
    return findGlyphs(glyphs, this.#search).flatMap((found) => {
      for (const glyph of found) this.#remove(glyph);
      return toAreas(found);
    });
  }

  #remove(glyph: Glyph): void {
    glyph.isRemoved = true;
    if (glyph.span) glyph.span.isRemoved = true;
    for (const mark of glyph.marks) this.marks.add(mark);
  }

  /** Returns whether something of the content changes. */
  #planUse(use: ContentUse, areas: readonly Polygon[]): boolean {
    for (const show of use.shows) if (show.items.some(isRemoved)) use.edits.push(rewriteShow(show));
    for (const image of use.inlineImages) {
      const shown = UNIT_SQUARE.map(([x, y]) => transform(image.matrix, x, y));
      if (areas.some((area) => overlaps(area, shown))) use.edits.push({ ...image, text: ' ' });
    }
    for (const indirect of use.indirect) this.#requireVisible(indirect, areas);
    if (!this.#search.isEmpty) this.#planUnseen(use);
    const drawn = use.draws.map((draw) => this.#planDraw(draw, areas));
    const isChanged = use.edits.length > 0 || drawn.some(Boolean);
    if (isChanged) this.#changed.add(use);
    return isChanged;
  }

  /** A part of what is drawn in other places as well cannot be removed, unless it is a letter that is removed as a whole. */
  #requireVisible({ kind, drawn, resources, shape, matrix, glyph }: IndirectUse, areas: readonly Polygon[]): void {
    if (!matrix) {
      // Masks of prints have images of whole pages; their texts are found by themselves.
      const covering = kind === 'a soft mask' ? this.#boxes : areas;
      const isCovered = covering.some((area) => overlaps(area, shape));
      if (isCovered && this.#indirect.hasPictures(drawn, resources)) throw hidden(kind);
      return;
    }
    if (!areas.length && this.#search.isEmpty) return;
    const { inline, others, hasText } = this.#indirect.find(drawn, resources);
    if (hasText && !this.#search.isEmpty) throw new UnreadableError('has a glyph that shows text in another font');
    const isCovered = (picture: Polygon) => {
      const shown = picture.map(([x, y]) => transform(matrix, x, y));
      return areas.some((area) => overlaps(area, shown));
    };
    const large = glyph?.isRemoved ? [] : inline.filter((picture) => isLarge(picture, matrix, glyph));
    if ([...others, ...large].some(isCovered)) throw hidden(kind);
  }

  /** Texts of content that are not shown. */
  #planUnseen(use: ContentUse): void {
    for (const string of use.strings) this.#planString(use, string);
    for (const [from, to] of use.comments)
      if (this.#search.matches(use.content.toString('latin1', from, to))) use.edits.push({ from, to, text: '' });
  }

  #planString(use: ContentUse, [from, to]: [number, number]): void {
    if (use.edits.some((edit) => edit.from <= from && to <= edit.to)) return;
    const text = new PdfString(stringBytes(use.content, [from, to])).asString();
    if (this.#search.matches(text)) use.edits.push({ from, to, text: toText(textString(this.#search.remove(text))) });
  }

  #planDraw(draw: Draw, areas: readonly Polygon[]): boolean {
    const { ref, use } = draw;
    this.#seen.add(ref.objectNumber);
    if (use) {
      const isChanged = this.#planUse(use, areas);
      if (!isChanged) this.#kept.add(ref.objectNumber);
      return isChanged;
    }
    const regions = coveredRegions(draw.matrix, areas);
    if (regions.length) this.#regions.set(draw, regions);
    else this.#kept.add(ref.objectNumber);
    return regions.length > 0;
  }

  async #rewrite(use: ContentUse): Promise<{ content: Buffer; resources: PdfDict | undefined }> {
    const edits = [...use.edits];
    const [xObjects, names] = [new Map<string, PdfRef>(), new Map<PdfRef, string>()];
    for (const draw of use.draws) {
      const ref = await this.#replace(draw);
      if (!ref || ref === draw.ref) continue;
      const name = names.get(ref) ?? `${NEW_NAME}${ref.objectNumber}`;
      names.set(ref, name);
      xObjects.set(name, ref);
      edits.push({ from: draw.from, to: draw.to, text: `/${name} Do` });
    }
    return { content: applyEdits(use.content, edits), resources: this.#withXObjects(use.resources, xObjects) };
  }

  /** What is drawn instead. Undefined if nothing of it changes. */
  async #replace(draw: Draw): Promise<PdfRef | undefined> {
    const { ref, stream, use } = draw;
    const regions = this.#regions.get(draw);
    if (regions) return this.#place(ref, JSON.stringify(regions), () => this.#redactImage(stream, regions));
    if (!use || !this.#changed.has(use)) return undefined;
    const { content, resources } = await this.#rewrite(use);
    const named = resources ? toText(resources) : '';
    const key = createHash('sha256').update(named).update(content).digest('hex');
    return this.#place(ref, key, async () => withContent(stream, content, resources));
  }

  #redactImage(image: PdfStream, regions: readonly Region[]): Promise<PdfStream> {
    return redactImage(this.#pdf, image, regions, () => this.removedImages++);
  }

  /** The first variant takes the place of the object, unless that is drawn elsewhere as it is. */
  async #place(ref: PdfRef, key: string, make: () => Promise<PdfObject>): Promise<PdfRef> {
    const variant = `${ref.objectNumber} ${key}`;
    const known = this.#variants.get(variant);
    if (known) return known;
    const isFree = !this.#kept.has(ref.objectNumber) && !this.#replaced.has(ref.objectNumber);
    this.#replaced.add(ref.objectNumber);
    const made = await make();
    if (isFree) this.#pdf.change(ref, made);
    const placed = isFree ? ref : this.#pdf.add(made);
    this.#variants.set(variant, placed);
    return placed;
  }

  #withXObjects(resources: PdfDict | undefined, added: ReadonlyMap<string, PdfRef>): PdfDict | undefined {
    if (!added.size) return resources;
    const copy = resources?.clone() ?? new PdfDict();
    const entries = this.#pdf.copyDictionary(copy, 'XObject');
    for (const [name, ref] of added) entries.set(name, ref);
    copy.set('XObject', entries);
    return copy;
  }

  /** Paints over what was removed. */
  #paint(content: Buffer, areas: readonly Polygon[]): Buffer {
    if (!areas.length || !this.#color) return content;
    const { missing, open } = contentBalance(content);
    const point = ([x, y]: Polygon[number]) => `${roundedDecimal(x)} ${roundedDecimal(y)}`;
    const shapes = areas.map(([first, ...more]) =>
      first ? `${point(first)} m ${more.map((each) => `${point(each)} l`).join(' ')} h f\n` : '',
    );
    const [before, after] = ['q\n'.repeat(missing + 1), `\n${'Q '.repeat(open + 1)}\n`];
    return Buffer.concat([
      Buffer.from(before),
      content,
      Buffer.from(`${after}/Artifact BMC q ${this.#color}\n${[...new Set(shapes)].join('')}Q EMC\n`),
    ]);
  }

  #changePage(ref: PdfRef, content: Buffer, resources: PdfDict | undefined): void {
    const Contents = this.#pdf.add(deflatedStream({}, content));
    this.#pdf.update(ref, { Contents, ...(resources && { Resources: resources }) });
  }
}

function hidden(kind: string): UnreadableError {
  const what = `has ${kind} with an image or text under what is to be removed`;
  return new UnreadableError(`${what}, and a part of ${kind} cannot be removed`);
}

/** Whether an image reaches farther than letters do. */
function isLarge(picture: Polygon, matrix: Matrix, glyph: Glyph | undefined): boolean {
  const { left, bottom, right, top } = boundsOf(picture.map(([x, y]) => transform(matrix, x, y)));
  return Math.max(right - left, top - bottom) > MAX_LETTER * Math.hypot(...(glyph?.up ?? [0, 0]));
}

function withContent(stream: PdfStream, content: Buffer, resources: PdfDict | undefined): PdfStream {
  const entries = entriesOf(stream);
  for (const entry of DROPPED) delete entries[entry];
  return deflatedStream({ ...entries, ...(resources && { Resources: resources }) }, content);
}

function applyEdits(content: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from)) {
    if (from < at) continue; // an operator that is edited as a whole
    parts.push(content.subarray(at, from), Buffer.from(text, 'latin1'));
    at = to;
  }
  return Buffer.concat([...parts, content.subarray(at)]);
}

function isRemoved(item: number | Glyph): boolean {
  return typeof item !== 'number' && item.isRemoved;
}

/** What is left is shown where it was. */
function rewriteShow({ from, to, before, items }: Show): Edit {
  let array = '';
  let [codes, moved] = ['', 0];
  const flush = () => {
    if (codes) array += `<${codes}>`;
    codes = '';
  };
  for (const item of items) {
    if (typeof item === 'number' || item.isRemoved) {
      flush();
      moved += typeof item === 'number' ? item : item.advance;
    } else {
      if (moved) array += `${decimal(moved)} `;
      moved = 0;
      codes += item.code;
    }
  }
  flush();
  return { from, to, text: `${before}[${array}${moved ? decimal(moved) : ''}] TJ` };
}

function removeActualText({ use, from, to, string, mcid }: Span): void {
  if (string) use.edits.push({ from: string[0], to: string[1], text: '()' });
  else {
    const written = use.content.toString('latin1', from, to);
    const [tag = '/Span'] = /\/[^\s/<]+/.exec(written) ?? [];
    const properties = mcid === undefined ? new PdfDict() : PdfDict.of({ MCID: PdfNumber.of(mcid) });
    use.edits.push({ from, to, text: `${tag} ${toText(properties)} BDC` });
  }
}

/** The areas of glyphs of a match: one for those beside each other. */
function toAreas(glyphs: readonly Glyph[]): Polygon[] {
  const areas: Array<{ first: Glyph; from: number; to: number; size: number }> = [];
  for (const glyph of glyphs) {
    const size = Math.hypot(...glyph.up);
    const last = areas.at(-1);
    const place = last && placeAlong(glyph, last.first);
    if (last && place && place.from < last.to + size && place.to > last.from - size) {
      Object.assign(last, { from: Math.min(last.from, place.from), to: Math.max(last.to, place.to) });
      last.size = Math.max(last.size, size);
    } else areas.push({ first: glyph, size, ...(placeAlong(glyph, glyph) ?? { from: 0, to: 0 }) });
  }
  return areas.map(({ first, from, to, size }) => quad(first, from, to, DESCENT * size, ASCENT * size));
}

/** Where a glyph is on the base line of another; undefined if it is not on it. */
function placeAlong({ start, end }: Glyph, first: Glyph): { from: number; to: number } | undefined {
  const [dx, dy] = directionOf(first);
  const [x, y] = [start[0] - first.start[0], start[1] - first.start[1]];
  const size = Math.hypot(...first.up);
  if (Math.abs(y * dx - x * dy) > size / 2) return undefined;
  const [from, to] = [x * dx + y * dy, (end[0] - first.start[0]) * dx + (end[1] - first.start[1]) * dy];
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

/** An area on the base line of a glyph. `low` and `high` are in points. */
function quad(glyph: Glyph, from: number, to: number, low: number, high: number): Polygon {
  const [dx, dy] = directionOf(glyph);
  const size = Math.hypot(...glyph.up) || 1;
  const [upX, upY] = [glyph.up[0] / size, glyph.up[1] / size];
  const corner = (along: number, up: number) =>
    [glyph.start[0] + along * dx + up * upX, glyph.start[1] + along * dy + up * upY] as const;
  return [corner(from, low), corner(to, low), corner(to, high), corner(from, high)];
}

function isInside(glyph: Glyph, boxes: readonly Polygon[]): boolean {
  const size = Math.hypot(...glyph.up);
  if (!boxes.length || !size) return false;
  const { from, to } = placeAlong(glyph, glyph) ?? { from: 0, to: 0 };
  const edge = to > from ? EDGE * (to - from) : -EDGE * size; // marks may have no width
  const shape = quad(glyph, from + edge, to - edge, 0, (ASCENT - EDGE) * size);
  return boxes.some((box) => overlaps(box, shape));
}
