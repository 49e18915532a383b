/** Lists what was changed about accounts and keys, and by whom. */
import { Button } from '../../shared/button.tsx';
import { Empty, Time } from '../components.tsx';
import { ChoiceFilter, DayFilter, TextFilter, toParameters, toPeriod, useFilters } from '../filters.tsx';
import { usePaged } from '../paged.ts';
import { PagedList } from '../paged-list.tsx';
import type { AuditEntry } from '../records.ts';
import { type Column, Table } from '../table.tsx';
import { AccountLink, AdminHead } from './admin-head.tsx';

const FILTERS = ['account', 'action', 'actor', 'from', 'until'] as const;

const ACTIONS: Record<AuditEntry['action'], string> = {
  'account.created': 'Account created',
  'account.changed': 'Account changed',
  'account.deleted': 'Account deleted',
  'key.created': 'Key created',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'webhook.resent': 'Webhook sent again',
};

export function AuditPage({ query }: { query: URLSearchParams }) {
  const filters = useFilters(FILTERS, query);
  const { account, action, actor, from, until } = filters.settled;
  const list = usePaged<AuditEntry>(
    `/v1/admin/audit?${toParameters({ account_id: account, action, actor, ...toPeriod(from, until) })}`,
  );
  return (
    <>
      <AdminHead title="Audit log">
        <Button label="Refresh" onClick={list.reload} />
      </AdminHead>
      <search class="filters">
        <TextFilter label="Account" name="account" filters={filters} placeholder="acc_…" />
        <ChoiceFilter label="What" name="action" filters={filters}>
          {Object.entries(ACTIONS).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </ChoiceFilter>
        <TextFilter label="By" name="actor" filters={filters} placeholder="key_… or command line" />
        <DayFilter label="From" name="from" filters={filters} />
        <DayFilter label="Until" name="until" filters={filters} />
      </search>
      <PagedList
        list={list}
        one="entry"
        many="entries"
        empty={
          <Empty title="Nothing matches">
            <Button label="Clear all filters" onClick={filters.clear} />
          </Empty>
        }
      >
        {(rows) => <Table caption="Changes, newest first" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />}
      </PagedList>
    </>
  );
}

const COLUMNS: Array<Column<AuditEntry>> = [
  { title: 'What', cell: (entry) => <What entry={entry} /> },
  { title: 'Account', look: 'wide', cell: ({ account_id }) => <AccountLink id={account_id} /> },
  { title: 'By', look: 'wide', cell: ({ actor }) => <code class="break">{actor}</code> },
  { title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
];

function What({ entry: { action, account_id, object_id, actor, changes } }: { entry: AuditEntry }) {
  return (
    <>
      {ACTIONS[action]}
      {object_id !== account_id && (
        <div class="hint break">
          <code>{object_id}</code>
        </div>
      )}
      {Object.entries(changes).map(([field, change]) => (
        <div class="hint break" key={field}>
          {field}: <bdi>{changeText(field, change as Change)}</bdi>
        </div>
      ))}
      <div class="hint narrow break">
        <AccountLink id={account_id} /> by <code>{actor}</code>
      </div>
    </>
  );
}

/** What null means. */
const NULLS: Record<string, string> = { scopes: 'everything', expires_at: 'never' };

interface Change {
  before?: unknown;
  after?: unknown;
}

function changeText(field: string, { before, after }: Change): string {
  const now = valueText(field, after);
  return before === undefined ? now : `${valueText(field, before)} → ${now}`;
}

function valueText(field: string, value: unknown): string {
  if (value === null) return NULLS[field] ?? 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value) || '(empty)';
}
