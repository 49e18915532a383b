/** Asks a document which elements must begin on a page of one side, and puts empty pages before them. */
import { Type } from 'typebox';
import { MAX_PAGED_TEXT, MAX_SIDED_BREAKS, type SidedBreak } from '../../in-page/contract/paged.ts';
import { BOOLEAN } from '../devtools/ask.ts';
import { shape } from '../devtools/evaluate.ts';
import type { PagedWorld } from './paged-world.ts';

const SIDED_BREAKS = shape(
  Type.Array(Type.Object({ at: Type.String({ maxLength: MAX_PAGED_TEXT }), isRecto: Type.Boolean() }), {
    maxItems: MAX_SIDED_BREAKS,
  }),
);

/** Marks the elements, in their order, so that the PDF has a destination for each. */
export function readSidedBreaks(world: PagedWorld, key: string): Promise<SidedBreak[]> {
  return world.ask('readSidedBreaks', [key], SIDED_BREAKS);
}

/**
 * Puts an empty page before these elements and no others, where that changes nothing else. Without rules for empty pages, those between
 * pages of one name have it, too. Returns whether any changed.
 */
export function placeBlankPages(world: PagedWorld, numbers: number[], hasRules: boolean): Promise<boolean> {
  return world.ask('placeBlankPages', [numbers, hasRules], BOOLEAN);
}
