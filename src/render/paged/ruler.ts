/** Reads the scale of a print from a link of a known size. */
import { RULER_PX } from '../../in-page/contract/overlay.ts';
import { PX_PER_POINT } from '../../units.ts';
import type { PagedPrint } from './paged-part.ts';

/** At 1, a CSS pixel is 1/96 inch. */
export function readScale({ places, print }: PagedPrint): number {
  const [ruler] = places.get('ruler') ?? [];
  return ruler ? (ruler.width * PX_PER_POINT) / RULER_PX : print.settings.scale;
}
