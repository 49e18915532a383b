/** Lists all templates of the key, the newest first. */

import { Empty, Name, PageHead, Time } from './components.tsx';
import { countText, numberText } from './format.ts';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { TemplateRecord } from './records.ts';

const EXAMPLE = `curl ${location.origin}/v1/templates \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "letter", "html": "<p>Dear {{customer.name}},</p>"}'`;

export function TemplatesPage() {
  const list = usePaged<TemplateRecord>('/v1/templates?limit=25');
  return (
    <>
      <PageHead title="Templates">
        <a class="button primary" href="#/templates/new">
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
        {(rows) => <TemplateTable rows={rows} />}
      </PagedList>
    </>
  );
}

function TemplateTable({ rows }: { rows: TemplateRecord[] }) {
  return (
    <table class="list">
      <caption class="visually-hidden">Templates, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="wide">
            Engine
          </th>
          <th scope="col" class="number wide">
            Version
          </th>
          <th scope="col" class="number wide">
            Placeholders
          </th>
          <th scope="col" class="wide">
            Changed
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.template_id}>
            <td>
              <a href={`#/templates/${row.template_id}`}>
                <Name>{row.name}</Name>
              </a>
              <div class="hint narrow">
                {row.engine} · version {row.version} · {countText(row.placeholders.length, 'placeholder')} ·{' '}
                <Time at={row.updated_at} />
              </div>
            </td>
            <td class="wide">{row.engine}</td>
            <td class="number wide">{row.version}</td>
            <td class="number wide">{numberText(row.placeholders.length)}</td>
            <td class="wide">
              <Time at={row.updated_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
