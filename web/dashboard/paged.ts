/** Loads a list of the API page by page, with its cursor. */
import { useAction } from './action.ts';
import { useLoaded } from './loaded.ts';
import type { List } from './records.ts';
import { read } from './session.ts';

export interface Paged<T> {
  /** Undefined until the first page has loaded. */
  rows: T[] | undefined;
  hasMore: boolean;
  loading: boolean;
  error: unknown;
  more(): void;
  reload(): void;
  /** Replaces rows that were loaded again, and inserts new ones at the top. */
  merge(fresh: T[], idOf: (row: T) => string): void;
}

/** Starts again whenever `path` changes. */
export function usePaged<T>(path: string): Paged<T> {
  const list = useLoaded((signal) => read<List<T>>(path, { signal }), [path]);
  const next = useAction();
  const cursor = list.value?.next_cursor ?? null;
  const more = () =>
    next.run(async () => {
      if (cursor === null) return;
      const page = await read<List<T>>(`${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);
      // The page is ignored if the list has been started again.
      list.setValue((now) => (now?.next_cursor === cursor ? { ...page, data: [...now.data, ...page.data] } : now));
    });
  const merge = (fresh: T[], idOf: (row: T) => string) =>
    list.setValue((now) => now && { ...now, data: mergeRows(now.data, fresh, idOf) });
  return {
    rows: list.value?.data,
    hasMore: list.value?.has_more ?? false,
    loading: list.loading || next.running,
    error: list.error ?? next.error,
    more,
    reload: list.reload,
    merge,
  };
}

function mergeRows<T>(rows: T[], fresh: T[], idOf: (row: T) => string): T[] {
  const known = new Set(rows.map(idOf));
  const again = new Map(fresh.map((row) => [idOf(row), row]));
  return [...fresh.filter((row) => !known.has(idOf(row))), ...rows.map((row) => again.get(idOf(row)) ?? row)];
}
