/**
 * Collects the images that pages draw, each once: the content of pages in, JPEGs as they are stored and PNGs out. PDFium decodes what is no
 * plain JPEG, with its masks, from a PDF in which each image is a page.
 */
import { createHash } from 'node:crypto';
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef, PdfStream } from '@libpdf/core';
import type { Dropped } from '../merge/merge-catalog.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { type Matrix, transform } from '../objects/matrix.ts';
import { writeWithObjectStreams } from '../objects/object-streams.ts';
import type { PageView } from '../objects/page-view.ts';
import { numbers } from '../objects/syntax.ts';
import type { ContentUse } from '../redact/read-content.ts';
import { UNIT_SQUARE } from '../redact/shapes.ts';
import { drawPngs } from './draw-pngs.ts';
import { type Box, shownBox } from './page-text.ts';

export interface ExtractedImage {
  type: 'image/jpeg' | 'image/png';
  /** In pixels. */
  width: number;
  height: number;
  bytes: number;
  /** Base64. */
  content: string;
  /** Pages are counted from 1. */
  places: Array<{ page: number } & Box>;
}

/** Images that cannot be returned within the limits. The message is a predicate such as `asks for more than 1000 images`. */
export class TooManyImagesError extends Error {
  override name = 'TooManyImagesError';
}

interface Found extends Pick<ExtractedImage, 'width' | 'height' | 'places'> {
  source: { ref: PdfRef; stream: PdfStream } | { inline: Buffer; resources: PdfDict | undefined };
}

const MAX_IMAGES = 1_000;
const MAX_PLACES = 20_000;
/** Each takes four bytes, once in PDFium and once here. */
const MAX_PIXELS = 25_000_000;
const PLAIN_SPACES = ['DeviceGray', 'DeviceRGB', 'CalGray', 'CalRGB'];

export class PageImages {
  readonly #pdf: ForeignPdf;
  readonly #lost: Dropped[];
  readonly #found = new Map<string, Found>();
  readonly #dropped = new Set<string>();
  #placesLeft = MAX_PLACES;

  /** `lost` takes what to say of images that cannot be read. */
  constructor(pdf: ForeignPdf, lost: Dropped[]) {
    this.#pdf = pdf;
    this.#lost = lost;
  }

