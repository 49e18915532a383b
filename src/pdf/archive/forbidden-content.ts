/**
 * Finds content that PDF/A forbids and that the validator does not look for: colours without a meaning, and what a part does not know.
 * An open PDF and claims in, the violated rules out.
 */
import { PdfArray, PdfBool, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from '@libpdf/core';
import { type Claims, citeClauses, levelRank } from '../conformance/profiles.ts';
import { scanForeign } from '../content/content-scanner.ts';
import { foreignContent } from '../content/graphics-balance.ts';
import { readNumbers } from '../content/graphics-state.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { findResources } from '../objects/page-view.ts';
import { ContentReader } from '../redact/read-content.ts';

interface ForbiddenRule {
  /** The clause of ISO 19005-2. */
  archive: string;
  isOfPart1?: true;
  message: string;
}

const RULES = {
  color_undefined: {
    archive: '6.2.4.3',
    message: 'A colour is in a space of a device that the output intent does not describe.',
  },
  compression_forbidden: { archive: '6.1.7.2', message: 'A stream is compressed with LZW.' },
  stream_external: { archive: '6.1.7.1', message: 'The content of a stream is in another file.' },
  image_interpolated: { archive: '6.2.8', message: 'An image asks viewers to smooth it (Interpolate).' },
  transfer_function: { archive: '6.2.5', message: 'A graphics state changes colours with a transfer function.' },
  content_unreadable: { archive: '6.1.7.1', message: 'The content of a page or a form XObject cannot be read.' },
  text_unmapped: { archive: '6.2.11.7.2', message: 'A font does not map a glyph that is shown to Unicode.' },
  number_too_large: {
    archive: '6.1.13',
    isOfPart1: true,
    message: 'A number of the content is larger than 32,767.',
  },
  transparency: { archive: '6.2.10', isOfPart1: true, message: 'There is transparency.' },
  image_unknown: { archive: '6.2.8.3', isOfPart1: true, message: 'An image is compressed with JPEG 2000.' },
  layers: { archive: '6.9', isOfPart1: true, message: 'There are layers.' },
} as const satisfies Record<string, ForbiddenRule>;

type RuleName = keyof typeof RULES;

export interface ForbiddenContent {
  rule: RuleName;
  clause: string;
  message: string;
  count: number;
}

const MAX_DEPTH = 100;
/** Operators that set colours of a device. */
const DEVICE_COLORS: Readonly<Record<string, string>> = { rg: 'DeviceRGB', RG: 'DeviceRGB', k: 'DeviceCMYK', K: 'DeviceCMYK' };
const INLINE_COLOR = /\/(?:CS|ColorSpace)\s*\/(?:(RGB|DeviceRGB)|(CMYK|DeviceCMYK))\b/;

export function findForbidden(pdf: EditablePdf, claims: Claims): ForbiddenContent[] {
  return claims.archive ? new Search(pdf, claims).run() : [];
}

/** The limit of PDF 1.4 for numbers that are not whole. */
function isTooLarge(number: number): boolean {
  return Math.abs(number) > 32_767 && !Number.isInteger(number);
}

class Search {
  readonly #pdf: EditablePdf;
  readonly #claims: Claims;
  readonly #reader: ContentReader;
  readonly #counts = new Map<RuleName, number>();
  /** The space that the output intent does not describe. */
  readonly #undefined: string;

  constructor(pdf: EditablePdf, claims: Claims) {
    this.#pdf = pdf;
    this.#claims = claims;
    this.#reader = new ContentReader(pdf, false);
    const [intent] = pdf.list(pdf.catalog, 'OutputIntents').map((each) => pdf.asDict(each));
    this.#undefined = pdf.number(pdf.dict(intent, 'DestOutputProfile'), 'N') === 4 ? 'DeviceRGB' : 'DeviceCMYK';
  }

  run(): ForbiddenContent[] {
    for (const { ref, page } of this.#pdf.pages()) {
      this.#scan(() => foreignContent(this.#pdf, page));
      if (this.#needsUnicode) this.#checkText(ref.objectNumber, page);
    }
    for (const object of [...this.#pdf.objects()]) if ('value' in object) this.#check(object.value, 0);
    if (this.#pdf.catalog.has('OCProperties')) this.#add('layers');
    return [...this.#counts].map(([rule, count]) => {
      const { message } = RULES[rule];
      return { rule, clause: citeClauses(RULES[rule], this.#claims), message, count };
    });
  }

  /** PDF/A-4 has no levels, and requires what level U of other parts does. */
  get #needsUnicode(): boolean {
    const { part, level = '' } = this.#claims.archive ?? {};
    return part === 4 || levelRank(level) >= levelRank('U');
  }

  #checkText(id: number, page: PdfDict): void {
    try {
      const read = this.#reader.read(foreignContent(this.#pdf, page), findResources(this.#pdf, page), id);
      if (read.glyphs.some(({ text }) => text === undefined)) this.#add('text_unmapped');
    } catch {
      this.#add('text_unmapped');
    }
  }

  #add(rule: RuleName): void {
    const isOfPart1: boolean | undefined = (RULES[rule] as ForbiddenRule).isOfPart1;
    if (!isOfPart1 || this.#claims.archive?.part === 1) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1);
  }

  #scan(read: () => Uint8Array): void {
    const isOfPart1 = this.#claims.archive?.part === 1;
    try {
      const content = Buffer.from(read());
      scanForeign(content, (operator, { start }, end) => {
        if (DEVICE_COLORS[operator] === this.#undefined) this.#add('color_undefined');
        if (isOfPart1 && readNumbers(content, start, end).some(isTooLarge)) this.#add('number_too_large');
        if (operator === 'BI') this.#checkInline(content.toString('latin1', start, end));
      });
    } catch {
      this.#add('content_unreadable');
    }
  }

  #checkInline(image: string): void {
    const [, rgb, cmyk] = INLINE_COLOR.exec(image) ?? [];
    if (this.#undefined === 'DeviceRGB' ? rgb : cmyk) this.#add('color_undefined');
  }

  /** Checks what is in an object, but not what it refers to. */
  #check(value: PdfObject, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (value instanceof PdfName && value.value === this.#undefined) this.#add('color_undefined');
    const items =
      value instanceof PdfArray ? value.toArray() : value instanceof PdfDict ? [...value].map(([, item]) => item) : [];
    for (const item of items) this.#check(item, depth + 1);
    if (value instanceof PdfStream) this.#checkStream(value);
    if (value instanceof PdfDict) this.#checkState(value);
  }

  #checkStream(stream: PdfStream): void {
    const filters = this.#pdf.listOrOne(stream, 'Filter').map((each) => this.#pdf.resolve(each));
    const names = filters.map((each) => (each instanceof PdfName ? each.value : ''));
    if (names.includes('LZWDecode')) this.#add('compression_forbidden');
    if (names.includes('JPXDecode')) this.#add('image_unknown');
    if (stream.has('F')) this.#add('stream_external');
    if (this.#pdf.resolve(stream.get('Interpolate')) === PdfBool.TRUE) this.#add('image_interpolated');
    const isContent = this.#pdf.name(stream, 'Subtype') === 'Form' || this.#pdf.number(stream, 'PatternType') === 1;
    if (isContent) this.#scan(() => stream.getDecodedData());
  }

  #checkState(dict: PdfDict): void {
    if (this.#isTransparent(dict)) this.#add('transparency');
    const isState = ['TR', 'TR2', 'HTP'].some((entry) => dict.has(entry)) && this.#pdf.name(dict, 'Type') === 'ExtGState';
    const isDefault = !dict.has('TR') && !dict.has('HTP') && this.#pdf.name(dict, 'TR2') === 'Default';
    if (isState && !isDefault) this.#add('transfer_function');
  }

  /** A graphics state, a group, or an image or an annotation that lets through what is below it. */
  #isTransparent(dict: PdfDict): boolean {
    const mode = this.#pdf.resolve(dict.get('BM'));
    const isBlended = mode instanceof PdfArray || (mode instanceof PdfName && !/^(?:Normal|Compatible)$/.test(mode.value));
    const mask = this.#pdf.resolve(dict.get('SMask'));
    const isMasked = mask instanceof PdfDict;
    const isFaint = ['ca', 'CA'].some((entry) => {
      const alpha = this.#pdf.resolve(dict.get(entry));
      return alpha instanceof PdfNumber && alpha.value !== 1;
    });
    return isBlended || isMasked || isFaint || this.#pdf.name(dict, 'S') === 'Transparency';
  }
}
