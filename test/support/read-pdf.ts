/** Reads PDFs with pdf.js, so that tests can assert on what a reader sees. */
import { OPS, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { openPdf } from './open-pdf.ts';

/** The position of the start of a text's baseline, in points from the left and top edge. */
export interface TextPosition {
  text: string;
  x: number;
  y: number;
}

export interface ReadPdf {
  /** The text of each page. */
  pages: string[];
  title: string | undefined;
  /** The size of each page in points. */
  sizes: Array<{ width: number; height: number }>;
  /** The position of the first text on the first page. */
  firstText: TextPosition | undefined;
  /** The position of each text on each page. */
  placed: TextPosition[][];
  /** Titles of the bookmarks, indented by their depth. */
  outline: string[];
  /** Number of images painted on all pages. */
  images: number;
  /** Fill colours used on the first page, as #rrggbb. */
  fills: string[];
  tagged: boolean;
  /** Names of the fonts on the first page, in the order of their use. */
  fonts: string[];
}

/** Width and height of each page in millimetres, to a thousandth. */
export function millimetresOf({ sizes }: Pick<ReadPdf, 'sizes'>): Array<[width: number, height: number]> {
  const millimetres = (points: number) => Number(((points / 72) * 25.4).toFixed(3));
  return sizes.map(({ width, height }) => [millimetres(width), millimetres(height)]);
}

export async function readPdf(bytes: ArrayBuffer | Uint8Array): Promise<ReadPdf> {
  await using opened = await openPdf(bytes);
  const { document } = opened;
  const pages: string[] = [];
  const sizes: ReadPdf['sizes'] = [];
  const placed: TextPosition[][] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
    sizes.push({ width: right - left, height: top - bottom });
    const { items } = await page.getTextContent();
    const texts = items.filter((item) => 'str' in item);
    pages.push(
      texts
        .map(({ str, hasEOL }) => str + (hasEOL ? ' ' : ''))
        .join('')
        .replace(/\s+/g, ' ')
        .trim(),
    );
    placed.push(
      texts
        .filter(({ str }) => str.trim())
        .map(({ str, transform }) => ({ text: str, x: transform[4] as number, y: top - (transform[5] as number) })),
    );
  }
  const { info } = await document.getMetadata();
  const title = (info as { Title?: string }).Title;
  const first = await document.getPage(1);
  const operators = await first.getOperatorList();
  const tagged = (await first.getStructTree()) !== null;
  const images = await countImages(document);
  const fills = operators.fnArray.flatMap((operator, index) =>
    operator === OPS.setFillRGBColor ? [colour(operators.argsArray[index])] : [],
  );
  const fontIds = operators.fnArray.flatMap((operator, index) =>
    operator === OPS.setFont ? [operators.argsArray[index][0] as string] : [],
  );
  const fonts = [...new Set(fontIds.map((id) => nameOf(first.commonObjs.get(id) as { name: string; isType3Font: boolean })))];
  const outline = titlesOf((await document.getOutline()) ?? []);
  return { pages, title, sizes, placed, firstText: placed[0]?.[0], outline, images, fills, tagged, fonts };
}

/** Returns the number of pages, which takes much less time than reading thousands of them. */
export async function countPages(bytes: ArrayBuffer | Uint8Array): Promise<number> {
  await using opened = await openPdf(bytes);
  return opened.document.numPages;
}

/** Returns a name such as `Arimo-Bold` or `Type 3 NotoColorEmoji`. */
function nameOf({ name, isType3Font }: { name: string; isType3Font: boolean }): string {
  return (isType3Font ? 'Type 3 ' : '') + name.replace(/^[A-Z]{6}\+/, '');
}

interface Bookmark {
  title: string;
  items: Bookmark[];
}

function titlesOf(bookmarks: Bookmark[], depth = 0): string[] {
  return bookmarks.flatMap(({ title, items }) => [`${'  '.repeat(depth)}${title}`, ...titlesOf(items, depth + 1)]);
}

export async function readPdfReply(response: Response): Promise<ReadPdf> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return readPdf(await response.arrayBuffer());
}

const PAINTS_IMAGE = new Set<number>([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageXObjectRepeat,
  OPS.paintImageMaskXObject,
]);

async function countImages(document: PDFDocumentProxy): Promise<number> {
  let images = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const { fnArray } = await (await document.getPage(number)).getOperatorList();
    images += fnArray.filter((operator) => PAINTS_IMAGE.has(operator)).length;
  }
  return images;
}

function colour(args: unknown): string {
  const [first] = args as unknown[];
  if (typeof first === 'string') return first;
  return `#${[...(args as Uint8ClampedArray)].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
