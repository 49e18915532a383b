/** Shows a template or a new one: its text, sample data, a preview and its versions. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProblemError } from '../shared/api.ts';
import { Button } from '../shared/button.tsx';
import { handOver } from '../shared/handed-over.ts';
import { Switch } from '../shared/switch.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage, Loading, PageHead } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { hasStatus } from './format.ts';
import { takeFromPlayground } from './from-playground.ts';
import { useLoaded } from './loaded.ts';
import { ReadOnlyCode } from './read-only-code.tsx';
import type { Engine, TemplateRecord } from './records.ts';
import { go, setRouteId } from './route.ts';
import { firstSamples, moveSampleToTemplate, readSample } from './sample-data.ts';
import { call, ifVersion, read, send } from './session.ts';
import { type Draft, findUnsaved, forgetUnsaved, isSame, keepUnsaved, toDraft, type Unsaved } from './template-draft.ts';
import { TemplateWorkbench } from './template-workbench.tsx';

const PATH = '/v1/templates';
const ENGINES: Engine[] = ['placeholders', 'liquid'];

/** The id of a new template is `new` until it is saved. */
export function TemplatePage({ id }: { id: string }) {
  const loaded = useLoaded(
    (signal) => openTemplate(id, signal),
    [], // a new template gets its id when it is saved, and need not be loaded again
  );
  return (
    <>
      <p class="back">
        <a href="/dashboard/templates">All templates</a>
      </p>
      {hasStatus(loaded.error, 404) && <PageHead title="There is no such template" />}
      <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
      {!loaded.value && loaded.loading && <Loading what="the template" />}
      {loaded.value && <TemplateEditor key={loaded.value.template?.version ?? 0} {...loaded.value} onReload={loaded.reload} />}
    </>
  );
}

interface Opened {
  /** Null for a new one. */
  template: TemplateRecord | null;
  /** What was written and not saved. */
  kept: Unsaved | undefined;
}

async function openTemplate(id: string, signal: AbortSignal): Promise<Opened> {
  if (id === 'new') return { template: null, kept: (await takeFromPlayground()) ?? (await findUnsaved(null)) };
  const template = await read<TemplateRecord>(`${PATH}/${encodeURIComponent(id)}`, { signal });
  return { template, kept: await findUnsaved(template.template_id) };
}

function TemplateEditor({ template, kept, onReload }: Opened & { onReload(): void }) {
  const [saved, setSaved] = useState(template);
  const draft = useSignal(kept?.draft ?? toDraft(template));
  /** The version in which the visitor began to write. */
  const base = useRef(kept?.version ?? template?.version);
  const [removes, setRemoves] = useState(false);
  const saving = useAction();
  const changed = !isSame(draft.value, toDraft(saved));
  useKept({ templateId: saved?.template_id ?? null, version: base.current, draft: draft.value }, changed);
  const change = (part: Partial<Draft>) => {
    draft.value = { ...draft.value, ...part };
  };
  const save = async (over = base.current): Promise<TemplateRecord> => {
    const sent = draft.value;
    const record = await store(saved, sent, over);
    if (!saved) {
      moveSampleToTemplate(record);
      forgetUnsaved(null);
    }
    setRouteId(record.template_id);
    setSaved(record);
    base.current = record.version;
    showToast(`Saved as version ${record.version}.`);
    return record;
  };
  const take = (record: TemplateRecord) => {
    if (record.version !== saved?.version) base.current = record.version;
    setSaved({ ...saved, ...record });
  };
  const discard = () => {
    draft.value = toDraft(saved);
    base.current = saved?.version;
  };
  const reload = () => {
    forgetUnsaved(saved?.template_id ?? null);
    onReload();
  };
  const saveNow = () => saving.run(async () => void (await save()));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+S saves, from wherever within
    <div class="stack" onKeyDown={(event) => isSaveKey(event) && changed && saveNow()}>
      <PageHead title={saved ? 'Template' : 'New template'}>
        {changed && <Button label="Discard changes" onClick={discard} />}
        {saved && <SavedActions saved={saved} changed={changed} onShared={take} onDelete={() => setRemoves(true)} />}
        <Button
          label={saving.running ? 'Saving…' : saveLabel(saved)}
          look="primary"
          disabled={(!changed && saved?.owned !== false) || saving.running}
          onClick={saveNow}
        />
      </PageHead>
      <ErrorMessage error={saving.error} />
      {saved && hasStatus(saving.error, 412) && (
        <ConflictChoice
          version={readVersion(saving.error)}
          path={`${PATH}/${saved.template_id}`}
          html={draft.value.html}
          onOverwrite={(version) => saving.run(async () => void (await save(version)))}
          onReload={reload}
        />
      )}
      <DraftFields draft={draft.value} saved={saved} changed={changed} onChange={change} />
      <TemplateWorkbench
        saved={saved}
        draft={draft}
        changed={changed}
        onHtml={(html) => change({ html })}
        onSave={() => save()}
        onChanged={take}
        onReload={reload}
      />
      {removes && saved && (
        <DeleteDialog template={saved} onGone={() => forgetUnsaved(saved.template_id)} onClose={() => setRemoves(false)} />
      )}
    </div>
  );
}

