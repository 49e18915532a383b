/** Validates the items of a batch, and finds duplicates: a batch request in, one prepared item or error for each item out. */
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, fieldErrors, ServiceError } from '../errors.ts';
import type { DefaultOptions } from '../render/request/default-options.ts';
import type { RenderLimits } from '../render/request/render-request.ts';
import { isMembers, type Members } from '../validate.ts';
import { type BatchRequest, merge, parseItem, readReference } from './batch-request.ts';
import type { ItemError } from './queue.ts';
import { SameItems } from './same-items.ts';

export interface PreparedItem {
  position: number;
  /** The position of the first identical item; its own position if it is that item, or not valid. */
  canonical: number;
  reference: string | undefined;
  /** The request without the defaults; only for canonical items. */
  member: Members | undefined;
  error: ItemError | undefined;
}

/** How long the items of a batch may block the event loop before other work gets a turn. */
const YIELD_AFTER_MS = 10;

export async function prepareItems(
  { kind = 'pdf', items, defaults }: BatchRequest,
  limits: RenderLimits,
  options?: DefaultOptions,
): Promise<PreparedItem[]> {
  const same = new SameItems();
  const prepared: PreparedItem[] = [];
  let since = performance.now();
  for (const [position, item] of items.entries()) {
    prepared.push({ ...prepareItem(item, position), reference: readReference(item) });
    if (performance.now() - since < YIELD_AFTER_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return prepared;

  function prepareItem(item: unknown, position: number): Omit<PreparedItem, 'reference'> {
    const error = findFault(() => parseItem(item, defaults, limits, kind, options));
    if (error || !isMembers(item)) return { position, canonical: position, member: undefined, error };
    const canonical = same.findCanonical(merge(item, defaults), position);
    const { reference: _, ...member } = item;
    return { position, canonical, member: canonical === position ? member : undefined, error };
  }
}

function findFault(parse: () => unknown): ItemError | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return toItemError(error);
    throw error;
  }
}

/** An error in the form in which it is stored and shown with the item. */
export function toItemError(error: ServiceError): ItemError & { code: ErrorCode } {
  const errors = fieldErrors(error).map(({ path, message }) => ({ path, message })); // without `normalized`, a password that must not be stored
  return { code: error.code, detail: error.message, ...(errors.length && { errors }) };
}
