/** Below a list: how much of it is shown, what went wrong, the way to more. */
import type { Paged } from './paged.ts';
import { Fault } from './pieces.tsx';
import { countText } from './words.ts';

export function ListEnd<T>({ list, one, many }: { list: Paged<T>; one: string; many?: string }) {
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
