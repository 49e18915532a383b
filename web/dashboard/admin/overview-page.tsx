/** Shows the state of the service, and what has failed in all accounts. */
import { Button } from '../../shared/button.tsx';
import { sizeText } from '../../shared/size-text.ts';
import { useRead } from '../cached.ts';
import { Cause, Empty, ErrorMessage, Loading, Time } from '../components.tsx';
import { TextFilter, toParameters, useFilters } from '../filters.tsx';
import { countText, numberText, sentence } from '../format.ts';
import { usePaged } from '../paged.ts';
import { PagedList } from '../paged-list.tsx';
import type { AdminFailure, ServiceState } from '../records.ts';
import { type Column, Table } from '../table.tsx';
import { AccountLink, AdminHead } from './admin-head.tsx';

const FILTERS = ['account', 'code'] as const;

export function OverviewPage({ query }: { query: URLSearchParams }) {
  const state = useRead<ServiceState>('/v1/admin/state');
  const filters = useFilters(FILTERS, query);
  const { account, code } = filters.settled;
  const list = usePaged<AdminFailure>(`/v1/admin/errors?${toParameters({ account_id: account, code })}`);
  const refresh = () => {
    state.reload();
    list.reload();
  };
  return (
    <>
      <AdminHead title="Administration">
        <Button label="Refresh" onClick={refresh} />
      </AdminHead>
      <ErrorMessage error={state.error} onRetry={state.reload} />
      {!state.value && state.loading && <Loading what="the state of the service" />}
      {state.value && <Figures state={state.value} />}
      <h2>Recent errors</h2>
      <search class="filters">
        <TextFilter label="Account" name="account" filters={filters} placeholder="acc_…" />
        <TextFilter label="Error code" name="code" filters={filters} placeholder="render_timeout" />
      </search>
      <PagedList
        list={list}
        one="error"
        empty={
          filters.isFiltered ? (
            <Empty title="Nothing matches">
              <Button label="Clear all filters" onClick={filters.clear} />
            </Empty>
          ) : (
            <Empty title="No render has failed in the last days" />
          )
        }
      >
        {(rows) => <Table caption="Errors, newest first" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />}
      </PagedList>
    </>
  );
}

function Figures({ state }: { state: ServiceState }) {
  const { running, waiting, capacity, browsers, crashes, waiting_items, failed_webhooks, disk_bytes, disk_free_bytes } = state;
  return (
    <>
      <div class="key-figures">
        <Figure title="Renders running" value={numberText(running)} hint={`of ${capacity} at a time, ${waiting} waiting`} />
        <Figure title="Batch items waiting" value={numberText(waiting_items)} />
        <Figure
          title="Browsers"
          value={numberText(browsers)}
          hint={`${countText(crashes, 'crash', 'crashes')} since the start`}
        />
        <Figure title="Failed webhooks" value={numberText(failed_webhooks)} hint="in the last 30 days" />
      </div>
      <p class="hint">
        {sizeText(disk_free_bytes)} of {sizeText(disk_bytes)} disk space left. Platen {state.version}, Node {state.node},{' '}
        {state.browser}. With several nodes, renders, browsers and disk are those of the node that answered.
      </p>
    </>
  );
}

function Figure({ title, value, hint }: { title: string; value: string; hint?: string }) {
  return (
    <section>
      <h2>{title}</h2>
      <p class="figure">{value}</p>
      {hint && <p class="hint">{hint}</p>}
    </section>
  );
}

const COLUMNS: Array<Column<AdminFailure>> = [
  { title: 'Error', cell: (failure) => <Failure failure={failure} /> },
  { title: 'Account', look: 'wide', cell: ({ account_id }) => <AccountLink id={account_id} /> },
  { title: 'Request', look: 'wide', cell: ({ id }) => <code class="break">{id}</code> },
  { title: 'Ended', look: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

function Failure({ failure: { code, message, cause, endpoint, account_id, created_at } }: { failure: AdminFailure }) {
  return (
    <>
      <code>{code}</code>
      <div>{sentence(message)}</div>
      <Cause cause={cause} />
      <div class="hint">{endpoint}</div>
      <div class="hint narrow">
        <AccountLink id={account_id} /> · <Time at={created_at} />
      </div>
    </>
  );
}
