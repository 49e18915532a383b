/** Lists all accounts, and creates one. */
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { go } from '../../shell/route.ts';
import { useAction } from '../action.ts';
import { useRead } from '../cached.ts';
import { Empty, ErrorMessage, Name, Time } from '../components.tsx';
import { ChoiceFilter, TextFilter, toParameters, useFilters } from '../filters.tsx';
import { usePaged } from '../paged.ts';
import { PagedList } from '../paged-list.tsx';
import type { AdminAccount, Plan } from '../records.ts';
import { send } from '../session.ts';
import { type Column, Table } from '../table.tsx';
import { AdminHead } from './admin-head.tsx';

export const ACCOUNTS = '/v1/admin/accounts';
export const ACCOUNT_STATES: Record<AdminAccount['state'], string> = {
  active: 'Active',
  suspended: 'Suspended',
  deleted: 'Deleted',
};
const FILTERS = ['name', 'state'] as const;

export function AccountsPage({ query }: { query: URLSearchParams }) {
  const filters = useFilters(FILTERS, query);
  const list = usePaged<AdminAccount>(`${ACCOUNTS}?${toParameters(filters.settled)}`);
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <AdminHead title="Accounts">
        <Button label="Refresh" onClick={list.reload} />
        <Button label="New account" look="primary" onClick={() => setAsked(true)} />
      </AdminHead>
      <search class="filters">
        <TextFilter label="Name" name="name" filters={filters} />
        <ChoiceFilter label="State" name="state" filters={filters}>
          {Object.entries(ACCOUNT_STATES).map(([state, text]) => (
            <option key={state} value={state}>
              {text}
            </option>
          ))}
        </ChoiceFilter>
      </search>
      <PagedList
        list={list}
        one="account"
        empty={
          <Empty title="Nothing matches">
            <Button label="Clear all filters" onClick={filters.clear} />
          </Empty>
        }
      >
        {(rows) => <Table caption="Accounts, newest first" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />}
      </PagedList>
      {isAsked && <NewAccount onClose={() => setAsked(false)} />}
    </>
  );
}

const COLUMNS: Array<Column<AdminAccount>> = [
  { title: 'Account', cell: (account) => <AccountName account={account} /> },
  { title: 'Plan', look: 'wide', cell: ({ plan }) => <Name>{plan}</Name> },
  { title: 'State', cell: ({ state }) => <AccountState state={state} /> },
  { title: 'Created', look: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

function AccountName({ account: { id, name, plan } }: { account: AdminAccount }) {
  return (
    <>
      <a href={`/dashboard/admin-accounts/${id}`}>{name ? <Name>{name}</Name> : <code class="break">{id}</code>}</a>
      {name && (
        <div class="hint break">
          <code>{id}</code>
        </div>
      )}
      <div class="hint narrow">
        Plan: <Name>{plan}</Name>
      </div>
    </>
  );
}

export function AccountState({ state }: Pick<AdminAccount, 'state'>) {
  return <span class={`state ${state === 'active' ? 'succeeded' : 'cancelled'}`}>{ACCOUNT_STATES[state]}</span>;
}

function NewAccount({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('');
  const making = useAction();
  const make = () =>
    making.run(async () => {
      const made = (await (await send('POST', ACCOUNTS, { name, ...(plan && { plan }) })).json()) as AdminAccount;
      onClose();
      go(`/dashboard/admin-accounts/${made.id}`);
    });
  return (
    <Dialog title="New account" onClose={onClose}>
      <AccountNameField value={name} onChange={setName} />
      <PlanField value={plan} fallback="The default plan" onChange={setPlan} />
      <ErrorMessage error={making.error} />
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        <Button label="Make the account" look="primary" disabled={making.running} onClick={make} />
      </div>
    </Dialog>
  );
}

interface FieldProps {
  value: string;
  onChange(value: string): void;
}

export function AccountNameField({ value, onChange }: FieldProps) {
  return (
    <div class="field">
      <label for="account-name">Name</label>
      <input
        id="account-name"
        autocomplete="off"
        maxLength={200}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

/** `fallback` names the choice of no plan, if there is one. */
export function PlanField({ value, fallback, onChange }: FieldProps & { fallback?: string }) {
  const plans = useRead<{ data: Plan[] }>('/v1/admin/plans');
  const names = plans.value?.data.map(({ name }) => name) ?? [];
  const isUnknown = value !== '' && !names.includes(value);
  return (
    <div class="field">
      <label for="account-plan">Plan</label>
      <select id="account-plan" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {fallback && <option value="">{fallback}</option>}
        {(isUnknown ? [value, ...names] : names).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <ErrorMessage error={plans.error} onRetry={plans.reload} />
    </div>
  );
}
