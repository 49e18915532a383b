/** Lists all batches of the key, the newest first, and updates those that are running. */
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Bar, isEnded, outcomeText, stateText } from './batch-state.tsx';
import { Empty, Name, PageHead, Time } from './components.tsx';
import { countText } from './format.ts';
import { type Paged, usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { BatchSummary, List } from './records.ts';
import { read } from './session.ts';
import { type Column, Table } from './table.tsx';

const FIRST = '/v1/batches?limit=25';
const LOOK_EVERY_MS = 2_000;

const EXAMPLE = `curl ${location.origin}/v1/batches \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"items": [{"reference": "one", "html": "<h1>One</h1>"}, {"reference": "two", "html": "<h1>Two</h1>"}]}'`;

export function BatchesPage() {
  const list = usePaged<BatchSummary>(FIRST);
  usePolling(list);
  return (
    <>
      <PageHead title="Batches">
        <Button label="Refresh" onClick={list.reload} />
      </PageHead>
      <PagedList
        list={list}
        one="batch"
        many="batches"
        empty={
          <Empty title="No batches yet" curl={EXAMPLE}>
            <p>A batch renders up to 500 documents in one call. Each succeeds or fails on its own.</p>
          </Empty>
        }
      >
        {(rows) => <Table caption="Batches, newest first" columns={COLUMNS} rows={rows} keyOf={({ batch_id }) => batch_id} />}
      </PagedList>
    </>
  );
}

/** Reloads the newest batches while any of them is running and the page is visible. */
function usePolling(list: Paged<BatchSummary>): void {
  const moving = list.rows?.some((batch) => !isEnded(batch)) ?? false;
  useEffect(() => {
    if (!moving) return;
    const left = new AbortController();
    const timer = setInterval(() => {
      if (document.hidden) return;
      read<List<BatchSummary>>(FIRST, { signal: left.signal })
        .then(({ data }) => list.merge(data, ({ batch_id }) => batch_id))
        .catch(() => {}); // The next reload will tell.
    }, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      left.abort();
    };
  }, [moving]);
}

const COLUMNS: Array<Column<BatchSummary>> = [
  { title: 'Batch', cell: (batch) => <BatchName batch={batch} /> },
  { title: 'State', look: 'wide', cell: stateText },
  { title: 'Progress', look: 'progress', cell: (batch) => <Progress batch={batch} /> },
  { title: 'Created', look: 'wide', cell: (batch) => <Time at={batch.created_at} /> },
];

function BatchName({ batch }: { batch: BatchSummary }) {
  return (
    <>
      <a href={`/dashboard/batches/${batch.batch_id}`}>
        <Name>{nameOf(batch)}</Name>
      </a>
      <div class="hint">
        <code class="break">{batch.batch_id}</code>
      </div>
      <div class="hint narrow">
        {stateText(batch)} · <Time at={batch.created_at} />
      </div>
    </>
  );
}

/** The metadata that its owner gave it, or its size. */
function nameOf({ metadata, total }: BatchSummary): string {
  const given = Object.entries(metadata).map(([name, value]) => `${name}: ${value}`);
  return given.length ? given.join(', ') : countText(total, 'document');
}

function Progress({ batch }: { batch: BatchSummary }) {
  return (
    <>
      <Bar batch={batch} />
      <span class="hint">{outcomeText(batch)}</span>
    </>
  );
}