/** Keeps the browser from saving the page. */
function isSaveKey(event: KeyboardEvent): boolean {
  const isSave = event.key === 's' && (event.ctrlKey || event.metaKey);
  if (isSave) event.preventDefault();
  return isSave;
}

interface SavedActionsProps {
  saved: TemplateRecord;
  changed: boolean;
  onShared(template: TemplateRecord): void;
  onDelete(): void;
}

function SavedActions({ saved, changed, onShared, onDelete }: SavedActionsProps) {
  const { name, engine, html = '', owned, visibility } = saved;
  const sharing = useAction();
  const share = () =>
    sharing.run(async () => {
      const wanted = visibility === 'account' ? 'key' : 'account';
      const response = await send('PATCH', `${PATH}/${saved.template_id}`, { visibility: wanted });
      onShared((await response.json()) as TemplateRecord);
      showToast(wanted === 'account' ? 'All keys of the account can render it now.' : 'Only this key can render it now.');
    });
  return (
    <>
      <a class="button" href={`/dashboard/documents?template=${saved.template_id}`}>
        Documents
      </a>
      <Button
        label="Open in the playground"
        disabled={changed} // which would be lost here
        onClick={() => handOver({ name, engine, html, data: readSample(saved).text }, '/')}
      />
      {owned && (
        <>
          <Switch
            label="Shared with the account"
            checked={visibility === 'account'}
            disabled={sharing.running}
            onChange={share}
          />
          <Button label="Delete" look="danger" onClick={onDelete} />
        </>
      )}
      <ErrorMessage error={sharing.error} />
    </>
  );
}

/** `over` is the version that the visitor means to replace. Throws a problem with status 412 if there is a newer one. */
async function store(saved: TemplateRecord | null, draft: Draft, over?: number): Promise<TemplateRecord> {
  const samples = saved?.samples ?? firstSamples();
  const response = await (saved?.owned
    ? replace(saved, draft, over ?? saved.version)
    : send('POST', PATH, { ...draft, samples }));
  return { ...((await response.json()) as TemplateRecord), html: draft.html, samples };
}

/** Of a template of another key, a copy is stored. */
function saveLabel(saved: TemplateRecord | null): string {
  return saved?.owned === false ? 'Save a copy' : 'Save';
}

/** A new name alone is sent alone. */
function replace(saved: TemplateRecord, draft: Draft, over: number): Promise<Response> {
  const { name } = draft;
  const isRename = over === saved.version && isSame({ ...draft, name: saved.name }, toDraft(saved));
  const [method, body] = isRename ? ['PATCH', { name }] : ['PUT', draft];
  return send(method, `${PATH}/${saved.template_id}`, body, { headers: ifVersion(over) });
}

