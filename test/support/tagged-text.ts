/** Reads the text of a PDF as its tags state it, without regard to where the glyphs are. */
import { PdfDict, PdfName, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { decodeText, type Operands, readMcid, scanContent, stringBytes } from '../../src/pdf/content/content-scanner.ts';
import { Fonts } from '../../src/pdf/content/fonts.ts';
import { StreamDecoder } from '../../src/pdf/content/streams.ts';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { findResources } from '../../src/pdf/objects/page-view.ts';
import { isAnnotation, StructureElement } from '../../src/pdf/structure/structure-element.ts';
import { StructureTree } from '../../src/pdf/structure/structure-tree.ts';

const INLINE = /^(?:NonStruct|Span|Strong|Em|Code|Quote|Link|Ruby|RB|Annot|Reference)$/;
const SHOWS = new Set(['Tj', 'TJ', "'", '"']);

/** Returns the text of each block except labels of lists, in reading order. The PDF must not have object streams. */
export async function readTaggedText(bytes: Buffer): Promise<string[]> {
  const pdf = await EditablePdf.read(bytes);
  const tree = StructureTree.read(pdf);
  const blocks = textOf(tree.document, tree, new MarkedTexts(pdf)).split('\f');
  return blocks.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
}

/** Blocks are set apart by form feeds. */
function textOf(element: StructureElement, tree: StructureTree, texts: MarkedTexts): string {
  const parts = element.kids.map((kid) => {
    if (kid instanceof StructureElement) return textOf(kid, tree, texts);
    const { holder, mcid } = tree.leafPlace(kid, element);
    return isAnnotation(kid) ? '' : (texts.found.get(`${holder?.objectNumber} ${mcid}`) ?? '');
  });
  if (INLINE.test(element.type)) return parts.join('');
  return element.type === 'Lbl' ? '\f' : `\f${parts.join('')}\f`;
}

/** The text of marked content by the object number of its stream and its MCID. */
class MarkedTexts {
  readonly found = new Map<string, string>();
  readonly #pdf: EditablePdf;
  readonly #decoder = new StreamDecoder();
  readonly #fonts: Fonts;
  readonly #drawn = new Set<PdfObject>();

  constructor(pdf: EditablePdf) {
    this.#pdf = pdf;
    this.#fonts = new Fonts(pdf, this.#decoder);
    for (const { ref, page } of pdf.pages()) this.#scan(this.#decoder.pageContent(pdf, page), findResources(pdf, page), ref);
  }

  #scan(content: Buffer, resources: PdfDict | undefined, holder: PdfRef): void {
    const open: Sequence[] = [];
    let font: PdfObject | undefined;
    scanContent(content, (operator, operands, end) => {
      const name = operands.names[0] ?? '';
      if (operator === 'BDC' || operator === 'BMC') open.push(sequenceOf(content, operands, end));
      else if (operator === 'EMC') this.#close(open, holder);
      else if (operator === 'Tf') font = this.#pdf.nested(resources, 'Font', name);
      else if (operator === 'Do') this.#draw(this.#pdf.nested(resources, 'XObject', name), resources);
      else if (SHOWS.has(operator)) open.at(-1)?.shown.push(...this.#textsOf(font, content, operands));
    });
  }

  #textsOf(font: PdfObject | undefined, content: Buffer, { strings }: Operands): string[] {
    const codes = Buffer.concat(strings.map((each) => stringBytes(content, each)));
    const size = this.#isComposite(font) ? 2 : 1;
    return Array.from({ length: codes.length / size }, (_, at) =>
      this.#fonts.readText({ font, codes: codes.subarray(at * size, (at + 1) * size) }),
    );
  }

  #isComposite(font: PdfObject | undefined): boolean {
    const dict = this.#pdf.resolve(font);
    return dict instanceof PdfDict && dict.get('Subtype') === PdfName.of('Type0');
  }

  /** The text of a sequence belongs to the one around it, unless it has an MCID. */
  #close(open: Sequence[], holder: PdfRef): void {
    const { mcid, actualText, isReversed, shown } = open.pop() ?? sequence();
    const texts = actualText === undefined ? shown : [actualText];
    if (isReversed) texts.reverse();
    if (mcid === undefined) open.at(-1)?.shown.push(...texts);
    else this.found.set(`${holder.objectNumber} ${mcid}`, texts.join(''));
  }

  #draw(ref: PdfObject | undefined, resources: PdfDict | undefined): void {
    const form = this.#pdf.resolve(ref);
    if (!(ref instanceof PdfRef && form instanceof PdfStream) || this.#drawn.has(ref)) return;
    this.#drawn.add(ref);
    if (form.get('Subtype') === PdfName.of('Form'))
      this.#scan(this.#decoder.decode(form), this.#pdf.dict(form, 'Resources') ?? resources, ref);
  }
}

/** An open marked-content sequence. */
interface Sequence {
  mcid: number | undefined;
  actualText: string | undefined;
  isReversed: boolean;
  shown: string[];
}

function sequence(): Sequence {
  return { mcid: undefined, actualText: undefined, isReversed: false, shown: [] };
}

function sequenceOf(content: Buffer, operands: Operands, end: number): Sequence {
  const [text] = operands.strings;
  return {
    mcid: readMcid(content, operands, end),
    actualText: operands.names.includes('ActualText') && text ? decodeText(stringBytes(content, text)) : undefined,
    isReversed: operands.names[0] === 'ReversedChars',
    shown: [],
  };
}
