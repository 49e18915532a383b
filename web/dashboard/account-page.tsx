/** Shows and changes what holds for all renders of an account: storing, default options, files, and the webhook for expired documents. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { readFileAs } from '../shared/file-content.ts';
import { sizeText } from '../shared/size-text.ts';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage, Facts, Loading, Name, PageHead, Time } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { FileButton } from './file-button.tsx';
import { JsonField } from './json-field.tsx';
import { type Loaded, useLoaded } from './loaded.ts';
import type { Account, AssetRecord } from './records.ts';
import { call, sendChange } from './session.ts';
import { type Column, Table } from './table.tsx';
import { useUnsavedText } from './unsaved-text.ts';

const PATH = '/v1/account';

export function AccountPage() {
  const account = useLoaded((signal) => call(PATH, { signal }).then(toTagged), []);
  return (
    <>
      <PageHead title="Account">
        <Button label="Refresh" onClick={account.reload} />
      </PageHead>
      <ErrorMessage error={account.error} onRetry={account.reload} />
      {!account.value && account.loading && <Loading what="the account" />}
      {account.value && <Sections account={account.value} loaded={account} />}
    </>
  );
}

interface TaggedAccount extends Account {
  /** Names this state, for a change that is to be refused if there is another one. */
  tag: string;
}

async function toTagged(response: Response): Promise<TaggedAccount> {
  return { ...((await response.json()) as Account), tag: response.headers.get('etag') ?? '*' };
}

interface SectionProps {
  account: TaggedAccount;
  /** Sends a change, and tells it. Throws a problem, with status 412 if it replaces something that the visitor has not seen. */
  change(values: object, said: string): Promise<void>;
}

function Sections({ account, loaded }: { account: TaggedAccount; loaded: Loaded<TaggedAccount> }) {
  const change = async (values: object, said: string) => {
    const changed = await toTagged(await sendChange(PATH, values, account.tag, loaded.reload));
    loaded.setValue(() => changed);
    showToast(said);
  };
  const props = { account, change };
  return (
    <div class="stack">
      <Facts
        facts={[
          ['Name', <Name key="name">{account.name || 'none'}</Name>],
          ['Plan', account.plan],
          ['Created', <Time key="created" at={account.created_at} />],
          ['Id', <code key="id">{account.account_id}</code>],
        ]}
      />
      <Storing {...props} />
      <FailurePictures {...props} />
      <DefaultOptions {...props} />
      <Files {...props} />
    </div>
  );
}

function Storing({ account, change }: SectionProps) {
  const stored = account.document_expired_webhook_url ?? '';
  const { text: url, write, saved } = useUnsavedText('URL of expired documents', stored);
  const [isWanted, setWanted] = useState(account.auto_store);
  const saving = useAction();
  const setAutoStore = (auto_store: boolean) => {
    setWanted(auto_store);
    return saving.run(() => change({ auto_store }, auto_store ? 'All results are stored.' : 'Results are stored on request.'));
  };
  const saveUrl = () =>
    saving.run(async () => {
      await change({ document_expired_webhook_url: url.trim() || null }, 'The URL was saved.');
      saved(url, url.trim());
    });
  return (
    <section class="stack">
      <h2>Documents</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={saving.running ? isWanted : account.auto_store}
          disabled={saving.running}
          onChange={({ currentTarget: { checked } }) => setAutoStore(checked)}
        />
        <span>Store every result, unless a request says otherwise</span>
      </label>
      <div class="filters">
        <div class="field grow">
          <label for="expired-url">URL that is told when a document expires (optional)</label>
          <input
            id="expired-url"
            type="url"
            placeholder="https://example.com/hooks/platen"
            value={url}
            onInput={(event) => write(event.currentTarget.value)}
          />
        </div>
        <Button label="Save the URL" disabled={saving.running || url === stored} onClick={saveUrl} />
      </div>
      <ErrorMessage error={saving.error} />
    </section>
  );
}

function FailurePictures({ account: { failure_pictures: isOn }, change }: SectionProps) {
  const saving = useAction();
  const set = (failure_pictures: boolean) =>
    saving.run(() => change({ failure_pictures }, failure_pictures ? 'Pictures of failures are kept.' : 'No pictures are kept.'));
  return (
    <section class="stack">
      <h2>Failed renders</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={saving.running ? !isOn : isOn}
          disabled={saving.running}
          onChange={({ currentTarget: { checked } }) => set(checked)}
        />
        <span>
          Keep a picture of the page when a render fails
          <span class="hint block">It is shown with the request, and kept as long as that, but no longer than documents.</span>
        </span>
      </label>
      <ErrorMessage error={saving.error} />
    </section>
  );
}

function DefaultOptions({ account: { options }, change }: SectionProps) {
  return (
    <section class="stack">
      <h2>Default options</h2>
      <p class="hint">
        For all renders whose requests leave them out. A request switches one off with <code>null</code>.{' '}
        <a href="/docs/reference/options">All options</a>
      </p>
      <JsonField
        name="default options"
        label="Options as JSON"
        what="options"
        rows={8}
        placeholder={'{ "format": "A4", "margin": "20mm" }'}
        stored={options}
        onSave={(options) => change({ options }, 'The default options were saved.')}
      />
    </section>
  );
}

const COLUMNS: Array<Column<AssetRecord>> = [
  { title: 'Name', cell: ({ path }) => <Name>{path}</Name> },
  { title: 'Size', look: 'number', cell: ({ bytes }) => sizeText(bytes) },
];

function Files({ account: { assets }, change }: SectionProps) {
  const [asked, setAsked] = useState(false);
  const [chosen, setChosen] = useState<File[]>([]);
  const saving = useAction();
  const replace = async (files: File[]) => {
    const named = files.map(async (file) => [
      file.name,
      { content: await readFileAs(file, 'base64'), ...(file.type && { type: file.type }) },
    ]);
    await change({ assets: Object.fromEntries(await Promise.all(named)) }, 'The files were saved.');
    setChosen([]);
  };
  const take = (files: File[]) => (assets.length ? setChosen(files) : saving.run(() => replace(files)));
  const remove = async () => {
    await change({ assets: null }, 'The files were removed.');
    setAsked(false);
  };
  return (
    <section class="stack">
      <h2>Files</h2>
      <p class="hint">Fonts, logos and style sheets that all documents of the account can refer to by their names.</p>
      {assets.length > 0 && <Table caption="Files of the account" columns={COLUMNS} rows={assets} keyOf={({ path }) => path} />}
      <ErrorMessage error={saving.error} />
      <div class="actions">
        <FileButton
          label={assets.length ? 'Replace all files' : 'Add files'}
          multiple
          disabled={saving.running}
          onChosen={(files) => files.length && take(files)}
        />
        {assets.length > 0 && <Button label="Remove all files" look="danger" onClick={() => setAsked(true)} />}
      </div>
      {chosen.length > 0 && (
        <Confirm title="Replace all files?" verb="Replace" onConfirm={() => replace(chosen)} onClose={() => setChosen([])}>
          <p>
            The account has only {chosen.map(({ name }) => name).join(', ')} afterwards. Documents that refer to others are
            rendered without them.
          </p>
        </Confirm>
      )}
      {asked && (
        <Confirm title="Remove all files?" verb="Remove" onConfirm={remove} onClose={() => setAsked(false)}>
          <p>Documents that refer to them are rendered without them.</p>
        </Confirm>
      )}
    </section>
  );
}
