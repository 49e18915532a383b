/** Searches a PDF for a text without code of the service that redacts: its bytes, all decoded streams, and what pdf.js reads. */
import { PDF, PdfArray, PdfDict, PdfName, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import { openPdf } from './open-pdf.ts';

const squeeze = (text: string) =>
  text
    .replace(/[\s\u00ad\u200b]+/g, '')
    .normalize('NFKC')
    .toLowerCase();
/** Without repetitions, for text that is drawn twice. */
const once = (text: string) => squeeze(text).replace(/(.)\1+/g, '$1');
const inUtf16 = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('latin1');

/** Where texts are found; empty if they are nowhere. White space and case do not count. */
export async function findTexts(pdf: Uint8Array, texts: readonly string[]): Promise<string[]> {
  const [bytes, said] = readObjects(await PDF.load(pdf));
  const read = await readWithPdfJs(pdf);
  return texts.flatMap((text) => {
    const forms = [text, inUtf16(text)].flatMap((each) => [each, Buffer.from(each, 'latin1').toString('hex')]);
    const places = {
      'the file': forms.some((form) => [Buffer.from(pdf), ...bytes].some((each) => each.includes(form, 0, 'latin1'))),
      'an object': said.some((each) => squeeze(each).includes(squeeze(text))),
      'pdf.js': read.some((each) => [squeeze, once].some((fold) => fold(each).includes(fold(text)))),
    };
    return Object.entries(places).flatMap(([place, isThere]) => (isThere ? [`${text} in ${place}`] : []));
  });
}

/** The content of streams, and the strings and names of all objects. */
function readObjects(pdf: PDF): [Buffer[], string[]] {
  const ids = Array.from({ length: pdf.context.registry.nextObjectNumber }, (_, id) => id);
  const parts = ids.flatMap((id) => partsOf(pdf.getObject(PdfRef.of(id)) ?? undefined));
  return [
    parts.flatMap((part) => (typeof part === 'string' ? [] : Buffer.from(part))),
    parts.filter((part) => typeof part === 'string'),
  ];
}

/** The strings and names of an object, and the content of its streams. */
function partsOf(value: PdfObject | undefined): Array<string | Uint8Array> {
  if (value instanceof PdfString) return [value.asString()];
  if (value instanceof PdfName) return [value.value];
  if (value instanceof PdfArray) return value.toArray().flatMap(partsOf);
  if (!(value instanceof PdfDict)) return [];
  const own = value instanceof PdfStream ? [decoded(value)] : [];
  return [...own, ...[...value].flatMap(([name, item]) => [name.value, ...partsOf(item)])];
}

function decoded(stream: PdfStream): Uint8Array {
  try {
    return stream.getDecodedData();
  } catch {
    return stream.data;
  }
}

interface Placed {
  str: string;
  transform: number[];
}

/** The text in the order of its places. */
function sorted(items: readonly Placed[]): string {
  const placed = items.map(({ str, transform: [, , , , x = 0, y = 0] }) => ({ str, x, y: Math.round(y) }));
  return placed
    .sort((one, other) => other.y - one.y || one.x - other.x)
    .map(({ str }) => str)
    .join('');
}

async function readWithPdfJs(pdf: Uint8Array): Promise<string[]> {
  await using opened = await openPdf(pdf);
  const { document } = opened;
  const said: string[] = [JSON.stringify(await document.getMetadata()), JSON.stringify((await document.getOutline()) ?? [])];
  said.push(JSON.stringify((await document.getFieldObjects()) ?? {}), JSON.stringify((await document.getPageLabels()) ?? []));
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: true });
    const plain = (await page.getTextContent({ disableNormalization: true })).items;
    for (const all of [items, plain]) said.push(all.map((item) => ('str' in item ? item.str : '')).join(''));
    said.push(sorted(plain.filter((item) => 'str' in item && item.str.trim()) as Placed[]));
    said.push(JSON.stringify(await page.getAnnotations()), JSON.stringify((await page.getStructTree()) ?? {}));
  }
  return said;
}