function readVersion(error: unknown): number {
  return Number((error as ProblemError).body.version);
}

interface ConflictChoiceProps {
  /** The current version, which somebody else saved. */
  version: number;
  path: string;
  /** The text of the visitor. */
  html: string;
  onOverwrite(version: number): void;
  onReload(): void;
}

function ConflictChoice({ version, path, html, onOverwrite, onReload }: ConflictChoiceProps) {
  const [compares, setCompares] = useState(false);
  return (
    <div class="stack">
      <div class="actions">
        <Button label="Compare" look="small" pressed={compares} onClick={() => setCompares(!compares)} />
        <Button label={`Save my text over version ${version}`} look="small" onClick={() => onOverwrite(version)} />
        <Button label={`Discard my text and load version ${version}`} look="small" onClick={onReload} />
        <p class="hint">A version that you save over stays under Versions.</p>
      </div>
      {compares && <Comparison version={version} path={path} html={html} />}
    </div>
  );
}

/** Shows what the text of the visitor changes in the version of somebody else. */
function Comparison({ version, path, html }: Pick<ConflictChoiceProps, 'version' | 'path' | 'html'>) {
  const theirs = useLoaded((signal) => read<TemplateRecord>(`${path}/versions/${version}`, { signal }), [path, version]);
  return (
    <>
      <ErrorMessage error={theirs.error} onRetry={theirs.reload} />
      {theirs.value && (
        <div class="editor-place">
          <ReadOnlyCode label={`From version ${version} to my text`} text={html} since={theirs.value.html ?? ''} />
        </div>
      )}
    </>
  );
}

/** Keeps the text while it is not saved. */
function useKept({ templateId, version, draft }: Unsaved, changed: boolean): void {
  useEffect(() => {
    if (changed) keepUnsaved({ templateId, version, draft });
    else forgetUnsaved(templateId);
  }, [templateId, version, draft, changed]);
}

interface DraftFieldsProps {
  draft: Draft;
  saved: TemplateRecord | null;
  changed: boolean;
  onChange(part: Partial<Draft>): void;
}

function DraftFields({ draft, saved, changed, onChange }: DraftFieldsProps) {
  return (
    <div class="filters">
      <div class="field grow">
        <label for="template-name">Name</label>
        <input
          id="template-name"
          autocomplete="off"
          maxLength={200}
          dir="auto"
          value={draft.name}
          onInput={(event) => onChange({ name: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="engine">Engine</label>
        <select id="engine" value={draft.engine} onChange={(event) => onChange({ engine: event.currentTarget.value as Engine })}>
          {ENGINES.map((engine) => (
            <option key={engine} value={engine}>
              {engine}
            </option>
          ))}
        </select>
      </div>
      <p class="hint filters-end" role="status">
        {saved ? `Version ${saved.version}` : 'Not stored yet'}
        {saved && !saved.owned ? ' of another key, which shares it' : ''}
        {changed ? ', with unsaved changes' : ''}
      </p>
    </div>
  );
}

interface DeleteDialogProps {
  template: TemplateRecord;
  onGone(): void;
  onClose(): void;
}

function DeleteDialog({ template, onGone, onClose }: DeleteDialogProps) {
  const remove = async () => {
    await call(`${PATH}/${template.template_id}`, { method: 'DELETE' });
    onGone();
    showToast(`${template.name} was deleted.`);
    go('/dashboard/templates');
  };
  return (
    <Confirm title="Delete this template?" verb="Delete" onConfirm={remove} onClose={onClose}>
      <p>
        <bdi>{template.name}</bdi> and its earlier versions are removed permanently. Requests with its id will fail. Documents
        rendered from it are kept.
      </p>
    </Confirm>
  );
}
