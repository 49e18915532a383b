/** What the editor shows and does in addition while a stored template is in it. */
import { dataUse } from 'virtual:data-use';
import { computed, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { useAction } from '../../dashboard/action.ts';
import { ErrorMessage } from '../../dashboard/components.tsx';
import { useLoaded } from '../../dashboard/loaded.ts';
import { ReadOnlyCode } from '../../dashboard/read-only-code.tsx';
import type { Playground, TemplateRecord } from '../../dashboard/records.ts';
import { createSample } from '../../dashboard/sample-of-template.ts';
import { read, send as sendJson } from '../../dashboard/session.ts';
import { isFree } from '../../dashboard/template-preview.ts';
import { Button } from '../../shared/button.tsx';
import { jsonData } from '../../shared/code-editor/languages.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { tryReadData } from '../../shared/read-data.ts';
import { change, type Draft, draft } from '../draft.ts';
import { countBytes, toAssetChanges } from '../files/assets.ts';
import { isSaving, isUnsaved, opened, type TemplateParts } from '../opened.ts';
import type { RenderBody } from '../render-body.ts';
import { conflictOf, discardChanges, loadTheirs, saveError, saveTemplate, storeTemplate } from './save-template.ts';
import { toDraftFiles } from './template-files.ts';
import { SampleBar } from './template-samples.tsx';

/** Undefined if the service did not tell. */
export const playground = signal<Playground | undefined>(undefined);

const isTextCharged = computed(() => !isFree(playground.value, { html: draft.value.template }));
/** Whether the files that are not saved are more than a preview takes. */
const isTooLarge = computed(() => {
  const { style, files } = draft.value;
  const most = playground.value?.limits.assets_bytes ?? 0;
  return countBytes({ style: style === opened.value?.style ? '' : style, files }) > most;
});
const isCharged = computed(() => isTextCharged.value || isTooLarge.value);
const placeholders = computed(() => opened.value?.record.placeholders ?? []);

export const PARTS: TemplateParts = {
  Actions,
  Samples,
  dataLanguage: computed(() => {
    const paths = placeholders.value;
    return jsonData((text) => findDataUse(paths, text)?.unused ?? []);
  }),
  isCharged,
  save: () => void saveTemplate(),
  toDraft: async () => {
    const written = draft.peek();
    return { ...written, files: await toDraftFiles(opened.peek()?.record.template_id ?? '', written) };
  },
  send,
};

/** What is unsaved without a charge, if the service renders it; else the saved template, which is charged as every render with a key. */
async function send(body: RenderBody, draft: Draft, signal: AbortSignal): Promise<Response> {
  if (!('template' in body)) throw new Error('A template has no other source.');
  const { template: html, engine, data, options } = body;
  const headers = { accept: 'application/json' };
  const saves = isCharged.peek() && isUnsaved.peek();
  if (saves) await storeTemplate();
  const { record, style = '' } = opened.peek() ?? {};
  const rest = { template_id: record?.template_id, data, ...(options && { options }) };
  if (isCharged.peek()) return sendJson('POST', '/v1/pdf', { ...rest, store: false }, { headers });
  const assets = saves ? {} : await toAssetChanges(draft, style);
  return sendJson('POST', '/v1/templates/preview', { html, engine, ...rest, assets }, { headers, signal });
}

function Actions() {
  const { record } = opened.value ?? {};
  if (!record) return null;
  const isChanged = isUnsaved.value;
  const conflict = conflictOf(saveError.value);
  return (
    <>
      <p class="hint" role="status">
        Version {record.version}
        {!record.owned && ' of another key, which shares it'}
        {isChanged && ', with unsaved changes'}
      </p>
      {isChanged && <Button label="Discard changes" look="quiet small" onClick={discardChanges} />}
      <Button
        label={isSaving.value ? 'Saving…' : record.owned ? 'Save' : 'Save a copy'}
        look="primary small"
        disabled={(!isChanged && record.owned) || isSaving.value}
        onClick={() => void saveTemplate()}
      />
      <ChargeHint />
      {conflict === undefined ? (
        <ErrorMessage error={saveError.value} />
      ) : (
        <ConflictDialog version={conflict} path={`/v1/templates/${record.template_id}`} />
      )}
    </>
  );
}

function ChargeHint() {
  return isCharged.value ? <p class="hint wide">{isTextCharged.value ? CHARGED : LARGE}</p> : null;
}

const CHARGED =
  'The playground is off, or the template is too large for it. A render saves the template first, and counts as one document.';
const LARGE = 'The files that are not saved are too large to be sent with each render, so a render saves the template first.';

/** Somebody else has saved a newer version. The text of the visitor stays, whatever is chosen, until it is discarded. */
function ConflictDialog({ version, path }: { version: number; path: string }) {
  const [compares, setCompares] = useState(false);
  const loading = useAction();
  const close = () => {
    saveError.value = undefined;
  };
  return (
    <Dialog title="Not saved: there is a newer version" onClose={close} wide={compares}>
      <ErrorMessage error={saveError.value} />
      {compares && <Comparison version={version} path={path} />}
      <ErrorMessage error={loading.error} />
      <p class="hint">A version that you save over stays under Versions.</p>
      <div class="actions end">
        <Button label="Cancel" onClick={close} />
        <Button label="Compare" pressed={compares} onClick={() => setCompares(!compares)} />
        <Button
          label={`Discard my text and load version ${version}`}
          disabled={loading.running}
          onClick={() => loading.run(loadTheirs)}
        />
        <Button
          label={`Save my text over version ${version}`}
          look="primary"
          disabled={isSaving.value}
          onClick={() => void saveTemplate(version)}
        />
      </div>
    </Dialog>
  );
}

/** Shows what the text of the visitor changes in the version of somebody else. */
function Comparison({ version, path }: { version: number; path: string }) {
  const theirs = useLoaded((signal) => read<TemplateRecord>(`${path}/versions/${version}`, { signal }), [path, version]);
  return (
    <>
      <ErrorMessage error={theirs.error} onRetry={theirs.reload} />
      {theirs.value && (
        <div class="editor-place">
          <ReadOnlyCode
            label={`From version ${version} to my text`}
            text={draft.value.template}
            since={theirs.value.html ?? ''}
          />
        </div>
      )}
    </>
  );
}

/** The samples, and what the saved version reads: whether the data has it. */
function Samples() {
  const { record } = opened.value ?? {};
  if (!record) return null;
  const use = findDataUse(placeholders.value, draft.value.data);
  const missing = new Set(use?.missing);
  return (
    <div class="samples">
      <SampleBar template={record} />
      <div class="placeholders">
        <h3 class="minor">Placeholders of version {record.version}</h3>
        {placeholders.value.length === 0 ? (
          <p class="hint">None: the template does not use data.</p>
        ) : (
          <ul class="chips">
            {placeholders.value.map((path) => (
              <li key={path} class={missing.has(path) ? 'missing' : ''}>
                <code>{path}</code>
                {missing.has(path) && ' has no value'}
              </li>
            ))}
          </ul>
        )}
        {placeholders.value.length > 0 && (
          <Button label="Generate sample data" look="quiet small" onClick={() => generate(record)} />
        )}
        <p class="hint" role="status">
          {use && use.unused.length > 0 && `Not used by this version: ${use.unused.join(', ')}`}
        </p>
      </div>
    </div>
  );
}

function generate(record: TemplateRecord): void {
  const now = opened.peek();
  if (now) opened.value = { ...now, sample: null };
  change({ data: createSample(record) });
}

/** What a dry run would tell about the data. Undefined while it is not valid. */
function findDataUse(paths: readonly string[], text: string) {
  const data = tryReadData(text);
  return data && dataUse(paths, data);
}
