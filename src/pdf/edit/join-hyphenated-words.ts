/**
 * Lets programs that read a PDF find words that were hyphenated: takes out the soft hyphens that Chromium writes, and changes the text of
 * hyphens at line ends. See docs/decisions/0101-hyphenation.md.
 */
import { PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { hasCode } from '../../errors.ts';
import { outlineItems } from '../conformance/outline-items.ts';
import { Fonts, unicodeMap } from '../content/fonts.ts';
import { StreamDecoder } from '../content/streams.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { findResources } from '../objects/page-view.ts';
import { deflatedStream, entriesOf, textString } from '../objects/syntax.ts';

const SOFT_HYPHEN = '\u00ad';
/**
 * A soft hyphen, with a glyph that shows nothing, of another font if that of the text has none (`SkPDFDevice::internalDrawGlyphRun`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDevice.cpp).
 */
const MARKED = String.raw`/Span<</ActualText <FEFF00AD> >> BDC\n(/\w+ [.\d]+ Tf\n[-.\d ]+ Tm\n)?([-.\d]+ [-.\d]+ Td )?<[\dA-F]+> Tj\nEMC\n`;
const SOFT_HYPHENS = new RegExp(MARKED, 'g');
/** A soft hyphen at the end of a line, and the hyphen after it, which is a text object of its own. It may be underlined. */
const LINE_ENDS = new RegExp(
  String.raw`(${MARKED}ET\n(?:[-.\d ]+ re\nf\n)?BT\n)/(\w+)( [.\d]+ Tf\n[-.\d ]+ Tm\n<([\dA-F]{4})> Tj\nET\n)`,
  'g',
);
const HYPHEN = /^[^\p{L}\p{N}\s]$/u;

export function joinHyphenatedWords(editable: EditablePdf): void {
  new WordJoiner(editable).join();
  for (const { ref, item } of outlineItems(editable)) {
    const title = editable.text(item, 'Title');
    if (title.includes(SOFT_HYPHEN)) editable.update(ref, { Title: textString(title.replaceAll(SOFT_HYPHEN, '')) });
  }
}

class WordJoiner {
  readonly #editable: EditablePdf;
  readonly #streams = new StreamDecoder();
  readonly #fonts: Fonts;
  readonly #seen = new Set<number>();
  /** Copies of fonts whose glyph for a hyphen has another text, by the font and the name of the copy. */
  readonly #copies = new Map<PdfObject | undefined, Map<string, PdfRef>>();
  /** Readers of tags expect a soft hyphen (ISO 32000-1, 14.8.2.2.3). Others join lines at a hyphen of ASCII. */
  readonly #hyphen: string;

  constructor(editable: EditablePdf) {
    this.#editable = editable;
    this.#fonts = new Fonts(editable, this.#streams);
    this.#hyphen = editable.catalog.has('StructTreeRoot') ? SOFT_HYPHEN : '-';
  }

  join(): void {
    try {
      for (const { ref, page } of this.#editable.pages())
        this.#joinAll(ref, this.#editable.listOrOne(page, 'Contents'), findResources(this.#editable, page));
    } catch (error) {
      if (!hasCode(error, 'resource_limit')) throw error; // the rest of a PDF that is too large stays as it is
    }
  }

  /** Joins the words in the content of a page or a form, and in the forms that it draws. */
  #joinAll(owner: PdfRef, contents: PdfObject[], resources: PdfDict | undefined): void {
    const fonts = new Map<string, PdfRef>();
    for (const ref of contents) if (ref instanceof PdfRef) this.#joinIn(ref, resources, fonts);
    if (fonts.size) this.#addFonts(owner, resources, fonts);
    for (const [, ref] of this.#editable.dict(resources, 'XObject') ?? []) {
      const form = this.#editable.resolve(ref);
      const isNewForm = form instanceof PdfStream && this.#editable.name(form, 'Subtype') === 'Form' && ref instanceof PdfRef;
      if (isNewForm && !this.#seen.has(ref.objectNumber))
        this.#joinAll(ref, [ref], this.#editable.dict(form, 'Resources') ?? resources);
    }
  }

  #joinIn(ref: PdfRef, resources: PdfDict | undefined, fonts: Map<string, PdfRef>): void {
    this.#seen.add(ref.objectNumber);
    const stream = this.#editable.resolve(ref);
    if (!(stream instanceof PdfStream)) return;
    const content = this.#streams.decode(stream);
    if (!content.includes('<FEFF00AD>')) return;
    const ended = content
      .toString('latin1')
      .replace(LINE_ENDS, (all, before: string, _font, _move, name: string, rest: string, code) => {
        const font = this.#editable.nested(resources, 'Font', name);
        const text = this.#fonts.readText({ font, codes: Buffer.from(code, 'hex') });
        if (!HYPHEN.test(text) || text === this.#hyphen) return all;
        const copy = `${name}Hyphen${code}`;
        fonts.set(copy, this.#copyFont(font, copy, Number.parseInt(code, 16)));
        return `${before}/${copy}${rest}`;
      });
    const joined = ended.replace(SOFT_HYPHENS, (_all, font = '', move?: string) => font + (move ? `${move}<> Tj\n` : ''));
    this.#editable.change(ref, deflatedStream(entriesOf(stream), Buffer.from(joined, 'latin1')));
  }

  #copyFont(font: PdfObject | undefined, name: string, code: number): PdfRef {
    const copies = this.#copies.get(font) ?? new Map<string, PdfRef>();
    this.#copies.set(font, copies);
    const known = copies.get(name);
    if (known) return known;
    const map = Buffer.from(unicodeMap(new Map([[code, this.#hyphen]]), true), 'latin1');
    const ToUnicode = this.#editable.add(deflatedStream({}, map));
    const copy = this.#editable.asDict(font)?.clone() ?? new PdfDict();
    copy.set('ToUnicode', ToUnicode);
    const ref = this.#editable.add(copy);
    copies.set(name, ref);
    return ref;
  }

  /** Other owners may share the resources. */
  #addFonts(owner: PdfRef, resources: PdfDict | undefined, fonts: Map<string, PdfRef>): void {
    const Resources = resources?.clone() ?? new PdfDict();
    const all = this.#editable.copyDictionary(Resources, 'Font');
    for (const [name, font] of fonts) all.set(name, font);
    Resources.set('Font', all);
    const form = this.#editable.resolve(owner);
    if (form instanceof PdfStream) this.#editable.change(owner, PdfStream.fromDict({ ...entriesOf(form), Resources }, form.data));
    else this.#editable.update(owner, { Resources });
  }
}
