/** Lists the stored documents of the key that match the filters, the newest first. */

import { Button } from '../shared/button.tsx';
import { sizeText } from '../shared/size-text.ts';
import { Empty, Name, PageHead, Span, Time } from './components.tsx';
import { DayFilter, TextFilter, toParameters, toPeriod, useFilters } from './filters.tsx';
import { countText } from './format.ts';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { DocumentRecord, TemplateRecord } from './records.ts';
import { type Column, Table } from './table.tsx';
import { TemplateFilter } from './template-filter.tsx';
import { useTemplates } from './templates.ts';
import { Thumbnail } from './thumbnail.tsx';

const SOURCES: Record<DocumentRecord['source'], string> = {
  html: 'HTML',
  markdown: 'Markdown',
  url: 'URL',
  template: 'Template',
  assembly: 'Assembly',
};

const EXAMPLE = `curl ${location.origin}/v1/pdf \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"html": "<h1>Hello, paper</h1>", "store": true, "filename": "hello.pdf"}'`;

const FILTERS = ['q', 'template', 'from', 'until'] as const;

export function DocumentsPage({ query }: { query: URLSearchParams }) {
  const filters = useFilters(FILTERS, query);
  const { q, template, from, until } = filters.settled;
  const parameters = toParameters({ q: q.trim(), template_id: template, ...toPeriod(from, until) });
  const list = usePaged<DocumentRecord>(`/v1/documents?${parameters}`);
  const templates = useTemplates();
  return (
    <>
      <PageHead title="Documents">
        <Button label="Refresh" onClick={list.reload} />
      </PageHead>
      <search class="filters">
        <TextFilter label="Search" name="q" filters={filters} placeholder="Part of a name, or a document id" />
        <TemplateFilter filters={filters} />
        <DayFilter label="Created from" name="from" filters={filters} />
        <DayFilter label="Created until" name="until" filters={filters} />
      </search>
      <PagedList
        list={list}
        one="document"
        empty={filters.isFiltered ? <NothingFound onClear={filters.clear} /> : <NoDocuments />}
      >
        {(rows) => <DocumentTable rows={rows} templates={templates} />}
      </PagedList>
    </>
  );
}

function DocumentTable({ rows, templates }: { rows: DocumentRecord[]; templates: TemplateRecord[] }) {
  const columns: Array<Column<DocumentRecord>> = [
    { title: 'Name', cell: (row) => <DocumentName row={row} /> },
    { title: 'Pages', look: 'number wide', cell: ({ pages }) => pages },
    { title: 'Size', look: 'number wide', cell: ({ bytes }) => sizeText(bytes) },
    { title: 'Source', look: 'wide', cell: (row) => <Source row={row} templates={templates} /> },
    { title: 'Created', look: 'wide', cell: (row) => <Time at={row.created_at} /> },
    { title: 'Expires', look: 'wide', cell: (row) => <Span to={row.expires_at} /> },
  ];
  const keyOf = ({ document_id }: DocumentRecord) => document_id;
  return <Table caption="Documents, newest first" look="documents" columns={columns} rows={rows} keyOf={keyOf} />;
}

function DocumentName({ row }: { row: DocumentRecord }) {
  return (
    <div class="document">
      <Thumbnail document={row} />
      <div>
        <a class="named" href={`/dashboard/documents/${row.document_id}`}>
          <Name>{row.filename}</Name>
        </a>
        <div class="hint narrow">
          {countText(row.pages, 'page')} · {sizeText(row.bytes)} · <Time at={row.created_at} /> · expires{' '}
          <Span to={row.expires_at} />
        </div>
      </div>
    </div>
  );
}

/** Shows the name of the template, if it still exists. */
function Source({ row, templates }: { row: DocumentRecord; templates: TemplateRecord[] }) {
  const template = templates.find(({ template_id }) => template_id === row.template_id);
  if (!template) return SOURCES[row.source];
  return (
    <>
      Template{' '}
      <a href={`/dashboard/templates/${template.template_id}`}>
        <Name>{template.name}</Name>
      </a>
    </>
  );
}

function NoDocuments() {
  return (
    <Empty title="No documents yet" curl={EXAMPLE}>
      <p>
        A render is kept here when it is sent with <code>"store": true</code>, when it is part of a batch, or always, if you{' '}
        <a href="/dashboard/usage">switch that on</a>.
      </p>
    </Empty>
  );
}

function NothingFound({ onClear }: { onClear(): void }) {
  return (
    <Empty title="Nothing matches">
      <p>The search does not include documents that expired or were deleted.</p>
      <Button label="Clear all filters" onClick={onClear} />
    </Empty>
  );
}
