/** Lists the renders and batch items of the last days that match the filters. */
import { Button } from '../shared/button.tsx';
import { sizeText } from '../shared/size-text.ts';
import { Empty, Name, PageHead, Time } from './components.tsx';
import { ChoiceFilter, DayFilter, TextFilter, toParameters, toPeriod, useFilters } from './filters.tsx';
import { durationText, timeText } from './format.ts';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { LoggedRequest, TemplateRecord } from './records.ts';
import { LOGGED_STATES, titleOf } from './request-page.tsx';
import { type Column, Table } from './table.tsx';
import { TemplateFilter } from './template-filter.tsx';
import { useTemplates } from './templates.ts';

const FILTERS = ['status', 'code', 'template', 'batch', 'reference', 'from', 'until'] as const;

const EXAMPLE = `curl ${location.origin}/v1/pdf \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"html": "<h1>Hello, paper</h1>"}' -o hello.pdf`;

export function RequestsPage({ query }: { query: URLSearchParams }) {
  const filters = useFilters(FILTERS, query);
  const { template, batch, from, until, ...same } = filters.settled;
  const parameters = toParameters({ ...same, template_id: template, batch_id: batch, ...toPeriod(from, until) });
  const list = usePaged<LoggedRequest>(`/v1/requests?${parameters}`);
  const templates = useTemplates();
  return (
    <>
      <PageHead title="Requests">
        <Button label="Refresh" onClick={list.reload} />
      </PageHead>
      <search class="filters">
        <ChoiceFilter label="State" name="status" filters={filters}>
          <option value="failed">{LOGGED_STATES.failed}</option>
          <option value="succeeded">{LOGGED_STATES.succeeded}</option>
        </ChoiceFilter>
        <TextFilter label="Error code" name="code" filters={filters} placeholder="render_timeout" />
        <TextFilter label="Reference" name="reference" filters={filters} placeholder="Of a batch item" />
        {filters.values.batch !== '' && <TextFilter label="Batch" name="batch" filters={filters} />}
        <TemplateFilter filters={filters} />
        <DayFilter label="From" name="from" filters={filters} />
        <DayFilter label="Until" name="until" filters={filters} />
      </search>
      <PagedList
        list={list}
        one="request"
        empty={
          filters.isFiltered ? (
            <Empty title="Nothing matches">
              <Button label="Clear all filters" onClick={filters.clear} />
            </Empty>
          ) : (
            <Empty title="No requests in the last days" curl={EXAMPLE}>
              <p>Each render and batch item of this key is listed here for some days, without its HTML and data.</p>
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            caption="Requests, newest first"
            columns={columnsWith(templates)}
            rows={rows}
            keyOf={({ request_id }) => request_id}
          />
        )}
      </PagedList>
    </>
  );
}

function columnsWith(templates: TemplateRecord[]): Array<Column<LoggedRequest>> {
  return [
    { title: 'Request', cell: (row) => <RequestName row={row} title={titleOf(row, templates)} /> },
    { title: 'State', cell: (row) => <State row={row} /> },
    { title: 'Pages', look: 'number wide', cell: ({ pages }) => pages },
    { title: 'Size', look: 'number wide', cell: ({ bytes }) => bytes !== undefined && sizeText(bytes) },
    { title: 'Took', look: 'number wide', cell: ({ milliseconds }) => durationText(milliseconds) },
    { title: 'Ended', look: 'wide', cell: (row) => <Time at={row.created_at} /> },
  ];
}

/** The link has the time for who hears the links of the page without the table. */
function RequestName({ row, title }: { row: LoggedRequest; title: string }) {
  return (
    <>
      <a href={`/dashboard/requests/${row.request_id}`}>
        <Name>{row.reference ?? title}</Name>
        <span class="visually-hidden"> {timeText(row.created_at)}</span>
      </a>
      {row.reference !== undefined && (
        <div class="hint">
          <Name>{title}</Name>
        </div>
      )}
      <div class="hint narrow">
        <Time at={row.created_at} /> · {durationText(row.milliseconds)}
      </div>
    </>
  );
}

function State({ row: { status, code, warning_count = 0 } }: { row: LoggedRequest }) {
  return (
    <>
      <span class={`state ${status}`}>{LOGGED_STATES[status]}</span>
      {code && (
        <div>
          <code>{code}</code>
        </div>
      )}
      {warning_count > 0 && <div class="hint">with warnings</div>}
    </>
  );
}
