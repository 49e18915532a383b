/** Shows what was rendered, by key, by template and by month. */
import type { ComponentChildren } from 'preact';
import { sizeText } from '../shared/size-text.ts';
import { Name } from './components.tsx';
import { monthText, numberText } from './format.ts';
import type { PastUsage, UsageSum } from './records.ts';
import { type Column, Table } from './table.tsx';

export function UsageSums({ usage }: { usage: PastUsage }) {
  return (
    <>
      <Sums title="By key" first="Key" rows={usage.by_key} name={(sum) => <KeyName sum={sum} />} />
      <Sums title="By template" first="Template" rows={usage.by_template} name={(sum) => <TemplateName sum={sum} />} />
      <Sums title="By month" first="Month" rows={usage.monthly} name={({ month = '' }) => monthText(month)} />
    </>
  );
}

interface SumsProps {
  title: string;
  /** The title of the first column. */
  first: string;
  rows: UsageSum[];
  name(sum: UsageSum): ComponentChildren;
}

function Sums({ title, first, rows, name }: SumsProps) {
  if (!rows.length) return null;
  return (
    <section class="stack">
      <h2>{title}</h2>
      <Table
        caption={title}
        look="sums"
        columns={[{ title: first, cell: name }, ...COLUMNS]}
        rows={rows}
        keyOf={({ month, key_id, template_id }) => month ?? key_id ?? template_id ?? ''}
      />
    </section>
  );
}

const COLUMNS: Array<Column<UsageSum>> = [
  { title: 'Documents', look: 'number', cell: ({ documents }) => numberText(documents) },
  { title: 'Pages', look: 'number wide', cell: ({ pages }) => numberText(pages) },
  { title: 'Size', look: 'number', cell: ({ bytes }) => sizeText(bytes) },
];

function KeyName({ sum: { key_id, name } }: { sum: UsageSum }) {
  if (key_id === null) return 'Before keys were counted';
  return name ? <Name>{name}</Name> : <code class="break">{key_id}</code>;
}

function TemplateName({ sum: { template_id, name } }: { sum: UsageSum }) {
  if (template_id === null) return 'Without a template';
  if (name === undefined) return <code class="break">{template_id}</code>;
  return (
    <a href={`/dashboard/templates/${template_id}`}>
      <Name>{name}</Name>
    </a>
  );
}
