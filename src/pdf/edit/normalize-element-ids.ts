/**
 * Renumbers the ids of structure elements in place, in sorted order from 1. Chromium takes the ids of header cells from a counter
 * of the browser, so that the same document would get different ids each time
 * (`appendNodeIdArray`: https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc).
 */
import { setImmediate } from 'node:timers/promises';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';

const ELEMENT_ID = /^\(node\d{8}\)$/;
const ELEMENT_ID_LENGTH = '(node00000000)'.length;
/** The text before an id: the key `ID`, the start of an array, or its previous item. Alternate text may look the same. */
const BEFORE = /\/ID $|\[$|[)R] $/;
const BEFORE_LENGTH = 4;

/** A document can contain any number of texts that look like ids. With more than this, its ids are left unchanged. */
const MAX_FOUND = 500_000;
/** After this many, other work of the thread gets a turn. */
const BATCH = 10_000;

interface Found {
  at: number;
  name: string;
  isDefinition: boolean;
}

export async function normalizeElementIds(chunks: readonly Buffer[]): Promise<void> {
  const file = new ChunkedBuffer(chunks);
  const found = await findIds(file);
  const ids = [...new Set(found.filter(({ isDefinition }) => isDefinition).map(({ name }) => name))].sort();
  const numbers = new Map(ids.map((name, index) => [name, `(node${String(index + 1).padStart(8, '0')})`]));
  for (const [index, { at, name }] of found.entries()) {
    if (index % BATCH === BATCH - 1) await setImmediate();
    file.overwrite(at, numbers.get(name) ?? name);
  }
}

async function findIds(file: ChunkedBuffer): Promise<Found[]> {
  const found: Found[] = [];
  let seen = 0;
  for (const at of file.findPositions('(node')) {
    seen++;
    if (seen > MAX_FOUND) return [];
    if (seen % BATCH === 0) await setImmediate();
    const name = file.text(at, ELEMENT_ID_LENGTH);
    const before = ELEMENT_ID.test(name) ? file.text(at - BEFORE_LENGTH, BEFORE_LENGTH) : '';
    if (BEFORE.test(before)) found.push({ at, name, isDefinition: before === '/ID ' });
  }
  return found;
}
