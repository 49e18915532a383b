/**
 * Marks untagged content as artifacts (ISO 32000-1, 14.8.2.2): margin boxes, headers, backgrounds, decoration. Tagged content
 * only gets the spaces between words that it lacks, also inside form XObjects, into which Skia puts a whole page if something on it
 * is blended (`makeFormXObjectFromDevice`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDevice.cpp).
 */
import { PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { decodeText, type Operands, readMcid, scanContent, stringBytes } from '../content/content-scanner.ts';
import { DocumentText } from '../content/document-text.ts';
import { Fonts } from '../content/fonts.ts';
import { paintedKey } from '../content/painted-content.ts';
import { addSpaceFont, SPACE_FONT } from '../content/space-font.ts';
import { StreamDecoder } from '../content/streams.ts';
import { TextObject } from '../content/text-objects.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { findResources } from '../objects/page-view.ts';
import { deflatedStream, entriesOf } from '../objects/syntax.ts';
import type { StructureTree } from '../structure/structure-tree.ts';
import type { RepeatedContent } from './repeated-content.ts';
import { separateWords } from './separate-words.ts';

/** Properties of the page content that the profiles restrict. */
export interface ContentFindings {
  hasMissingGlyphs: boolean;
  hasUnmappedText: boolean;
  depth: number;
}

const NO_BREAK_SPACE = '\u00a0';
const BEGIN = '\n/Artifact BMC\n';
const END = '\nEMC\n';
const PATH_START = new Set(['m', 're']);
const PATH = new Set([...PATH_START, 'S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'n']);
const TEXT_PAINT = new Set(['Tj', 'TJ', "'", '"']);
/** Operators that an artifact must not span. */
const BOUNDARY = new Set(['BDC', 'BMC', 'EMC', 'BT', 'ET', 'q', 'Q']);

/** The tags of the PDF. `repeated` is tagged content that becomes artifacts as well, and `text` that of the document. */
export interface ContentTags {
  tree: StructureTree;
  repeated: RepeatedContent;
  text: string;
}

/**
 * Without `tags`, the content is only inspected. `shown` are appearance streams of annotations, which are always only inspected.
 */
export function markArtifacts(editable: EditablePdf, tags: ContentTags | undefined, shown: readonly PdfRef[]): ContentFindings {
  const marking = new Marking(editable, tags?.repeated);
  for (const { ref, page } of editable.pages()) marking.markPage(ref, page);
  for (const form of shown) marking.lookInside(form);
  if (tags) marking.separateWords(tags);
  marking.write();
  return marking.findings;
}

class Marking {
  readonly findings: ContentFindings = { hasMissingGlyphs: false, hasUnmappedText: false, depth: 0 };
  readonly #editable: EditablePdf;
  readonly #marks: boolean;
  readonly #repeated: RepeatedContent;
  readonly #fonts: Fonts;
  readonly #streams = new StreamDecoder();
  readonly #texts = new Map<string, TextObject[]>();
  /** Write the changed content, after everything was scanned. */
  readonly #writers: Array<() => void> = [];
  #spaceFont: PdfRef | undefined;
  /** Whether a form XObject, by object number, has tagged content. */
  readonly #tagged = new Map<number, boolean>();
  /** Object numbers of the form XObjects that have been drawn. */
  readonly #drawn = new Set<number>();

  constructor(editable: EditablePdf, repeated: RepeatedContent | undefined) {
    this.#editable = editable;
    this.#marks = repeated !== undefined;
    this.#repeated = repeated ?? new Map();
    this.#fonts = new Fonts(editable, this.#streams);
  }

  /** Writes the changed content, and completes the ToUnicode maps of the fonts. */
  write(): void {
    for (const write of this.#writers) write();
    this.#fonts.write();
  }

  separateWords({ tree, text }: ContentTags): void {
    separateWords(tree, this.#texts, new DocumentText(text));
  }

  /** The resources of a stream with the font of spaces, if it got some; undefined if they stay as they are. */
  #prepareResources(scan: ContentScan, resources: PdfDict | undefined): PdfDict | undefined {
    if (!scan.hasSpaces) return scan.resources;
    this.#spaceFont ??= addSpaceFont(this.#editable);
    const kept = (scan.resources ?? resources ?? new PdfDict()).clone();
    const fonts = this.#editable.copyDictionary(kept, 'Font');
    fonts.set(SPACE_FONT, this.#spaceFont);
    kept.set('Font', fonts);
    return kept;
  }

  markPage(ref: PdfRef, page: PdfDict): void {
    const content = this.#streams.pageContent(this.#editable, page);
    if (!content.length) return;
    const resources = findResources(this.#editable, page);
    const scan = this.#scan(content, resources, { isTagged: false, holder: ref });
    if (!this.#marks) return;
    this.#writers.push(() => {
      const Contents = this.#replace(this.#editable.listOrOne(page, 'Contents'), deflatedStream({}, scan.bytes));
      const changed = this.#prepareResources(scan, resources);
      this.#editable.update(ref, { Contents, ...(changed && { Resources: changed }) });
    });
  }

  /**
   * Replaces the content of a page. If the page has a single stream, that object is overwritten, so that the old content is not
   * kept in the file.
   */
  #replace(entries: PdfObject[], stream: PdfStream): PdfRef {
    const [own] = entries;
    if (entries.length === 1 && own instanceof PdfRef) {
      this.#editable.change(own, stream);
      return own;
    }
    return this.#editable.add(stream);
  }

  /** `holder` is the page or form XObject that has the content. */
  #scan(
    content: Buffer,
    resources: PdfDict | undefined,
    { isTagged, holder }: { isTagged: boolean; holder: PdfRef },
  ): ContentScan {
    const scan: ContentScan = new ContentScan(content, isTagged, this.#repeated.get(holder.objectNumber), {
      draws: (name, inTagged): Drawn => this.#draw(name, inTagged, resources, scan),
      uses: (kind, name) => this.lookInside(this.#editable.nested(resources, kind, name)),
      shows: (runs, actualText, object) => this.#look(runs, resources, actualText, object),
      begins: (mcid) => this.#beginText(content, paintedKey(holder.objectNumber, mcid)),
    });
    scan.run();
    this.findings.depth = Math.max(this.findings.depth, scan.depth);
    return scan;
  }

  /** Inspects patterns, soft masks and appearance streams. Their content is never tagged or marked, but it may show text. */
  lookInside(entry: PdfObject | undefined): void {
    if (!(entry instanceof PdfRef) || this.#drawn.has(entry.objectNumber)) return;
    this.#drawn.add(entry.objectNumber);
    const value = this.#editable.asDict(entry);
    this.lookInside(this.#editable.nested(value, 'SMask', 'G'));
    if (!(value instanceof PdfStream) || !(isForm(value) || value.has('PatternType'))) return;
    const resources = this.#editable.dict(value, 'Resources');
    this.#scan(this.#streams.decode(value), resources, { isTagged: true, holder: entry });
  }

  #beginText(content: Buffer, tag: string): TextObject {
    const texts = this.#texts.get(tag) ?? [];
    this.#texts.set(tag, texts);
    const object = new TextObject(content, this.#fonts);
    texts.push(object);
    return object;
  }

  /** Returns whether the glyphs say enough without the ActualText: they are a space, and it is a space that does not break. */
  #look(shown: Shown[], resources: PdfDict | undefined, actualText: string | undefined, object: TextObject | undefined): boolean {
    const runs = shown.map(({ font, codes }) => ({ font: this.#editable.nested(resources, 'Font', font ?? ''), codes }));
    object?.show(...(actualText === undefined ? runs : [actualText]));
    const { isMissing, isUnmapped } = this.#fonts.look(runs, actualText);
    this.findings.hasMissingGlyphs ||= isMissing;
    this.findings.hasUnmappedText ||= isUnmapped;
    return actualText === NO_BREAK_SPACE && runs.map((run) => this.#fonts.readText(run)).join('') === ' ';
  }

  /** Scans an XObject that is drawn. One without tags of its own is painted like a path. */
  #draw(name: string, inTagged: boolean, resources: PdfDict | undefined, scan: ContentScan): Drawn {
    const ref = this.#editable.nested(resources, 'XObject', name);
    if (!(ref instanceof PdfRef)) return { isTagged: false, name };
    const isTagged = this.#isTagged(ref);
    const form = this.#editable.resolve(ref);
    if (!(form instanceof PdfStream) || !isForm(form)) return { isTagged: false, name };
    if (this.#drawn.has(ref.objectNumber)) {
      if (!isTagged || !this.#marks) return { isTagged: false, name };
      return { isTagged: false, name: this.#copyWithoutTags(ref, form, resources, scan) };
    }
    this.#drawn.add(ref.objectNumber);
    const own = this.#editable.dict(form, 'Resources') ?? resources;
    const inner = this.#scan(this.#streams.decode(form), own, { isTagged: inTagged || !isTagged, holder: ref });
    if (this.#marks && isTagged)
      this.#writers.push(() => this.#editable.change(ref, withContent(form, inner.bytes, this.#prepareResources(inner, own))));
    return { isTagged: isTagged && !inTagged, name };
  }

  /**
   * Copies a form XObject without its tags. Content that is drawn a second time, such as a shadow, is described by the tags of
   * the first drawing (ISO 14289-1, 7.20).
   */
  #copyWithoutTags(ref: PdfRef, form: PdfStream, resources: PdfDict | undefined, scan: ContentScan): string {
    const source = this.#editable.pdf.getObject(ref);
    const content = this.#streams.decode(source instanceof PdfStream ? source : form).toString('latin1');
    const untagged = content.replace(/\/\w+\s*<<\s*\/MCID\s+\d+\s*>>\s*BDC/g, '/Span BMC');
    const copy = withContent(form, Buffer.from(untagged, 'latin1'), undefined);
    copy.delete('StructParents');
    const name = `PlatenCopy${ref.objectNumber}`;
    const kept = (scan.resources ?? resources ?? new PdfDict()).clone();
    const objects = this.#editable.copyDictionary(kept, 'XObject');
    objects.set(name, this.#editable.add(copy));
    kept.set('XObject', objects);
    scan.resources = kept;
    return name;
  }

  #isTagged(ref: PdfRef): boolean {
    const known = this.#tagged.get(ref.objectNumber);
    if (known !== undefined) return known;
    this.#tagged.set(ref.objectNumber, false); // for a form that draws itself
    const form = this.#editable.resolve(ref);
    const isTagged = form instanceof PdfStream && isForm(form) && (form.has('StructParents') || this.#drawsTagged(form));
    this.#tagged.set(ref.objectNumber, isTagged);
    return isTagged;
  }

  #drawsTagged(form: PdfStream): boolean {
    const objects = this.#editable.dict(this.#editable.dict(form, 'Resources'), 'XObject') ?? [];
    return [...objects].some(([, ref]) => ref instanceof PdfRef && this.#isTagged(ref));
  }
}

function isForm(stream: PdfStream): boolean {
  return stream.getName('Subtype')?.value === 'Form';
}

function withContent(form: PdfStream, content: Buffer, resources: PdfDict | undefined): PdfStream {
  const { Filter: _, DecodeParms: __, ...entries } = entriesOf(form);
  return deflatedStream({ ...entries, ...(resources && { Resources: resources }) }, content);
}

interface Shown {
  font: string | undefined;
  codes: Buffer;
}

/** The result of drawing an XObject: whether it has tags of its own, and the resource name to draw it by. */
interface Drawn {
  isTagged: boolean;
  name: string;
}

interface ScanHandlers {
  uses(kind: 'Pattern' | 'ExtGState', name: string): void;
  draws(name: string, inTagged: boolean): Drawn;
  /** `actualText` is the text of all runs together, if the content states one. Returns whether it is not needed. */
  shows(runs: Shown[], actualText: string | undefined, object: TextObject | undefined): boolean;
  /** Called where a text object of tagged content begins. */
  begins(mcid: number): TextObject;
}

interface Edit {
  at: number;
  to: number;
  text: string;
}

class ContentScan {
  /** The changed resources of the stream; undefined if they stay as they are. */
  resources: PdfDict | undefined;
  depth = 0;
  readonly #content: Buffer;
  readonly #handlers: ScanHandlers;
  /** The MCIDs of content that becomes artifacts. */
  readonly #repeated: ReadonlySet<number> | undefined;
  #marked: number;
  #saved = 0;
  #font: string | undefined;
  readonly #fonts: Array<string | undefined> = [];
  /** The open marked-content sequences: whether each is a tag or an artifact, and the MCID that applies in it. */
  readonly #sequences: Array<{ isMarked: boolean; mcid: number | undefined }> = [];
  /** The open text object, and all those of tagged content. */
  #text: TextObject | undefined;
  readonly #texts: TextObject[] = [];
  /** The open marked-content sequence that has ActualText. */
  #span: { depth: number; text: string; shown: Shown[]; start: number; end: number } | undefined;
  #pathStart = -1;
  /** The byte range of the open artifact. */
  #open: { from: number; to: number } | undefined;
  readonly #edits: Edit[] = [];

  constructor(content: Buffer, isTagged: boolean, repeated: ReadonlySet<number> | undefined, handlers: ScanHandlers) {
    this.#content = content;
    this.#handlers = handlers;
    this.#repeated = repeated;
    this.#marked = isTagged ? 1 : 0;
  }

  run(): void {
    scanContent(this.#content, (operator, operands, end) => this.#visit(operator, operands, end));
    this.#close();
  }

  get hasSpaces(): boolean {
    return this.#texts.some(({ endsWithSpace }) => endsWithSpace);
  }

  /** The content with artifacts marked, and with the spaces of text objects. */
  get bytes(): Buffer {
    const spaces = this.#texts.filter(({ endsWithSpace }) => endsWithSpace).map(spaceAfter);
    const parts: Buffer[] = [];
    let from = 0;
    for (const { at, to, text } of [...this.#edits, ...spaces].sort((one, other) => one.at - other.at)) {
      parts.push(this.#content.subarray(from, at), Buffer.from(text, 'latin1'));
      from = to;
    }
    return Buffer.concat([...parts, this.#content.subarray(from)]);
  }

  #visit(operator: string, operands: Operands, end: number): void {
    if (BOUNDARY.has(operator)) this.#cross(operator, operands, end);
    else if (PATH.has(operator)) this.#trace(operator, operands, end);
    else if (TEXT_PAINT.has(operator)) this.#show(operands, end);
    else if (operator === 'Tm') this.#text?.place(operands, end);
    else if (operator === 'sh') this.#paint(operands.start, end);
    else if (operator === 'Do') this.#draw(operands, end);
    else this.#set(operator, operands, end);
  }

  /** No operator may come between the construction of a path and its painting, so an artifact includes the whole path. */
  #trace(operator: string, { start }: Operands, end: number): void {
    if (this.#pathStart < 0) this.#pathStart = start;
    if (PATH_START.has(operator)) return;
    if (operator !== 'n') this.#paint(this.#pathStart, end);
    this.#pathStart = -1;
  }

  #set(operator: string, { names, start }: Operands, end: number): void {
    const name = names.at(-1);
    if (name === undefined) return;
    if (operator === 'Tf') {
      this.#font = name;
      if (this.#text) this.#text.font = [start, end];
    } else if (operator === 'gs') this.#handlers.uses('ExtGState', name);
    else if (operator === 'scn' || operator === 'SCN') this.#handlers.uses('Pattern', name);
  }

  #cross(operator: string, operands: Operands, end: number): void {
    this.#close();
    if (operator === 'BDC' || operator === 'BMC') this.#beginMarked(operands, end);
    else if (operator === 'EMC') this.#endMarked(operands, end);
    else if (operator === 'BT') this.#beginText();
    else if (operator === 'ET') this.#endText(operands);
    else if (operator === 'q') {
      this.#fonts.push(this.#font);
      this.depth = Math.max(this.depth, ++this.#saved);
    } else if (operator === 'Q') {
      this.#font = this.#fonts.pop();
      this.#saved--;
    }
  }

  /** Begins a sequence. Tags and artifacts count as marked; a sequence that only has ActualText does not. */
  #beginMarked(operands: Operands, end: number): void {
    const { start, names, strings } = operands;
    const own = names.includes('MCID') ? readMcid(this.#content, operands, end) : undefined;
    if (own !== undefined && this.#repeated?.has(own)) this.#edits.push({ at: start, to: end, text: '/Artifact BMC' });
    const isMarked = names.includes('MCID') || names[0] === 'Artifact';
    this.#sequences.push({ isMarked, mcid: isMarked ? own : this.#sequences.at(-1)?.mcid });
    if (isMarked) this.#marked++;
    if (names[0] === 'ReversedChars' && this.#text) this.#text.isReversed = true;
    const [text] = strings;
    if (names.includes('ActualText') && text && !this.#span)
      this.#span = { depth: this.#sequences.length, text: decodeText(stringBytes(this.#content, text)), shown: [], start, end };
  }

  #endMarked({ start }: Operands, end: number): void {
    if (this.#span?.depth === this.#sequences.length) {
      const { shown, text, ...begin } = this.#span;
      const isSaid = this.#handlers.shows(shown, text, this.#text);
      if (isSaid && this.#text) this.#leaveOut(begin, { start, end });
      this.#span = undefined;
    }
    if (this.#sequences.pop()?.isMarked) this.#marked--;
  }

  /** Leaves operators out: poppler reads nothing after the end of a sequence inside of tagged content. */
  #leaveOut(...operators: Array<{ start: number; end: number }>): void {
    for (const { start, end } of operators) this.#edits.push({ at: start, to: end, text: '' });
  }

  #beginText(): void {
    const mcid = this.#sequences.at(-1)?.mcid;
    this.#text = mcid === undefined ? undefined : this.#handlers.begins(mcid);
  }

  #endText({ start }: Operands): void {
    if (this.#text) this.#text.end = start;
    if (this.#text?.font) this.#texts.push(this.#text);
    this.#text = undefined;
  }

  #show(operands: Operands, end: number): void {
    const codes = Buffer.concat(operands.strings.map((each) => stringBytes(this.#content, each)));
    const shown = { font: this.#font, codes };
    if (this.#span) this.#span.shown.push(shown);
    else this.#handlers.shows([shown], undefined, this.#text);
    this.#paint(operands.start, end);
  }

  #draw(operands: Operands, end: number): void {
    const given = operands.names.at(-1) ?? '';
    const { isTagged, name } = this.#handlers.draws(given, this.#marked > 0);
    if (isTagged) this.#close();
    else if (name !== given) {
      this.#close();
      const [before, after] = this.#marked > 0 ? ['', ''] : [BEGIN, END];
      this.#edits.push({ at: operands.start, to: end, text: `${before}/${name} Do${after}` });
    } else this.#paint(operands.start, end);
  }

  #paint(from: number, to: number): void {
    if (this.#marked > 0) return;
    this.#open ??= { from, to };
    this.#open.to = to;
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    this.#edits.push({ at: open.from, to: open.from, text: BEGIN }, { at: open.to, to: open.to, text: END });
  }
}

/** Shows a space at the end of a text object, and restores the font, which what follows may still use. */
function spaceAfter({ end, fontOperands }: TextObject): Edit {
  const [, size] = fontOperands.split(/\s+/);
  return { at: end, to: end, text: `/${SPACE_FONT} ${size} Tf( )Tj ${fontOperands} Tf\n` };
}
