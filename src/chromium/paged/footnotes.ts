/** Asks a document about its footnotes. */
import { Type } from 'typebox';
import { ServiceError } from '../../errors.ts';
import {
  CROWDINGS,
  type Crowding,
  type FootnoteParts,
  MAX_FOOTNOTES,
  MAX_PAGED_TEXT,
  type MeasuredFootnotes,
  type PagedFootnote,
} from '../../in-page/contract/paged.ts';
import { DONE } from '../devtools/ask.ts';
import { MAX_LENGTH_PX, type Shape, shape } from '../devtools/evaluate.ts';
import type { PagedWorld } from './paged-world.ts';

const FOOTNOTES = shape(
  Type.Union([
    Type.Null(),
    Type.Array(Type.Object({ at: Type.String({ maxLength: MAX_PAGED_TEXT }), number: Type.Integer() }), {
      maxItems: MAX_FOOTNOTES,
    }),
  ]),
);
const Heights = Type.Array(Type.Number({ minimum: 0, maximum: MAX_LENGTH_PX }), { maxItems: MAX_FOOTNOTES });
const HEIGHTS = shape(Heights);

const DISTRIBUTED: Shape<FootnoteParts[] | Crowding> = shape(
  Type.Union([
    Type.Enum(CROWDINGS),
    Type.Array(
      Type.Object({
        page: Type.Integer({ minimum: 0 }),
        numbers: Type.Array(Type.Integer({ minimum: 0, maximum: MAX_FOOTNOTES }), { maxItems: MAX_FOOTNOTES }),
        heights: { ...Heights, minItems: 1 },
      }),
      { maxItems: MAX_FOOTNOTES },
    ),
  ]),
);

/** Takes the footnotes out of the text. Throws `resource_limit`. */
export async function takeFootnotes(world: PagedWorld, key: string, isTagged: boolean): Promise<PagedFootnote[]> {
  const found = await world.ask('takeFootnotes', [key, isTagged], FOOTNOTES);
  if (found) return found;
  throw new ServiceError('resource_limit', `the document has more than ${MAX_FOOTNOTES} footnotes`, {
    members: { limit: MAX_FOOTNOTES },
  });
}

/** The height of each group of footnotes on a page of this width, in CSS pixels. */
export function measureFootnotes(world: PagedWorld, widths: number[], groups: number[][]): Promise<number[]> {
  return world.ask('measureFootnotes', [widths, groups], HEIGHTS);
}

/** Divides the footnotes of each page between it and the next pages, which all have so much room, in CSS pixels. */
export function distributeFootnotes(world: PagedWorld, measured: MeasuredFootnotes, heightPx: number) {
  return world.ask('distributeFootnotes', [measured, heightPx], DISTRIBUTED);
}

export async function numberFootnotes(world: PagedWorld, numbers: number[]): Promise<void> {
  await world.ask('numberFootnotes', [numbers], DONE);
}

/** Reserves these heights in CSS pixels at the bottom of pages, by their name, which is empty for all pages. */
export async function reserveFootnotes(world: PagedWorld, heightsPx: Record<string, number>): Promise<void> {
  await world.ask('reserveFootnotes', [heightsPx], DONE);
}

/** Makes the line of each call so much higher, in CSS pixels. */
export async function spreadCalls(world: PagedWorld, heightsPx: number[]): Promise<void> {
  await world.ask('spreadCalls', [heightsPx], DONE);
}
