/** Lists the webhooks of all accounts that were given up, and sends them again. */
import { Button } from '../../shared/button.tsx';
import { showToast } from '../../shared/toast.tsx';
import { useAction } from '../action.ts';
import { Empty, ErrorMessage, Time } from '../components.tsx';
import { countText, sentence } from '../format.ts';
import { usePaged } from '../paged.ts';
import { PagedList } from '../paged-list.tsx';
import type { FailedWebhook } from '../records.ts';
import { call } from '../session.ts';
import { ACTIONS, type Column, Table } from '../table.tsx';
import { AccountLink, AdminHead } from './admin-head.tsx';

export function FailedWebhooksPage() {
  const list = usePaged<FailedWebhook>('/v1/admin/webhooks?limit=25');
  return (
    <>
      <AdminHead title="Failed webhooks">
        <Button label="Refresh" onClick={list.reload} />
      </AdminHead>
      <p class="hint">Webhooks of the last 30 days that were given up. Their URLs and contents are shown to the owner only.</p>
      <PagedList list={list} one="webhook" empty={<Empty title="No webhook has been given up" />}>
        {(rows) => (
          <Table
            caption="Failed webhooks, newest first"
            columns={[...COLUMNS, { title: ACTIONS, cell: (row) => <Again webhook={row} onSent={list.reload} /> }]}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </PagedList>
    </>
  );
}

function Again({ webhook: { id, host }, onSent }: { webhook: FailedWebhook; onSent(): void }) {
  const action = useAction();
  const sendAgain = () =>
    action.run(async () => {
      await call(`/v1/admin/webhooks/${id}/retry`, { method: 'POST' });
      showToast('The webhook is on its way.');
      onSent();
    });
  return (
    <>
      <Button label="Send again" look="small" name={`Send again to ${host}`} disabled={action.running} onClick={sendAgain} />
      <ErrorMessage error={action.error} />
    </>
  );
}

const COLUMNS: Array<Column<FailedWebhook>> = [
  { title: 'Webhook', cell: (webhook) => <Webhook webhook={webhook} /> },
  { title: 'Account', look: 'wide', cell: ({ account_id }) => <AccountLink id={account_id} /> },
  { title: 'Created', look: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

function Webhook({
  webhook: { type, host, attempts, response_status, error, account_id, created_at },
}: {
  webhook: FailedWebhook;
}) {
  return (
    <>
      {type} <span class="hint break">to {host}</span>
      <div class="hint">
        {countText(attempts, 'attempt')}. {response_status !== undefined && `Answered with ${response_status}. `}
        {error && sentence(error)}
      </div>
      <div class="hint narrow">
        <AccountLink id={account_id} /> · <Time at={created_at} />
      </div>
    </>
  );
}
