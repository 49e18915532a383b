/** Follows a list of the document while its tags are read, which are in the same order: what is on no page has no tag. */

/** Returns a function that finds the next item with this key, and passes over those before it; none where the rest has none. */
export function follow<T>(items: readonly T[], keyOf: (item: T) => string): (key: string) => T | undefined {
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
export function followPart<T>(items: readonly T[], keyOf: (item: T) => string): (key: string) => T | undefined {
  const byKey = Map.groupBy(items, keyOf);
  return (key) => {
    const [item, another] = byKey.get(key) ?? [];
    return another ? undefined : item;
  };
}
