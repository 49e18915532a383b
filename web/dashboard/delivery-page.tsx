/** Shows a webhook: what was sent, what became of each attempt, and sends it again. */
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { useAction } from './action.ts';
import { useRead } from './cached.ts';
import { ErrorMessage, Facts, Loading, PageHead, Span, Time } from './components.tsx';
import { durationText, hasStatus, sentence } from './format.ts';
import type { Delivery } from './records.ts';
import { call } from './session.ts';
import { type Column, Table } from './table.tsx';

const DELIVERIES = '/v1/webhooks/deliveries';
export const DELIVERY_STATES: Record<Delivery['status'], string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Given up',
};

/** An attempt that is due within this time is waited for. */
const SOON_MS = 10_000;
const AGAIN_MS = 1_000;

type Attempt = NonNullable<Delivery['history']>[number];

export function DeliveryPage({ id }: { id: string }) {
  const loaded = useRead<Delivery>(`${DELIVERIES}/${encodeURIComponent(id)}`);
  return (
    <>
      <p class="back">
        <a href="/dashboard/webhooks">All webhooks</a>
      </p>
      {hasStatus(loaded.error, 404) && <PageHead title="There is no such webhook" />}
      <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
      {!loaded.value && loaded.loading && <Loading what="the webhook" />}
      {loaded.value && <Found delivery={loaded.value} reload={loaded.reload} />}
    </>
  );
}

function Found({ delivery, reload }: { delivery: Delivery; reload(): void }) {
  const { type, status, payload, history = [] } = delivery;
  const again = useSendAgain(delivery, reload);
  useOutcome(delivery, reload);
  return (
    <>
      <PageHead title={type}>
        {status !== 'pending' && payload && <Button label="Send again" disabled={again.running} onClick={again.send} />}
        <Button label="Refresh" onClick={reload} />
      </PageHead>
      <ErrorMessage error={again.error} />
      <div class="stack">
        <DeliveryFacts delivery={delivery} />
        <section class="stack">
          <h2>Attempts</h2>
          {history.length > 0 ? (
            <Table
              caption="Attempts, newest first"
              columns={COLUMNS}
              rows={history.toReversed()}
              keyOf={({ started_at }) => started_at}
            />
          ) : (
            <p class="hint">None has ended yet.</p>
          )}
        </section>
        <section class="stack">
          <h2>Body</h2>
          {payload ? <Text text={JSON.stringify(payload, null, 2)} /> : <p class="hint">It is no longer stored.</p>}
        </section>
      </div>
    </>
  );
}

/** Sends an event again that was delivered or given up. */
export function useSendAgain({ delivery_id }: Delivery, onSent: () => void) {
  const action = useAction();
  const send = () =>
    action.run(async () => {
      await call(`${DELIVERIES}/${delivery_id}/retry`, { method: 'POST' });
      onSent();
    });
  return { ...action, send };
}

/** Reads a webhook again until it is known what became of an attempt that is under way. */
function useOutcome(delivery: Delivery, reload: () => void): void {
  useEffect(() => {
    const { next_attempt_at: next } = delivery;
    if (next === null || Date.parse(next) > Date.now() + SOON_MS) return;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [delivery]);
}

function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const { delivery_id, url, status, next_attempt_at, created_at } = delivery;
  return (
    <Facts
      facts={[
        [
          'URL',
          <code key="url" class="break">
            {url}
          </code>,
        ],
        ['State', DELIVERY_STATES[status]],
        ['Next attempt', next_attempt_at ? <Span key="next" to={next_attempt_at} /> : 'None'],
        ['Created', <Time key="created" at={created_at} />],
        [
          'Id',
          <code key="id" class="break">
            {delivery_id}
          </code>,
        ],
      ]}
    />
  );
}

const COLUMNS: Array<Column<Attempt>> = [
  { title: 'Answer', cell: (attempt) => <Answer attempt={attempt} /> },
  { title: 'Took', look: 'number', cell: ({ milliseconds }) => durationText(milliseconds) },
  { title: 'Began', look: 'wide', cell: ({ started_at }) => <Time at={started_at} /> },
];

function Answer({ attempt: { started_at, response_status, response_body, error } }: { attempt: Attempt }) {
  return (
    <>
      {response_status === undefined ? 'None' : response_status}
      {error && <div class="hint">{sentence(error)}</div>}
      <div class="hint narrow">
        <Time at={started_at} />
      </div>
      {response_body && <Text text={response_body} />}
    </>
  );
}

function Text({ text }: { text: string }) {
  return (
    <div class="command">
      <pre>{text}</pre>
    </div>
  );
}
