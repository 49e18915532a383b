/** Asks a document to prepare its headers and footers, and how high they are. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { type HeaderMargins, MAX_HEADERS } from '../../in-page/contract/page-headers.ts';
import { DONE } from '../devtools/ask.ts';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';
import { MISSING_PARTS, missingResources } from '../load/inspect/missing-resources.ts';
import type { MissingResource } from '../print/missing-resource.ts';
import type { PagedWorld } from './paged-world.ts';

const PAUSE_MS = 3;
/** Images and fonts that take longer are not waited for. */
const MAX_WAIT_MS = 5_000;
const HEIGHTS = shape(
  Type.Union([Type.Array(Type.Number({ minimum: 0, maximum: MAX_LENGTH_PX }), { maxItems: MAX_HEADERS }), Type.Null()]),
);

export async function prepareHeaders(world: PagedWorld, markup: string[]): Promise<void> {
  await world.ask('prepareHeaders', [markup], DONE);
}

/** Returns the heights in CSS pixels. Without scripts no promise would settle in the document, so that it is polled. */
export async function measureHeaders(world: PagedWorld, widthsPx: number[]): Promise<number[]> {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += PAUSE_MS) {
    const heights = await world.ask('measureHeaders', [widthsPx, true], HEIGHTS);
    if (heights) return heights;
    await sleep(PAUSE_MS);
  }
  return (await world.ask('measureHeaders', [widthsPx, false], HEIGHTS)) ?? [];
}

export async function findMissingInHeaders(world: PagedWorld): Promise<MissingResource[]> {
  return missingResources(await world.ask('findMissingInHeaders', [], MISSING_PARTS));
}

export async function setHeaderMargins(world: PagedWorld, margins: HeaderMargins): Promise<void> {
  await world.ask('setHeaderMargins', [margins], DONE);
}
