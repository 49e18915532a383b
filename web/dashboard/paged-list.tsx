/** A list as far as it has come: its rows, or what is said where there are none. */
import type { ComponentChildren } from 'preact';
import { Fault } from './components.tsx';
import { countText } from './format.ts';
import type { Paged } from './paged.ts';

/** How rows are counted in words: `many` only where it is not `one` with an s. */
interface Counted {
  one: string;
  many?: string;
}

interface PagedListProps<T> extends Counted {
  list: Paged<T>;
  empty: ComponentChildren;
  children: (rows: T[]) => ComponentChildren;
}

export function PagedList<T>({ list, empty, children, ...counted }: PagedListProps<T>) {
  const { rows, fault, hasMore } = list; // a search may have more to look at, and nothing found so far
  return (
    <>
      {rows?.length === 0 && !hasMore && !fault && empty}
      {rows !== undefined && rows.length > 0 && children(rows)}
      <ListEnd list={list} {...counted} />
    </>
  );
}

/** How much of it is shown, what went wrong, the way to more. */
function ListEnd<T>({ list, one, many }: Counted & { list: Paged<T> }) {
  const shown = list.rows?.length;
  return (
    <div class="list-end">
      <Fault fault={list.fault} onRetry={list.rows && list.hasMore ? list.more : list.reload} />
      <p class="hint" role="status">
        {shown === undefined
          ? list.loading
            ? 'Loading…'
            : ''
          : `${countText(shown, one, many)}${list.hasMore ? ', and more' : ''}`}
      </p>
      {list.hasMore && (
        <button type="button" class="button" disabled={list.loading} onClick={list.more}>
          Load more
        </button>
      )}
    </div>
  );
}
