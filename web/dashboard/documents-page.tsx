/** Lists the stored documents of the key that match the filters, the newest first. */

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { sizeText } from '../shared/size-text.ts';
import { Empty, Name, PageHead, Span, Time } from './components.tsx';
import { countText } from './format.ts';
import { useLoaded } from './loaded.ts';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { DocumentRecord, List, TemplateRecord } from './records.ts';
import { replaceQuery } from './route.ts';
import { read } from './session.ts';
import { type Column, Table } from './table.tsx';
import { Thumbnail } from './thumbnail.tsx';

const TYPING_PAUSE_MS = 250;
const DAY_HOURS = 24;

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
type Filters = Record<(typeof FILTERS)[number], string>;

export function DocumentsPage({ query }: { query: URLSearchParams }) {
  const [filters, setFilters] = useState(() => readFilters(query));
  const settled = useSettled(filters);
  const list = usePaged<DocumentRecord>(`/v1/documents?${toParameters(settled)}`);
  const templates =
    useLoaded((signal) => read<List<TemplateRecord>>('/v1/templates?limit=100', { signal }), []).value?.data ?? [];
  const change = (changed: Partial<Filters>) => {
    const next = { ...filters, ...changed };
    setFilters(next);
    replaceQuery(next);
  };
  const filtered = FILTERS.some((name) => settled[name] !== '');
  return (
    <>
      <PageHead title="Documents">
        <Button label="Refresh" onClick={list.reload} />
      </PageHead>
      <FilterBar filters={filters} templates={templates} onChange={change} />
      <PagedList
        list={list}
        one="document"
        empty={filtered ? <NothingFound onClear={() => change(NO_FILTERS)} /> : <NoDocuments />}
      >
        {(rows) => <DocumentTable rows={rows} templates={templates} />}
      </PagedList>
    </>
  );
}

interface FilterBarProps {
  filters: Filters;
  templates: TemplateRecord[];
  onChange(changed: Partial<Filters>): void;
}

function FilterBar({ filters, templates, onChange }: FilterBarProps) {
  const known = filters.template === '' || templates.some(({ template_id }) => template_id === filters.template);
  return (
    <search class="filters">
      <div class="field grow">
        <label for="q">Search</label>
        <input
          id="q"
          type="search"
          placeholder="Part of a name, or a document id"
          value={filters.q}
          onInput={(event) => onChange({ q: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="template">Template</label>
        <select id="template" value={filters.template} onChange={(event) => onChange({ template: event.currentTarget.value })}>
          <option value="">Any</option>
          {!known && <option value={filters.template}>{filters.template}</option>}
          {templates.map(({ template_id, name }) => (
            <option key={template_id} value={template_id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="from">Created from</label>
        <input id="from" type="date" value={filters.from} onChange={(event) => onChange({ from: event.currentTarget.value })} />
      </div>
      <div class="field">
        <label for="until">Created until</label>
        <input
          id="until"
          type="date"
          value={filters.until}
          onChange={(event) => onChange({ until: event.currentTarget.value })}
        />
      </div>
    </search>
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
        <a class="named" href={`#/documents/${row.document_id}`}>
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
      <a href={`#/templates/${template.template_id}`}>
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
        <a href="#/usage">switch that on</a>.
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

const NO_FILTERS: Filters = { q: '', template: '', from: '', until: '' };

function readFilters(query: URLSearchParams): Filters {
  const given = FILTERS.map((name) => [name, query.get(name) ?? '']);
  return { ...NO_FILTERS, ...Object.fromEntries(given) };
}

function toParameters({ q, template, from, until }: Filters): string {
  const given = { q: q.trim(), template_id: template, created_after: dayStart(from, 0), created_before: dayStart(until, 1) };
  const parameters = Object.entries(given).filter(([, value]) => value !== '');
  return new URLSearchParams([['limit', '25'], ...parameters]).toString();
}

/** Returns the start of a day in the visitor's time zone, or of a later day. */
function dayStart(date: string, daysLater: number): string {
  const start = new Date(`${date}T00:00:00`);
  if (Number.isNaN(start.getTime())) return '';
  start.setHours(DAY_HOURS * daysLater);
  return start.toISOString();
}

/** Returns the filters after the visitor has stopped typing. */
function useSettled(filters: Filters): Filters {
  const [settled, setSettled] = useState(filters);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(filters), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [filters]);
  return settled;
}
