/**
 * Moves the places that links of a PDF lead to, in place. Chromium writes them as if the document were printed in its full size, also
 * where `scale` or the width of the paper makes it smaller.
 */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { objectNumbered, objectOf, readCrossReference } from '../objects/cross-reference.ts';

/** Before anything that the document says. */
const WITH_PLACES = /^\d+ 0 obj\n<<\/Type \/Catalog\n\/Pages \d+ 0 R\n\/Dests (\d+) 0 R\n/;
const PLACE = /\[(\d+) 0 R \/XYZ (-?[\d.]+) (-?[\d.]+) 0\]/g;
const BOX = /\/MediaBox \[[\d.]+ [\d.]+ [\d.]+ ([\d.]+)\]/;

const SAME = 0.001;

/** `scale` is 1 where a CSS pixel is 1/96 inch. Throws if Chromium did not print the PDF. */
export function scaleLinkPlaces(chunks: readonly Buffer[], scale: number): void {
  if (Math.abs(scale - 1) < SAME) return;
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  const catalog = objectOf(file, references, 'Root', references.trailer);
  const [, number] = WITH_PLACES.exec(catalog.text) ?? [];
  if (number === undefined) return;
  const tops = new Map<string, number>();
  const topOf = (page: string): number => {
    const known = tops.get(page) ?? Number(BOX.exec(objectNumbered(file, references, Number(page)).text)?.[1]);
    tops.set(page, known);
    return known;
  };
  const places = objectNumbered(file, references, Number(number));
  const scaled = places.text.replace(PLACE, (place, page: string, x: string, y: string) => {
    const top = topOf(page);
    return fitted(page, Number(x) * scale, top - (top - Number(y)) * scale, place);
  });
  file.overwrite(places.offset, scaled);
}

/** In as many characters as before, with fewer decimals where it has to be; unchanged where there is no room. */
function fitted(page: string, x: number, y: number, before: string): string {
  for (const decimals of [3, 1, 0]) {
    const place = `[${page} 0 R /XYZ ${x.toFixed(decimals)} ${y.toFixed(decimals)} 0]`;
    if (Number.isFinite(y) && place.length <= before.length) return place.padEnd(before.length);
  }
  return before;
}
