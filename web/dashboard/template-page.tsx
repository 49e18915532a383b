/** Shows a stored template: its files, the schema of its data, its versions and who may use it. Its text is written in the editor. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { deleteDrafts, readChanges, writeDraft } from '../shared/kept-drafts.ts';
import { Switch } from '../shared/switch.tsx';
import { type Tab, Tabs } from '../shared/tabs.tsx';
import { showToast } from '../shared/toast.tsx';
import { go } from '../shell/route.ts';
import { useAction } from './action.ts';
import { ErrorMessage, Loading, PageHead } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { hasStatus } from './format.ts';
import { useLoaded } from './loaded.ts';
import type { AssetRecord, List, TemplateRecord } from './records.ts';
import { call, read, send, sendChange, session, tagOf } from './session.ts';
import { TemplateComparison } from './template-comparison.tsx';
import { TemplateFiles } from './template-files.tsx';
import { TemplateSchema } from './template-schema.tsx';
import { TemplateVersions } from './template-versions.tsx';
import { useUnsavedText } from './unsaved-text.ts';

const PATH = '/v1/templates';

export function TemplatePage({ id }: { id: string }) {
  const loaded = useLoaded((signal) => read<TemplateRecord>(`${PATH}/${encodeURIComponent(id)}`, { signal }), [id]);
  return (
    <>
      <p class="back">
        <a href="/dashboard/templates">All templates</a>
      </p>
      {hasStatus(loaded.error, 404) && <PageHead title="There is no such template" />}
      <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
      {!loaded.value && loaded.loading && <Loading what="the template" />}
      {loaded.value && (
        <OneTemplate
          template={loaded.value}
          onChanged={(record) => loaded.setValue((before) => ({ ...before, ...record }))}
          onReload={loaded.reload}
        />
      )}
    </>
  );
}

interface OneTemplateProps {
  template: TemplateRecord;
  onChanged(record: TemplateRecord): void;
  onReload(): void;
}

type TabName = 'files' | 'schema' | 'versions';
const TABS: Array<Tab<TabName>> = [
  { name: 'files', label: 'Files' },
  { name: 'schema', label: 'Schema' },
  { name: 'versions', label: 'Versions' },
];

function OneTemplate({ template, onChanged, onReload }: OneTemplateProps) {
  const { template_id: id, version, engine, owned } = template;
  const [tab, setTab] = useState<TabName>('files');
  const files = useFiles(template);
  const accountId = session.peek()?.account.account_id;
  const changes = useLoaded(() => readChanges(accountId, id), [id]);
  /** The visitor has made the new version here, so that unsaved text goes on from it. */
  const take = (record: TemplateRecord) => {
    void moveChanges(accountId, id, version, record.version);
    onChanged(record);
  };
  return (
    <div class="stack">
      <PageHead title={<bdi class="name">{template.name}</bdi>}>
        <a class="button" href={`/dashboard/documents?template=${id}`}>
          Documents
        </a>
        {owned && (
          <OwnerActions
            template={template}
            unsaved={Boolean(changes.value?.length)}
            onChanged={take}
            onGone={() => deleteChanges(accountId, id)}
          />
        )}
        <a class="button primary" href={`/edit?template=${id}`}>
          Open the editor
        </a>
      </PageHead>
      <p class="hint" role="status">
        Version {version}
        {!owned && ' of another key, which shares it'}
        {changes.value && changes.value.length > 0 && ', with unsaved changes in the editor'}
      </p>
      <p class="hint">
        <code>{id}</code>, {engine}
      </p>
      {owned && <NameForm template={template} onRenamed={take} onConflict={onReload} />}
      <Tabs label="Template" tabs={TABS} chosen={tab} onChoose={(name: TabName) => setTab(name)}>
        {tab === 'files' && <TemplateFiles template={template} files={files} onChanged={take} />}
        {tab === 'schema' && <TemplateSchema template={template} onChanged={take} onConflict={onReload} />}
        {tab === 'versions' && (
          <>
            <TemplateVersions
              template={template}
              unsaved={Boolean(changes.value?.length)}
              onRestored={(record) => void moveChanges(accountId, id, version, record.version).then(onReload)}
              onPublished={onChanged}
            />
            {!changes.loading && <TemplateComparison template={template} unsaved={changes.value?.[0]?.draft} />}
          </>
        )}
      </Tabs>
    </div>
  );
}

