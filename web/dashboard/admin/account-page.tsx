/** Shows one account to an administrator: its plan, state, usage and keys, and changes them. */
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { showToast } from '../../shared/toast.tsx';
import { go } from '../../shell/route.ts';
import { useAction } from '../action.ts';
import { useRead } from '../cached.ts';
import { ErrorMessage, Facts, Loading, Name, Time } from '../components.tsx';
import { Confirm } from '../confirm.tsx';
import { expiryColumn, KeyName, mayText, NewKey, Secret, titleOf } from '../keys-page.tsx';
import type { Loaded } from '../loaded.ts';
import { usePaged } from '../paged.ts';
import { PagedList } from '../paged-list.tsx';
import type { AdminAccount, ApiKey, PastUsage, Usage } from '../records.ts';
import { call, send } from '../session.ts';
import { ACTIONS, type Column, Table } from '../table.tsx';
import { MonthChoice, UsageFigures } from '../usage-page.tsx';
import { ACCOUNTS, AccountNameField, AccountState, PlanField } from './accounts-page.tsx';
import { AdminHead } from './admin-head.tsx';

export function AccountPage({ id }: { id: string }) {
  const account = useRead<AdminAccount>(`${ACCOUNTS}/${id}`);
  const { value } = account;
  return (
    <>
      <AdminHead title={value ? <Name>{value.name || id}</Name> : 'Account'}>
        <Button label="Refresh" onClick={account.reload} />
      </AdminHead>
      <ErrorMessage error={account.error} onRetry={account.reload} />
      {!value && account.loading && <Loading what="the account" />}
      {value && <Account account={value} loaded={account} />}
      <UsageOf id={id} />
      <KeysOf id={id} isOpen={value !== undefined && value.state !== 'deleted'} />
    </>
  );
}

type Asked = 'change' | 'suspend' | 'delete' | null;

function Account({ account, loaded }: { account: AdminAccount; loaded: Loaded<AdminAccount> }) {
  const [asked, setAsked] = useState<Asked>(null);
  const resuming = useAction();
  const path = `${ACCOUNTS}/${account.id}`;
  const close = () => setAsked(null);
  const change = async (values: object, said: string) => {
    const changed = (await (await send('PATCH', path, values)).json()) as AdminAccount;
    loaded.setValue(() => changed);
    close();
    showToast(said);
  };
  const remove = async () => {
    await call(path, { method: 'DELETE' });
    showToast('The account was deleted.');
    go('/dashboard/admin-accounts');
  };
  const resume = () => resuming.run(() => change({ suspended: false }, 'The account works again.'));
  return (
    <section class="stack">
      <Facts
        facts={[
          ['State', <AccountState key="state" state={account.state} />],
          ['Plan', <Name key="plan">{account.plan}</Name>],
          ['Created', <Time key="created" at={account.created_at} />],
          ['Id', <code key="id">{account.id}</code>],
        ]}
      />
      <div class="actions">
        {account.state !== 'deleted' && (
          <>
            <Button label="Change" onClick={() => setAsked('change')} />
            {account.state === 'active' ? (
              <Button label="Suspend" look="danger" onClick={() => setAsked('suspend')} />
            ) : (
              <Button label="Resume" disabled={resuming.running} onClick={resume} />
            )}
            <Button label="Delete" look="danger" onClick={() => setAsked('delete')} />
          </>
        )}
        <a class="button" href={`/dashboard/admin?account=${account.id}`}>
          Errors
        </a>
        <a class="button" href={`/dashboard/admin-audit?account=${account.id}`}>
          Audit log
        </a>
      </div>
      <ErrorMessage error={resuming.error} />
      {asked === 'change' && <ChangeDialog account={account} onSave={change} onClose={close} />}
      {asked === 'suspend' && (
        <Confirm
          title="Suspend this account?"
          verb="Suspend"
          onConfirm={() => change({ suspended: true }, 'The account is suspended.')}
          onClose={close}
        >
          <p>
            The keys and links of <Name>{account.name || account.id}</Name> are refused and its batches wait until you resume it.
          </p>
        </Confirm>
      )}
      {asked === 'delete' && (
        <Confirm title="Delete this account?" verb="Delete for good" onConfirm={remove} onClose={close}>
          <p>
            <Name>{account.name || account.id}</Name> is deleted with all its keys, documents, templates and certificates. Nothing
            brings it back.
          </p>
        </Confirm>
      )}
    </section>
  );
}

