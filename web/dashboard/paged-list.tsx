/** Shows the loaded rows of a list, or a text if there are none. */
import type { ComponentChildren } from 'preact';
import { Button } from '../shared/button.tsx';
import { ErrorMessage } from './components.tsx';
import { countText } from './format.ts';
import type { Paged } from './paged.ts';

/** The noun for rows. `many` is needed only if it is not `one` with an s. */
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
  const { rows, error, hasMore } = list; // a search may have read only a part of the rows and found nothing so far
  return (
    <>
      {rows?.length === 0 && !hasMore && !error && empty}
      {rows !== undefined && rows.length > 0 && children(rows)}
      <ListEnd list={list} {...counted} />
    </>
  );
}

/** Shows the number of rows, an error, or the button for more. */
function ListEnd<T>({ list, one, many }: Counted & { list: Paged<T> }) {
  const shown = list.rows?.length;
  return (
    <div class="list-end">
      <ErrorMessage error={list.error} onRetry={list.rows && list.hasMore ? list.more : list.reload} />
      <p class="hint" role="status">
        {shown === undefined
          ? list.loading
            ? 'Loading…'
            : ''
          : `${countText(shown, one, many)}${list.hasMore ? ', and more' : ''}`}
      </p>
      {list.hasMore && <Button label="Load more" disabled={list.loading} onClick={list.more} />}
    </div>
  );
}