function useFiles({ template_id: id, version }: TemplateRecord) {
  return useLoaded(async (signal) => (await read<List<AssetRecord>>(`${PATH}/${id}/assets`, { signal })).data, [id, version]);
}

async function moveChanges(accountId: string | undefined, id: string, from: number, to: number): Promise<void> {
  for (const kept of await readChanges(accountId, id))
    if (kept.of?.version === from) await writeDraft({ ...kept, of: { ...kept.of, version: to } });
}

async function deleteChanges(accountId: string | undefined, id: string): Promise<void> {
  await deleteDrafts((await readChanges(accountId, id)).map((kept) => kept.id));
}

interface OwnerActionsProps {
  template: TemplateRecord;
  /** Whether the editor has unsaved changes, which go with the template. */
  unsaved: boolean;
  onChanged(template: TemplateRecord): void;
  onGone(): Promise<void>;
}

function OwnerActions({ template, unsaved, onChanged, onGone }: OwnerActionsProps) {
  const { template_id: id, name, visibility } = template;
  const [removes, setRemoves] = useState(false);
  const sharing = useAction();
  const share = () =>
    sharing.run(async () => {
      const wanted = visibility === 'account' ? 'key' : 'account';
      onChanged((await (await send('PATCH', `${PATH}/${id}`, { visibility: wanted })).json()) as TemplateRecord);
      showToast(wanted === 'account' ? 'All keys of the account can render it now.' : 'Only this key can render it now.');
    });
  const remove = async () => {
    await call(`${PATH}/${id}`, { method: 'DELETE' });
    await onGone();
    showToast(`${name} was deleted.`);
    go('/dashboard/templates');
  };
  return (
    <>
      <Switch label="Shared with the account" checked={visibility === 'account'} disabled={sharing.running} onChange={share} />
      <Button label="Delete" look="danger" onClick={() => setRemoves(true)} />
      <ErrorMessage error={sharing.error} />
      {removes && (
        <Confirm title="Delete this template?" verb="Delete" onConfirm={remove} onClose={() => setRemoves(false)}>
          <p>
            <bdi>{name}</bdi> and its earlier versions are removed permanently. Requests with its id will fail. Documents rendered
            from it are kept.{unsaved && ' Its unsaved changes in the editor are deleted, too.'}
          </p>
        </Confirm>
      )}
    </>
  );
}

interface NameFormProps {
  template: TemplateRecord;
  onRenamed(record: TemplateRecord): void;
  onConflict(): void;
}

function NameForm({ template, onRenamed, onConflict }: NameFormProps) {
  const { text: name, write, saved } = useUnsavedText(`name of ${template.template_id}`, template.name);
  const renaming = useAction();
  const rename = (event: Event) => {
    event.preventDefault();
    renaming.run(async () => {
      const reply = await sendChange(`${PATH}/${template.template_id}`, { name }, tagOf(template), onConflict);
      const record = (await reply.json()) as TemplateRecord;
      onRenamed(record);
      saved(name, record.name);
      showToast(`Saved as version ${record.version}.`);
    });
  };
  return (
    <form class="filters" onSubmit={rename}>
      <div class="field grow">
        <label for="template-name">Name</label>
        <input
          id="template-name"
          autocomplete="off"
          maxLength={200}
          dir="auto"
          value={name}
          onInput={(event) => write(event.currentTarget.value)}
        />
      </div>
      <button type="submit" class="button" disabled={name === template.name || renaming.running}>
        Rename
      </button>
      <ErrorMessage error={renaming.error} />
    </form>
  );
}
