/** Lists all templates of the key, the newest first, and begins new ones. */
import { Empty, Name, PageHead, Time } from './components.tsx';
import { countText, numberText } from './format.ts';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { TemplateRecord } from './records.ts';
import { type Column, Table } from './table.tsx';

const EXAMPLE = `curl ${location.origin}/v1/templates \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "letter", "html": "<p>Dear {{customer.name}},</p>"}'`;

export function TemplatesPage() {
  const list = usePaged<TemplateRecord>('/v1/templates?limit=25');
  return (
    <>
      <PageHead title="Templates">
        <a class="button" href="/edit?gallery">
          From the gallery
        </a>
        <a class="button primary" href="/edit?new">
          New template
        </a>
      </PageHead>
      <PagedList
        list={list}
        one="template"
        empty={
          <Empty title="No templates yet" curl={EXAMPLE}>
            <p>A template is HTML with placeholders. You store it once and render it by its id with different data.</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table caption="Templates, newest first" columns={COLUMNS} rows={rows} keyOf={({ template_id }) => template_id} />
        )}
      </PagedList>
    </>
  );
}

const COLUMNS: Array<Column<TemplateRecord>> = [
  { title: 'Name', cell: (row) => <TemplateName row={row} /> },
  { title: 'Engine', look: 'wide', cell: ({ engine }) => engine },
  { title: 'Version', look: 'number wide', cell: ({ version }) => version },
  { title: 'Placeholders', look: 'number wide', cell: ({ placeholders }) => numberText(placeholders.length) },
  { title: 'Changed', look: 'wide', cell: (row) => <Time at={row.updated_at} /> },
];

function TemplateName({ row }: { row: TemplateRecord }) {
  return (
    <>
      <a href={`/dashboard/templates/${row.template_id}`}>
        <Name>{row.name}</Name>
      </a>
      {!row.owned && <div class="hint">shared by another key</div>}
      <div class="hint narrow">
        {row.engine} · version {row.version} · {countText(row.placeholders.length, 'placeholder')} · <Time at={row.updated_at} />
      </div>
    </>
  );
}
