/** Asks a document what of it depends on its pages, and changes that as a print tells. */
import { Type } from 'typebox';
import { ServiceError } from '../../errors.ts';
import {
  type ContentsOrder,
  MAX_PAGE_NUMBER,
  MAX_PAGED_TEXT,
  PAGED_LIMITS,
  type PagedElements,
} from '../../in-page/contract/paged.ts';
import { DONE } from '../devtools/ask.ts';
import { shape } from '../devtools/evaluate.ts';
import type { PagedWorld } from './paged-world.ts';

const Text = Type.String({ maxLength: MAX_PAGED_TEXT });
const Integer = Type.Integer({ minimum: -MAX_PAGE_NUMBER, maximum: MAX_PAGE_NUMBER });

const PAGED_ELEMENTS = shape(
  Type.Union([
    Type.Object({ notFound: Type.Enum(['place', 'selector'] as const) }),
    Type.Object({ exceeded: Type.Enum(Object.keys(PAGED_LIMITS) as Array<keyof typeof PAGED_LIMITS>) }),
    Type.Object({
      strings: Type.Array(Type.Object({ name: Text, value: Text, at: Text, spaceAbove: Type.Number() })),
      numbers: Type.Array(Type.Object({ at: Text, number: Integer, isReset: Type.Boolean() })),
      references: Type.Array(Type.Object({ to: Text, style: Text, element: Text })),
      bookmarks: Type.Array(Type.Object({ at: Text, level: Integer, label: Text, isClosed: Type.Boolean() })),
      running: Type.Array(Type.Object({ name: Text, at: Text, spaceAbove: Type.Number() })),
      names: Type.Array(Type.Object({ at: Text, name: Text, isForced: Type.Boolean() })),
      isReversed: Type.Boolean(),
      missing: Type.Array(Type.Object({ to: Text, element: Text })),
    }),
  ]),
);

/** Marks the elements on whose pages something depends. Throws `resource_limit`, and `invalid_request` if contents have no place. */
export async function readPagedContent(
  world: PagedWorld,
  key: string,
  contents: ContentsOrder | undefined,
): Promise<PagedElements> {
  const found = await world.ask('readPagedContent', [key, contents ?? null], PAGED_ELEMENTS);
  if ('notFound' in found)
    throw new ServiceError('invalid_request', '{option}: is not a selector, or no element of the document matches it', {
      about: `contents_${found.notFound}`,
    });
  if (!('exceeded' in found)) return found;
  const limit = PAGED_LIMITS[found.exceeded];
  const what = found.exceeded === 'running' ? 'running elements' : found.exceeded;
  throw new ServiceError('resource_limit', `the document has more than ${limit} ${what} that depend on its pages`, {
    members: { limit },
  });
}

export async function showReferences(world: PagedWorld, numbers: string[]): Promise<void> {
  await world.ask('showReferences', [numbers], DONE);
}

export async function setMarginRules(world: PagedWorld, css: string): Promise<void> {
  await world.ask('setMarginRules', [css], DONE);
}
