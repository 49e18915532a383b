/** Lists the items of a batch with their outcomes: all, or only the failed ones. */

import { useState } from 'preact/hooks';
import { sizeText } from '../shared/size-text.ts';
import { Name } from './components.tsx';
import { countText, numberText, sentence } from './format.ts';
import type { BatchItem } from './records.ts';
import { type Column, Table } from './table.tsx';

const STATES: Record<BatchItem['status'], string> = {
  queued: 'Waiting',
  running: 'Running',
  succeeded: 'Rendered',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function BatchItems({ items, batchId }: { items: BatchItem[]; batchId: string }) {
  const [failedOnly, setFailedOnly] = useState(false);
  const shown = failedOnly ? items.filter(({ status }) => status === 'failed') : items;
  return (
    <section class="stack">
      <div class="page-head">
        <h2>Items</h2>
        <label class="check">
          <input type="checkbox" checked={failedOnly} onChange={(event) => setFailedOnly(event.currentTarget.checked)} />
          <span>Failed only</span>
        </label>
      </div>
      <Table caption="Items in the order of the request" columns={columnsOf(batchId)} rows={shown} keyOf={({ index }) => index} />
      <p class="hint" role="status">
        {failedOnly ? countText(shown.length, 'failed item') : countText(shown.length, 'item')}
      </p>
    </section>
  );
}

function columnsOf(batchId: string): Array<Column<BatchItem>> {
  return [
    { title: 'No.', look: 'number wide', cell: ({ index }) => numberText(index + 1) },
    { title: 'Reference', cell: (item) => <Reference item={item} batchId={batchId} /> },
    { title: 'State', cell: (item) => <State item={item} /> },
    { title: 'Pages', look: 'number wide', cell: ({ pages }) => pages },
    { title: 'Size', look: 'number wide', cell: ({ bytes }) => bytes !== null && sizeText(bytes) },
  ];
}

/** Links to the document of the item, or to what the request log has about it. */
function Reference({ item: { index, reference, status, document_id }, batchId }: { item: BatchItem; batchId: string }) {
  const title = <Name>{reference ?? `Item ${numberText(index + 1)}`}</Name>;
  if (document_id) return <a href={`/dashboard/documents/${document_id}`}>{title}</a>;
  if (status !== 'failed') return title;
  const query = new URLSearchParams({ batch: batchId, status, ...(reference !== null && { reference }) });
  return <a href={`/dashboard/requests?${query}`}>{title}</a>;
}

function State({ item: { status, error } }: { item: BatchItem }) {
  return (
    <>
      <span class={`state ${status}`}>{STATES[status]}</span>
      {error && (
        <p class="error">
          {sentence(error.detail ?? error.code ?? '')} <code>{error.code}</code>
        </p>
      )}
    </>
  );
}