interface ChangeProps {
  account: AdminAccount;
  onSave(values: object, said: string): Promise<void>;
  onClose(): void;
}

function ChangeDialog({ account, onSave, onClose }: ChangeProps) {
  const [name, setName] = useState(account.name);
  const [plan, setPlan] = useState(account.plan);
  const saving = useAction();
  const save = () => saving.run(() => onSave({ name, ...(plan !== account.plan && { plan }) }, 'The account was changed.'));
  return (
    <Dialog title="Change the account" onClose={onClose}>
      <AccountNameField value={name} onChange={setName} />
      <PlanField value={plan} onChange={setPlan} />
      <ErrorMessage error={saving.error} />
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        <Button label="Save" look="primary" disabled={saving.running} onClick={save} />
      </div>
    </Dialog>
  );
}

function UsageOf({ id }: { id: string }) {
  const [month, setMonth] = useState('');
  const usage = useRead<Usage | PastUsage>(`${ACCOUNTS}/${id}/usage${month && `?month=${month}`}`);
  return (
    <section class="stack">
      <div class="page-head">
        <h2>Usage</h2>
        <div class="actions">
          <MonthChoice month={month} onChange={setMonth} />
        </div>
      </div>
      <ErrorMessage error={usage.error} onRetry={usage.reload} />
      {!usage.value && usage.loading && <Loading what="the usage" />}
      {usage.value && <UsageFigures usage={usage.value} />}
    </section>
  );
}

type AskedOfKeys = { kind: 'new' } | { kind: 'revoke' | 'secret'; key: ApiKey } | null;

function KeysOf({ id, isOpen }: { id: string; isOpen: boolean }) {
  const path = `${ACCOUNTS}/${id}/keys`;
  const list = usePaged<ApiKey>(`${path}?limit=25`);
  const [asked, setAsked] = useState<AskedOfKeys>(null);
  const close = () => setAsked(null);
  const showSecret = (key: ApiKey) => {
    setAsked({ kind: 'secret', key });
    list.reload();
  };
  const revoke = async (key: ApiKey) => {
    await call(`/v1/admin/keys/${key.key_id}`, { method: 'DELETE' });
    showToast(`The key ${titleOf(key)} was revoked.`);
    close();
    list.reload();
  };
  return (
    <section class="stack">
      <div class="page-head">
        <h2>Keys</h2>
        {isOpen && (
          <div class="actions">
            <Button label="New key" onClick={() => setAsked({ kind: 'new' })} />
          </div>
        )}
      </div>
      <PagedList list={list} one="key" empty={null}>
        {(rows) => (
          <Table
            caption="Keys of the account, newest first"
            columns={columnsWith((key) => setAsked({ kind: 'revoke', key }))}
            rows={rows}
            keyOf={({ key_id }) => key_id}
          />
        )}
      </PagedList>
      {asked?.kind === 'new' && (
        <NewKey
          path={path}
          unlimited={{ scopes: 'everything', lifetime: 'Until it is revoked' }}
          onMade={showSecret}
          onClose={close}
        />
      )}
      {asked?.kind === 'revoke' && (
        <Confirm title="Revoke this key?" verb="Revoke" onConfirm={() => revoke(asked.key)} onClose={close}>
          <p>
            <Name>{titleOf(asked.key)}</Name> and the keys that it made stop working at once.
          </p>
        </Confirm>
      )}
      {asked?.kind === 'secret' && <Secret record={asked.key} onClose={close} />}
    </section>
  );
}

function columnsWith(onRevoke: (key: ApiKey) => void): Array<Column<ApiKey>> {
  return [
    { title: 'Key', cell: (key) => <KeyName record={key} /> },
    { title: 'May', look: 'wide several', cell: mayText },
    expiryColumn,
    {
      title: ACTIONS,
      cell: (key) =>
        key.revoked_at === null && (
          <div class="actions end">
            <Button label="Revoke" look="small danger" name={`Revoke ${titleOf(key)}`} onClick={() => onRevoke(key)} />
          </div>
        ),
    },
  ];
}