  /** Throws `TooManyImagesError`. */
  addPage(page: number, view: PageView, use: ContentUse): void {
    for (const { from, to, matrix } of use.inlineImages) {
      const inline = use.content.subarray(from, to);
      const [width, height] = [inlineSize(inline, 'W'), inlineSize(inline, 'H')];
      const key = createHash('sha256').update(inline).digest('base64');
      this.#add(key, { source: { inline, resources: use.resources }, width, height }, { page, ...placeOf(view, matrix) });
    }
    for (const { ref, stream, matrix, use: form } of use.draws) {
      if (form) this.addPage(page, view, form);
      else if (this.#pdf.name(stream, 'Subtype') === 'Image') {
        const [width, height] = [this.#pdf.number(stream, 'Width') ?? 0, this.#pdf.number(stream, 'Height') ?? 0];
        this.#add(`${ref.objectNumber}`, { source: { ref, stream }, width, height }, { page, ...placeOf(view, matrix) });
      }
    }
  }

  /** Replaces the pages of the PDF. Throws `TooManyImagesError`. */
  async read(maxBytes: number): Promise<ExtractedImage[]> {
    const found = [...this.#found.values()];
    const jpegs = new Map(found.flatMap((image) => this.#jpegOf(image)));
    const drawn = found.filter((image) => !jpegs.has(image));
    const pngs = drawn.length ? drawPngs(this.#toPages(drawn), drawn) : undefined;
    const images: ExtractedImage[] = [];
    let bytesLeft = maxBytes;
    for (const image of found) {
      const jpeg = jpegs.get(image);
      const content = jpeg ?? (await pngs?.next())?.value;
      if (!content) this.#drop(image.places[0]?.page, 'cannot be decoded, or shows nothing');
      else images.push(toImage(image, jpeg ? 'image/jpeg' : 'image/png', content));
      bytesLeft -= content?.length ?? 0;
      if (bytesLeft < 0) throw new TooManyImagesError(`asks for images that are larger than ${maxBytes} bytes together`);
    }
    return images;
  }

  #add(key: string, image: Omit<Found, 'places'>, place: Found['places'][number]): void {
    const known = this.#found.get(key);
    if (this.#placesLeft-- <= 0) throw new TooManyImagesError(`asks for images that are drawn more than ${MAX_PLACES} times`);
    if (known) known.places.push(place);
    else if (this.#dropped.has(key)) return;
    else if (isSize(image.width) && isSize(image.height) && image.width * image.height <= MAX_PIXELS)
      this.#found.set(key, { ...image, places: [place] });
    else {
      this.#dropped.add(key);
      this.#drop(place.page, `has no size, or more than ${MAX_PIXELS} pixels`);
    }
    if (this.#found.size > MAX_IMAGES) throw new TooManyImagesError(`asks for more than ${MAX_IMAGES} images`);
  }

  #drop(page: number | undefined, why: string): void {
    this.#lost.push({ what: 'images', why: `an image of page ${page} ${why}` });
  }

  #jpegOf(image: Found): Array<[Found, Uint8Array]> {
    const { source } = image;
    return 'stream' in source && this.#isPlainJpeg(source.stream) ? [[image, source.stream.data]] : [];
  }

  /** Whether viewers of JPEGs show it as viewers of PDFs do. */
  #isPlainJpeg(stream: PdfStream): boolean {
    const filters = this.#pdf.listOrOne(stream, 'Filter').map((each) => this.#pdf.label(each));
    const isJpeg = filters.length === 1 && filters[0] === 'DCTDecode';
    return (
      isJpeg &&
      !['SMask', 'Mask', 'Decode', 'DecodeParms', 'ImageMask'].some((entry) => stream.has(entry)) &&
      this.#isPlain(stream)
    );
  }

  #isPlain(stream: PdfStream): boolean {
    const [family, profile] = this.#pdf.listOrOne(stream, 'ColorSpace').map((each) => this.#pdf.resolve(each));
    if (!(family instanceof PdfName)) return false;
    if (family.value !== 'ICCBased') return PLAIN_SPACES.includes(family.value);
    return [1, 3].includes(this.#pdf.number(this.#pdf.asDict(profile), 'N') ?? 0);
  }

  /** Layers would hide some of them. */
  #toPages(images: readonly Found[]): Uint8Array {
    const tree = this.#pdf.add(new PdfDict());
    const pages = images.map((image) => this.#pdf.add(this.#toPage(image, tree)));
    const entries = { Type: PdfName.of('Pages'), Kids: PdfArray.of(...pages), Count: PdfNumber.of(pages.length) };
    this.#pdf.change(tree, PdfDict.of(entries));
    for (const [name] of [...this.#pdf.catalog]) if (name.value !== 'Type') this.#pdf.catalog.delete(name);
    this.#pdf.catalog.set('Pages', tree);
    return writeWithObjectStreams(this.#pdf).join();
  }

  #toPage({ source, width, height }: Found, Parent: PdfRef): PdfDict {
    const image = 'inline' in source ? source.inline : Buffer.from('/I Do');
    const content = Buffer.concat([Buffer.from(`${width} 0 0 ${height} 0 0 cm\n`), image]);
    const objects: Record<string, PdfObject> = 'ref' in source ? { XObject: PdfDict.of({ I: source.ref }) } : {};
    return PdfDict.of({
      ...{ Type: PdfName.of('Page'), Parent, MediaBox: numbers(0, 0, width, height) },
      Resources: 'inline' in source ? (source.resources ?? new PdfDict()) : PdfDict.of(objects),
      Contents: this.#pdf.add(PdfStream.fromDict({}, content)),
    });
  }
}

function toImage({ width, height, places }: Found, type: ExtractedImage['type'], content: Uint8Array): ExtractedImage {
  return { type, width, height, places, bytes: content.length, content: Buffer.from(content).toString('base64') };
}

function placeOf(view: PageView, matrix: Matrix): Box {
  return shownBox(
    view,
    UNIT_SQUARE.map(([x, y]) => transform(matrix, x, y)),
  );
}

function isSize(pixels: number): boolean {
  return Number.isSafeInteger(pixels) && pixels > 0;
}

/** `name` is the short one of an entry. */
function inlineSize(image: Buffer, name: 'W' | 'H'): number {
  const entries = image.toString('latin1', 0, Math.max(0, image.indexOf('ID')));
  const long = name === 'W' ? 'Width' : 'Height';
  return Number(new RegExp(`/(?:${name}|${long})\\s{1,9}(\\d{1,9})\\b`).exec(entries)?.[1] ?? 0);
}
