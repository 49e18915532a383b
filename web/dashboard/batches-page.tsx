/** Lists all batches of the key, the newest first, and updates those that are running. */
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Bar, isEnded, outcomeText, stateText } from './batch-state.tsx';
import { Empty, PageHead, Time } from './components.tsx';
import { type Paged, usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { BatchSummary, List } from './records.ts';
import { read } from './session.ts';

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
        {(rows) => <BatchTable rows={rows} />}
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

function BatchTable({ rows }: { rows: BatchSummary[] }) {
  return (
    <table class="list">
      <caption class="visually-hidden">Batches, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Batch</th>
          <th scope="col" class="wide">
            State
          </th>
          <th scope="col">Progress</th>
          <th scope="col" class="wide">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((batch) => (
          <tr key={batch.batch_id}>
            <td>
              <a href={`#/batches/${batch.batch_id}`}>
                <code class="break">{batch.batch_id}</code>
              </a>
              <div class="hint narrow">
                {stateText(batch)} · <Time at={batch.created_at} />
              </div>
            </td>
            <td class="wide">{stateText(batch)}</td>
            <td class="progress">
              <Bar batch={batch} />
              <span class="hint">{outcomeText(batch)}</span>
            </td>
            <td class="wide">
              <Time at={batch.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
