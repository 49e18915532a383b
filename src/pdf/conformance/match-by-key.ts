/**
 * Matches tags with items of the document, which are in the same order. Items that are on no page have no tag and are skipped.
 */

/**
 * Returns a function that finds the next item with a key and skips the items before it. It returns undefined, and skips nothing,
 * if no remaining item has the key.
 */
export function matchInOrder<T>(items: readonly T[], keyOf: (item: T) => string): (key: string) => T | undefined {
  const keys = items.map(keyOf);
  let from = 0;
  return (key) => {
    const at = keys.indexOf(key, from);
    if (at < 0) return undefined;
    from = at + 1;
    return items[at];
  };
}

/** The same for tags of a part of the document: which of several items with this key one is cannot be told. */
export function matchUnique<T>(items: readonly T[], keyOf: (item: T) => string): (key: string) => T | undefined {
  const byKey = Map.groupBy(items, keyOf);
  return (key) => {
    const [item, another] = byKey.get(key) ?? [];
    return another ? undefined : item;
  };
}
