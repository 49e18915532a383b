/** Lists the keys that this key made, and makes, rotates and revokes them. A secret is shown once. */
import { useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { copyText } from '../shared/clipboard.ts';
import { Dialog } from '../shared/dialog.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage, Name, PageHead, Span, Time } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { usePaged } from './paged.ts';
import { PagedList } from './paged-list.tsx';
import type { ApiKey, KeyRequest } from './records.ts';
import { call, send, session } from './session.ts';
import { ACTIONS, type Column, Table } from './table.tsx';

type ScopeName = NonNullable<KeyRequest['scopes']>[number];

const PATH = '/v1/keys';
const SCOPES: Record<ScopeName, string> = {
  render: 'Render documents, images and batches',
  documents: 'Read and delete stored documents',
  templates: 'Read and change templates',
  certificates: 'Read and change certificates',
  webhooks: 'Read deliveries and the signing secret',
  account: 'Read usage, and change the account',
  keys: 'Make and revoke keys',
};
const DAY_SECONDS = 86_400;
const LIFETIMES: Array<[seconds: number, text: string]> = [
  [DAY_SECONDS, '1 day'],
  [30 * DAY_SECONDS, '30 days'],
  [365 * DAY_SECONDS, '1 year'],
];
const AS_THIS_KEY = { scopes: 'the same as this key', lifetime: 'As long as this key' };
const ROTATED = 'The old secret works for another day, so that you can replace it where it is used.';

type Asked = { kind: 'new' } | { kind: 'rotate' | 'revoke'; key: ApiKey } | { kind: 'secret'; key: ApiKey } | null;

export function KeysPage() {
  const list = usePaged<ApiKey>(`${PATH}?limit=25`);
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  const showSecret = (key: ApiKey) => {
    setAsked({ kind: 'secret', key });
    list.reload();
  };
  const rotate = async ({ key_id }: ApiKey) =>
    showSecret((await (await send('POST', `${PATH}/${key_id}/rotate`, {})).json()) as ApiKey);
  const revoke = async ({ key_id, name, hint }: ApiKey) => {
    await call(`${PATH}/${key_id}`, { method: 'DELETE' });
    showToast(`The key ${name || hint} was revoked.`);
    close();
    list.reload();
  };
  return (
    <>
      <PageHead title="Keys">
        <Button label="Refresh" onClick={list.reload} />
        <Button label="New key" look="primary" onClick={() => setAsked({ kind: 'new' })} />
      </PageHead>
      <p class="hint">This key, the keys that it made, and those that these made. Each has documents and templates of its own.</p>
      <PagedList list={list} one="key" empty={null}>
        {(rows) => (
          <Table caption="Keys, newest first" columns={columnsWith(setAsked)} rows={rows} keyOf={({ key_id }) => key_id} />
        )}
      </PagedList>
      {asked?.kind === 'new' && <NewKey onMade={showSecret} onClose={close} />}
      {asked?.kind === 'rotate' && (
        <Confirm title="Give this key a new secret?" verb="Rotate" onConfirm={() => rotate(asked.key)} onClose={close}>
          <p>
            <Name>{titleOf(asked.key)}</Name>: {ROTATED}
          </p>
        </Confirm>
      )}
      {asked?.kind === 'revoke' && (
        <Confirm title="Revoke this key?" verb="Revoke" onConfirm={() => revoke(asked.key)} onClose={close}>
          <p>
            <Name>{titleOf(asked.key)}</Name> and the keys that it made stop working at once. Their documents stay until they
            expire.
          </p>
        </Confirm>
      )}
      {asked?.kind === 'secret' && <Secret record={asked.key} onClose={close} />}
    </>
  );
}

export function titleOf({ name, hint }: ApiKey): string {
  return name || `${hint}…`;
}

function columnsWith(onAsked: (asked: Asked) => void): Array<Column<ApiKey>> {
  const actions = (key: ApiKey) =>
    key.revoked_at === null && (
      <div class="actions end">
        <Button label="Rotate" look="small" name={`Rotate ${titleOf(key)}`} onClick={() => onAsked({ kind: 'rotate', key })} />
        <Button
          label="Revoke"
          look="small danger"
          name={`Revoke ${titleOf(key)}`}
          onClick={() => onAsked({ kind: 'revoke', key })}
        />
      </div>
    );
  return [
    { title: 'Key', cell: (key) => <KeyName record={key} /> },
    { title: 'May', look: 'wide several', cell: mayText },
    { title: 'Last used', look: 'wide', cell: ({ last_used_at }) => (last_used_at ? <Span to={last_used_at} /> : 'never') },
    expiryColumn,
    { title: ACTIONS, cell: actions },
  ];
}

export const expiryColumn: Column<ApiKey> = { title: 'Expires', look: 'wide', cell: (key) => <Expiry record={key} /> };

export function mayText({ scopes }: ApiKey): string {
  return scopes?.join(', ') ?? 'everything';
}

export function KeyName({ record }: { record: ApiKey }) {
  const isOwn = session.value?.keyId === record.key_id;
  const marks = [isOwn && 'this key', record.test && 'test key', record.administrator && 'administrator'];
  return (
    <>
      <Name>{titleOf(record)}</Name>
      <div class="hint">
        {record.name && <code>{record.hint}…</code>} {marks.filter((mark) => mark).join(', ')}
      </div>
      <div class="hint narrow">May: {mayText(record)}</div>
    </>
  );
}

function Expiry({ record: { revoked_at, expires_at, previous_secret_expires_at: previous } }: { record: ApiKey }) {
  if (revoked_at)
    return (
      <>
        revoked <Time at={revoked_at} />
      </>
    );
  const isRotated = previous !== null && Date.parse(previous) > Date.now();
  return (
    <>
      {expires_at ? <Span to={expires_at} /> : 'never'}
      {isRotated && (
        <div class="hint">
          the old secret <Span to={previous} />
        </div>
      )}
    </>
  );
}

interface NewKeyProps {
  path?: string;
  /** What a key may do without a choice, and how long it works. */
  unlimited?: { scopes: string; lifetime: string };
  onMade(key: ApiKey): void;
  onClose(): void;
}

export function NewKey({ path = PATH, unlimited = AS_THIS_KEY, onMade, onClose }: NewKeyProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly ScopeName[]>([]);
  const [isTest, setTest] = useState(false);
  const [seconds, setSeconds] = useState(0);
  const making = useAction();
  const make = () =>
    making.run(async () => {
      const limits = { ...(scopes.length && { scopes }), ...(isTest && { test: true }), ...(seconds && { expires_in: seconds }) };
      onMade((await (await send('POST', path, { name, ...limits })).json()) as ApiKey);
    });
  const change = (scope: ScopeName, isGiven: boolean) =>
    setScopes(isGiven ? [...scopes, scope] : scopes.filter((each) => each !== scope));
  return (
    <Dialog title="New key" onClose={onClose}>
      <div class="field">
        <label for="key-name">Name</label>
        <input
          id="key-name"
          autocomplete="off"
          maxLength={200}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <fieldset class="choices">
        <legend>What it may do (without a choice, {unlimited.scopes})</legend>
        {Object.entries(SCOPES).map(([scope, text]) => (
          <label class="check" key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope as ScopeName)}
              onChange={(event) => change(scope as ScopeName, event.currentTarget.checked)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <div class="field">
        <label for="key-lifetime">Works for</label>
        <select id="key-lifetime" value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>
          <option value={0}>{unlimited.lifetime}</option>
          {LIFETIMES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <label class="check">
        <input type="checkbox" checked={isTest} onChange={(event) => setTest(event.currentTarget.checked)} />
        <span>Test key: its results have a watermark, and are not charged</span>
      </label>
      <ErrorMessage error={making.error} />
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        <Button label="Make the key" look="primary" disabled={making.running} onClick={make} />
      </div>
    </Dialog>
  );
}

/** The only place where the secret is ever shown. */
export function Secret({ record, onClose }: { record: ApiKey; onClose(): void }) {
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    const copied = await copyText(record.key ?? '');
    field.current?.select();
    setSaid(copied ? 'Copied.' : 'The browser does not allow copying. The secret is selected: press Ctrl+C or Cmd+C.');
  };
  return (
    <Dialog title="The secret of the key" onClose={onClose}>
      <p>
        <Name>{titleOf(record)}</Name>: the service keeps only a digest of the secret, so it cannot be shown again.
        {record.previous_secret_expires_at && ` ${ROTATED}`}
      </p>
      <div class="field">
        <label for="key-secret">Secret</label>
        <div class="joined">
          <input
            id="key-secret"
            class="mono"
            readOnly
            value={record.key}
            ref={field}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Button label="Copy" look="primary" onClick={copy} />
        </div>
        <p class="hint" role="status">
          {said}
        </p>
      </div>
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}
