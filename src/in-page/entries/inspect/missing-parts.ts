/**
 * Finds parts of a loaded document that are missing although no network request failed, or that have the wrong content. Without scripts,
 * images in styles are not decoded, because nothing can be waited for.
 */
import type { MissingPart } from '../../contract/inspection.ts';
import { MAX_ALTERNATIVES, MAX_MISSING_PARTS, MAX_MISSING_URL } from '../../contract/limits.ts';
import { ELEMENT_STEPS } from './missing-elements.ts';
import { noteStyles } from './missing-styles.ts';
import { findPlaces, type Note } from './places.ts';

/** Images of each kind that are decoded in one place. */
const MAX_IMAGES = 50;

export async function findMissingParts(decodesImages: boolean): Promise<MissingPart[]> {
  const found = new Map<string, MissingPart>();
  for (const place of findPlaces(document)) {
    const note = noteIn(found, place.root.baseURI);
    for (const step of [...ELEMENT_STEPS, noteStyles]) {
      try {
        await step(place, note, decodesImages ? MAX_IMAGES : 0);
      } catch {
        // a document that breaks the functions used here is not inspected
      }
    }
  }
  return [...found.values()];
}

export function noteIn(found: Map<string, MissingPart>, base: string): Note {
  const shorten = (given: string) => {
    const url = URL.parse(given, base);
    return (url && /^https?:/.test(url.protocol) ? url.href : given).slice(0, MAX_MISSING_URL);
  };
  return (given, reason, others = []) => {
    const url = shorten(given);
    if (!given || !reason || found.size >= MAX_MISSING_PARTS || found.has(url)) return;
    found.set(url, [url, reason, others.slice(0, MAX_ALTERNATIVES).map(shorten)]);
  };
}
