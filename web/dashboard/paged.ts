/** Loads a list of the API page by page, with its cursor. */
import { useRef } from 'preact/hooks';
import { isReturn } from '../shell/route.ts';
import { useAction } from './action.ts';
import { useRead } from './cached.ts';
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

/** Starts again whenever `path` changes. When the visitor comes back, the rows are those of before, with the newest loaded again. */
export function usePaged<T>(path: string): Paged<T> {
  const returns = useRef(isReturn());
  const list = useRead<List<T>>(path, (fresh, kept) => {
    const rows = returns.current && kept ? refresh(kept, fresh) : fresh;
    returns.current = false;
    return rows;
  });
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

/** Replaces the first rows. If the last of the fresh ones is not among the others, too much has changed to keep these. */
function refresh<T>(before: List<T>, fresh: List<T>): List<T> {
  const last = fresh.data.at(-1);
  const index = before.data.findIndex((row) => last !== undefined && idOf(row) === idOf(last));
  if (index < 0 || !fresh.has_more) return fresh;
  return { ...before, data: [...fresh.data, ...before.data.slice(index + 1)] };
}

/** All records of lists but deliveries have an `id`. */
function idOf(row: unknown): string | undefined {
  const { id, delivery_id } = row as { id?: string; delivery_id?: string };
  return id ?? delivery_id;
}

function mergeRows<T>(rows: T[], fresh: T[], idOf: (row: T) => string): T[] {
  const known = new Set(rows.map(idOf));
  const again = new Map(fresh.map((row) => [idOf(row), row]));
  return [...fresh.filter((row) => !known.has(idOf(row))), ...rows.map((row) => again.get(idOf(row)) ?? row)];
}
