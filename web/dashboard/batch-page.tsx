/** Shows a batch: its items as they complete, and downloads of all results. */

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { showToast } from '../shared/toast.tsx';
import { go } from '../shell/route.ts';
import { useAction } from './action.ts';
import { type BatchUpdate, followBatch } from './batch-feed.ts';
import { BatchItems } from './batch-items.tsx';
import { Bar, isEnded, outcomeText, stateText } from './batch-state.tsx';
import { useRead } from './cached.ts';
import { ErrorMessage, Facts, Loading, PageHead, Time } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { isAbort, type Loaded } from './loaded.ts';
import type { Batch, BatchItem } from './records.ts';
import { call } from './session.ts';

export function BatchPage({ id }: { id: string }) {
  const path = `/v1/batches/${encodeURIComponent(id)}`;
  const loaded = useRead<Batch>(path);
  const { broken, error } = useBatchFeed(path, loaded);
  const batch = loaded.value;
  return (
    <>
      <p class="back">
        <a href="/dashboard/batches">All batches</a>
      </p>
      <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
      <ErrorMessage error={error} onRetry={loaded.reload} />
      {broken && (
        <p class="note warn" role="status">
          The connection was lost. The page is connecting again.
        </p>
      )}
      {!batch && loaded.loading && <Loading what="the batch" />}
      {batch && <Found batch={batch} path={path} onChange={loaded.reload} />}
    </>
  );
}

/** Keeps the batch up to date until it ends. */
function useBatchFeed(path: string, { value, setValue }: Loaded<Batch>): { broken: boolean; error: unknown } {
  const [broken, setBroken] = useState(false);
  const [error, setError] = useState<unknown>();
  const moves = value !== undefined && !isEnded(value);
  useEffect(() => {
    if (!moves) return;
    const left = new AbortController();
    const onUpdate = (update: BatchUpdate) => {
      setValue((batch) => batch && applyUpdate(batch, update));
      if (update.summary) showToast(`The batch has finished: ${outcomeText(update.summary)}.`);
    };
    setError(undefined);
    followBatch(path, { onUpdate, onConnection: setBroken }, left.signal).catch((error: unknown) => {
      if (!isAbort(error)) setError(error);
    });
    return () => left.abort();
  }, [path, moves]);
  return { broken: broken && moves, error };
}

function applyUpdate(batch: Batch, { items: fresh, summary }: BatchUpdate): Batch {
  const items = [...batch.items];
  for (const item of fresh) items[item.index] = item;
  const count = (status: BatchItem['status']) => items.filter((item) => item.status === status).length;
  const counted: Batch = { ...batch, status: 'running', succeeded: count('succeeded'), failed: count('failed') };
  return { ...counted, ...summary, items };
}

function Found({ batch, path, onChange }: { batch: Batch; path: string; onChange(): void }) {
  const [cancels, setCancels] = useState(false);
  const cancel = async () => {
    await call(path, { method: 'DELETE' });
    setCancels(false);
    onChange();
  };
  return (
    <>
      <PageHead title="Batch">
        {isEnded(batch) ? (
          <>
            {batch.failed > 0 && <RunAgain path={path} />}
            <Downloads batch={batch} path={path} />
          </>
        ) : (
          <Button label="Cancel" look="danger" onClick={() => setCancels(true)} />
        )}
      </PageHead>
      <section class="batch-progress" aria-label="Progress">
        <Bar batch={batch} />
        <p>
          <strong>{stateText(batch)}</strong>: {outcomeText(batch)}
        </p>
      </section>
      <Facts
        facts={[
          [
            'Id',
            <code key="id" class="break">
              {batch.batch_id}
            </code>,
          ],
          ['Created', <Time key="created" at={batch.created_at} />],
          ...(batch.completed_at
            ? [['Ended', <Time key="ended" at={batch.completed_at} />] as [string, preact.JSX.Element]]
            : []),
        ]}
      />
      <BatchItems items={batch.items} batchId={batch.batch_id} />
      {cancels && (
        <Confirm title="Cancel this batch?" verb="Cancel the rest" onConfirm={cancel} onClose={() => setCancels(false)}>
          <p>Items that have not started are cancelled. Documents that have been rendered are kept.</p>
        </Confirm>
      )}
    </>
  );
}

/** Starts a batch of the failed items, and shows it. */
function RunAgain({ path }: { path: string }) {
  const action = useAction();
  const run = async () => {
    const batch = (await (await call(`${path}/retry`, { method: 'POST' })).json()) as Batch;
    showToast('The failed items are a new batch.');
    go(`/dashboard/batches/${batch.batch_id}`);
  };
  return (
    <>
      <Button label="Run failed items again" disabled={action.running} onClick={() => action.run(run)} />
      <ErrorMessage error={action.error} />
    </>
  );
}

function Downloads({ batch, path }: { batch: Batch; path: string }) {
  if (batch.succeeded === 0) return null;
  return (
    <>
      <a class="button" href={`${path}.zip`}>
        Download ZIP
      </a>
      <a class="button" href={`${path}.pdf`} target="_blank" rel="noopener">
        Open as one PDF
      </a>
    </>
  );
}
