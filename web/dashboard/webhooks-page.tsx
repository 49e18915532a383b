/** Lists webhook deliveries, and shows the signing secret. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { Empty, ErrorMessage, PageHead, Span, Time } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { DELIVERY_STATES, useSendAgain } from './delivery-page.tsx';
import { countText, sentence, timeText } from './format.ts';
import { type Loaded, useLoaded } from './loaded.ts';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { Delivery, WebhookSecret } from './records.ts';
import { call, read, send } from './session.ts';
import { ACTIONS, type Column, Table } from './table.tsx';
import { useUnsavedText } from './unsaved-text.ts';

const EXAMPLE = `curl ${location.origin}/v1/batches \\
  -H "Authorization: Bearer $PLATEN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "webhook_url": "https://example.com/hooks/platen",
    "items": [{"html": "<h1>One</h1>"}]
  }'`;

export function WebhooksPage() {
  const list = usePaged<Delivery>('/v1/webhooks/deliveries?limit=25');
  return (
    <>
      <PageHead title="Webhooks">
        <Button label="Refresh" onClick={list.reload} />
      </PageHead>
      <Secret />
      <Test before={list.rows?.find(({ type }) => type === 'webhook.test')?.url} onSent={list.reload} />
      <h2>Deliveries</h2>
      <PagedList
        list={list}
        one="delivery"
        many="deliveries"
        empty={
          <Empty title="No webhooks in the last 30 days" curl={EXAMPLE}>
            <p>
              A batch with a <code>webhook_url</code> sends a webhook to that URL when it has finished.
            </p>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Deliveries, newest first"
            columns={[...COLUMNS, { title: ACTIONS, look: 'wide', cell: (row) => <Again delivery={row} onSent={list.reload} /> }]}
            rows={rows}
            keyOf={({ delivery_id }) => delivery_id}
          />
        )}
      </PagedList>
    </>
  );
}

/** Sends an event without data to a URL. `before` is the one of the last test. */
function Test({ before, onSent }: { before: string | undefined; onSent(): void }) {
  const [sentTo, setSentTo] = useState<string>();
  const { text: url, write, saved } = useUnsavedText('URL of a test event', sentTo ?? before ?? '');
  const action = useAction();
  const sendTest = () =>
    action.run(async () => {
      await send('POST', '/v1/webhooks/test', { url });
      setSentTo(url);
      saved(url, url);
      showToast('The test event is on its way.');
      onSent();
    });
  return (
    <section class="stack">
      <h2>Test</h2>
      <div class="filters">
        <div class="field grow">
          <label for="test-url">URL of your server</label>
          <input
            id="test-url"
            type="url"
            placeholder="https://example.com/hooks/platen"
            value={url}
            onInput={(event) => write(event.currentTarget.value)}
          />
        </div>
        <Button label="Send a test event" disabled={action.running || url === ''} onClick={sendTest} />
      </div>
      <ErrorMessage error={action.error} />
    </section>
  );
}

/** Those that were delivered are sent again on their own page. */
function Again({ delivery, onSent }: { delivery: Delivery; onSent(): void }) {
  const { status, type } = delivery;
  const again = useSendAgain(delivery, onSent);
  if (status !== 'failed') return null;
  return (
    <>
      <Button label="Send again" look="small" name={`Send again: ${type}`} disabled={again.running} onClick={again.send} />
      <ErrorMessage error={again.error} />
    </>
  );
}

/** Loads the secret only on request. */
function Secret() {
  const [shown, setShown] = useState(false);
  return (
    <section class="stack">
      <h2>Signing secret</h2>
      <p class="hint">The service signs webhooks with this secret, so that your server can verify where they come from.</p>
      {shown ? (
        <ShownSecret />
      ) : (
        <div class="actions">
          <Button label="Show the secret" onClick={() => setShown(true)} />
        </div>
      )}
    </section>
  );
}

function ShownSecret() {
  const secret = useLoaded((signal) => read<WebhookSecret>('/v1/webhooks/secret', { signal }), []);
  return (
    <>
      <ErrorMessage error={secret.error} onRetry={secret.reload} />
      {secret.value && <PresentSecret value={secret.value} loaded={secret} />}
    </>
  );
}

function PresentSecret({ value, loaded }: { value: WebhookSecret; loaded: Loaded<WebhookSecret> }) {
  const [asked, setAsked] = useState(false);
  const rotate = async () => {
    const fresh = (await (await call('/v1/webhooks/secret/rotate', { method: 'POST' })).json()) as WebhookSecret;
    loaded.setValue(() => fresh);
    setAsked(false);
    showToast('The secret was replaced. The old secret also signs for 24 hours.');
  };
  return (
    <>
      <p>
        <code class="break">{value.secret}</code>
      </p>
      {value.previous.map((old) => (
        <p class="hint" key={old.secret}>
          Replaced, and no longer signing <Span to={old.expires_at} />: <code class="break">{old.secret}</code>
        </p>
      ))}
      <div class="actions">
        <Button label="Replace" look="danger" onClick={() => setAsked(true)} />
      </div>
      {asked && (
        <Confirm title="Replace the secret?" verb="Replace" onConfirm={rotate} onClose={() => setAsked(false)}>
          <p>
            Both secrets sign for 24 hours, so that you can update your servers one after the other. After that only the new one
            signs.
          </p>
        </Confirm>
      )}
    </>
  );
}

const COLUMNS: Array<Column<Delivery>> = [
  { title: 'Event', cell: (delivery) => <Event delivery={delivery} /> },
  { title: 'State', cell: (delivery) => <State delivery={delivery} /> },
  { title: 'Attempts', look: 'wide', cell: ({ attempts }) => attempts },
  { title: 'Created', look: 'wide', cell: (delivery) => <Time at={delivery.created_at} /> },
];

function Event({ delivery: { delivery_id, type, url, attempts, created_at } }: { delivery: Delivery }) {
  return (
    <>
      <a href={`/dashboard/webhooks/${delivery_id}`}>
        {type}
        <span class="visually-hidden"> {timeText(created_at)}</span>
      </a>
      <div class="hint break">{url}</div>
      <div class="hint narrow">
        {countText(attempts, 'attempt')} · <Time at={created_at} />
      </div>
    </>
  );
}

function State({ delivery: { status, error, response_status, next_attempt_at } }: { delivery: Delivery }) {
  return (
    <>
      {DELIVERY_STATES[status]}
      <div class="hint">
        {response_status !== undefined && `Answered with ${response_status}. `}
        {error && `${sentence(error)} `}
        {next_attempt_at && (
          <>
            Again <Span to={next_attempt_at} />.
          </>
        )}
      </div>
    </>
  );
}
