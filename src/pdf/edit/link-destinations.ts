/**
 * Corrects the named destinations of a PDF in place. Chromium writes their coordinates as if the document were printed at full
 * size, even if `scale` or the paper width makes it smaller.
 */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { readCrossReference, readObject, readReferenced } from '../objects/cross-reference.ts';

/** Anchored at the start of the catalog, so that text from the document cannot match. */
const CATALOG_WITH_DESTS = /^\d+ 0 obj\n<<\/Type \/Catalog\n\/Pages \d+ 0 R\n\/Dests (\d+) 0 R[\n>]/;
const DESTINATION = /\[(\d+) 0 R \/XYZ (-?[\d.]+) (-?[\d.]+) 0\]/g;
const BOX = /\/MediaBox \[[\d.]+ [\d.]+ [\d.]+ ([\d.]+)\]/;

/** A scale that differs less from 1 needs no correction. */
const TOLERANCE = 0.001;

/** `scale` is 1 if a CSS pixel is printed as 1/96 inch. Throws if Chromium did not print the PDF. */
export function scaleLinkDestinations(chunks: readonly Buffer[], scale: number): void {
  if (Math.abs(scale - 1) < TOLERANCE) return;
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  const catalog = readReferenced(file, references, 'Root', references.trailer);
  const [, number] = CATALOG_WITH_DESTS.exec(catalog.text) ?? [];
  if (number === undefined) return;
  const tops = new Map<string, number>();
  const pageTop = (page: string): number => {
    const known = tops.get(page) ?? Number(BOX.exec(readObject(file, references, Number(page)).text)?.[1]);
    tops.set(page, known);
    return known;
  };
  const destinations = readObject(file, references, Number(number));
  const scaled = destinations.text.replace(DESTINATION, (destination, page: string, x: string, y: string) => {
    const top = pageTop(page);
    return fitDestination(page, Number(x) * scale, top - (top - Number(y)) * scale, destination);
  });
  file.overwrite(destinations.offset, scaled);
}

/** A destination of the same length as `before`, with fewer decimals if necessary, or `before` itself if none fits. */
function fitDestination(page: string, x: number, y: number, before: string): string {
  for (const decimals of [3, 1, 0]) {
    const destination = `[${page} 0 R /XYZ ${x.toFixed(decimals)} ${y.toFixed(decimals)} 0]`;
    if (Number.isFinite(y) && destination.length <= before.length) return destination.padEnd(before.length);
  }
  return before;
}
