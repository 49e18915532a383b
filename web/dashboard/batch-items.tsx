/** Lists the items of a batch with their outcomes: all, or only the failed ones. */

import { useState } from 'preact/hooks';
import { sizeText } from '../shared/size-text.ts';
import { Name } from './components.tsx';
import { countText, numberText, sentence } from './format.ts';
import type { BatchItem } from './records.ts';

const STATES: Record<BatchItem['status'], string> = {
  queued: 'Waiting',
  running: 'Running',
  succeeded: 'Rendered',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function BatchItems({ items }: { items: BatchItem[] }) {
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
      <table class="list">
        <caption class="visually-hidden">Items in the order of the request</caption>
        <thead>
          <tr>
            <th scope="col" class="number wide">
              No.
            </th>
            <th scope="col">Reference</th>
            <th scope="col">State</th>
            <th scope="col" class="number wide">
              Pages
            </th>
            <th scope="col" class="number wide">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((item) => (
            <ItemRow key={item.index} item={item} />
          ))}
        </tbody>
      </table>
      <p class="hint" role="status">
        {failedOnly ? countText(shown.length, 'failed item') : countText(shown.length, 'item')}
      </p>
    </section>
  );
}

function ItemRow({ item }: { item: BatchItem }) {
  const { index, reference, status, document_id, pages, bytes, error } = item;
  const title = reference ?? `Item ${numberText(index + 1)}`;
  return (
    <tr>
      <td class="number wide">{numberText(index + 1)}</td>
      <td>
        {document_id ? (
          <a href={`#/documents/${document_id}`}>
            <Name>{title}</Name>
          </a>
        ) : (
          <Name>{title}</Name>
        )}
      </td>
      <td>
        <span class={`state ${status}`}>{STATES[status]}</span>
        {error && (
          <p class="error">
            {sentence(error.detail ?? error.code)} <code>{error.code}</code>
          </p>
        )}
      </td>
      <td class="number wide">{pages ?? ''}</td>
      <td class="number wide">{bytes === null ? '' : sizeText(bytes)}</td>
    </tr>
  );
}
