/** Shows the text of a template and its sample data on one side, and the preview on the other. */

import { dataUse } from 'virtual:data-use';
import { type ReadonlySignal, signal, useComputed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { CodeEditor } from '../shared/code-editor/code-editor.tsx';
import { jsonData, TEMPLATE } from '../shared/code-editor/languages.ts';
import { PdfView } from '../shared/pdf-view/pdf-view.tsx';
import type { RenderedPdf } from '../shared/rendered-pdf.ts';
import { type Tab, Tabs } from '../shared/tabs.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import { countText } from './format.ts';
import { type Loaded, useLoaded } from './loaded.ts';
import type { AssetRecord, List, TemplateRecord } from './records.ts';
import { WarningList } from './report.tsx';
import { findName, keepSample, readSample } from './sample-data.ts';
import { createSample } from './sample-of-template.ts';
import { read } from './session.ts';
import { TemplateComparison } from './template-comparison.tsx';
import type { Draft } from './template-draft.ts';
import { TemplateFiles } from './template-files.tsx';
import { canPreview, type PreviewRules, readData, readPreviewRules, renderDraft, renderSaved } from './template-preview.ts';
import { TemplateSamples } from './template-samples.tsx';
import { TemplateSchema } from './template-schema.tsx';
import { TemplateVersions } from './template-versions.tsx';

export interface WorkbenchProps {
  /** The saved template, or null if it was never saved. */
  saved: TemplateRecord | null;
  draft: ReadonlySignal<Draft>;
  changed: boolean;
  onHtml(html: string): void;
  onSave(): Promise<TemplateRecord>;
  /** Is called with the template after a change of a file, of sample data, or of what is published. */
  onChanged(record: TemplateRecord): void;
  /** Is called when the saved template has changed elsewhere. */
  onReload(): void;
}

type TabName = 'html' | 'data' | 'files' | 'versions';
const HTML_TAB: Tab<TabName> = { name: 'html', label: 'HTML' };
const DATA_TAB: Tab<TabName> = { name: 'data', label: 'Sample data' };
const FILES_TAB: Tab<TabName> = { name: 'files', label: 'Files' };
const VERSIONS_TAB: Tab<TabName> = { name: 'versions', label: 'Versions' };

export function TemplateWorkbench({ saved, draft, changed, onHtml, onSave, onChanged, onReload }: WorkbenchProps) {
  const [tab, setTab] = useState<TabName>('html');
  const html = useComputed(() => draft.value.html);
  const sample = useMemo(() => signal(readSample(saved)), []);
  const data = useComputed(() => sample.value.text);
  const language = useMemo(
    () => jsonData((text) => findDataUse(saved, text)?.unused ?? []),
    [saved?.template_id, saved?.version],
  );
  const files = useFiles(saved);
  const { preview, action, hint, plays, show } = usePreview(saved, draft.value, changed, data, files, onSave);
  const changeData = (text: string, name = findName(sample.value, saved ?? {})) => {
    sample.value = { name, text };
    keepSample(saved?.template_id ?? null, sample.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) show();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter renders, from wherever within
    <div class="workbench" onKeyDown={onKeyDown}>
      <Tabs
        label="Template"
        tabs={saved ? [HTML_TAB, DATA_TAB, FILES_TAB, VERSIONS_TAB] : [HTML_TAB, DATA_TAB]}
        chosen={tab}
        onChoose={(name: TabName) => setTab(name)}
      >
        <div class="editor-place" hidden={tab !== 'html'}>
          <CodeEditor label="Template HTML" language={TEMPLATE} text={html} onChange={onHtml} />
        </div>
        <div hidden={tab !== 'data'}>
          <div class="stack">
            <TemplateSamples template={saved} sample={sample} onChanged={onChanged} />
            <TemplateSchema template={saved} onChanged={onChanged} />
            <div class="editor-place">
              <CodeEditor label="Sample data" language={language} text={data} onChange={(text) => changeData(text)} />
            </div>
          </div>
        </div>
        {tab === 'files' && saved && <TemplateFiles template={saved} files={files} onChanged={onChanged} />}
        {tab === 'versions' && saved && (
          <TemplateVersions template={saved} unsaved={changed} onRestored={onReload} onPublished={onChanged} />
        )}
        {(tab === 'html' || tab === 'data') && saved && (
          <Placeholders template={saved} data={data} onFill={() => changeData(createSample(saved), null)} />
        )}
      </Tabs>
      <div class="shown">
        <div class="preview-head">
          <Button
            label={previewLabel(action.running, plays)}
            look="primary"
            disabled={action.running || files.loading || html.value === ''}
            onClick={show}
          />
          <p class="hint">{hint}</p>
        </div>
        <ErrorMessage error={action.error} />
        <p class="hint" role="status">
          {preview && countText(preview.pages, 'page')}
        </p>
        {preview && <WarningList report={preview.report} />}
        <div class="pdf-place">
          <PdfView pdf={preview?.pdf} busy={action.running} thumbnails={false}>
            <p class="nothing">The preview appears here. Ctrl+Enter in an editor also renders it.</p>
          </PdfView>
        </div>
      </div>
      {tab === 'versions' && saved && <TemplateComparison template={saved} draft={draft} data={data} files={files} />}
    </div>
  );
}

const FREE = 'The playground renders the text in the editor. Nothing is saved, stored or counted.';
const NO_PLAYGROUND = 'The playground is off, or the template is too large for it.';
const WITH_FILES = 'The playground cannot render the files of a template.';
const WITH_DEFAULTS = 'The playground does not know the default options and files of the account.';
const CHARGED = 'The template is saved first, and the preview counts as one document.';

function reason(rules: PreviewRules | undefined, files: AssetRecord[]): string {
  if (files.length > 0) return WITH_FILES;
  return rules?.hasDefaults ? WITH_DEFAULTS : NO_PLAYGROUND;
}

function previewLabel(running: boolean, plays: boolean): string {
  if (running) return 'Rendering…';
  return plays ? 'Preview' : 'Save and preview';
}

function usePreview(
  saved: TemplateRecord | null,
  draft: Draft,
  changed: boolean,
  data: ReadonlySignal<string>,
  files: Loaded<AssetRecord[]>,
  onSave: WorkbenchProps['onSave'],
) {
  const [preview, setPreview] = useState<RenderedPdf>();
  const rules = useLoaded(readPreviewRules, []).value;
  const action = useAction();
  const plays = canPreview(rules, draft, files.value ?? []);
  const show = () =>
    action.run(async () => {
      const values = readData(data.value);
      if (plays) return setPreview(await renderDraft(draft, values));
      const record = saved && !changed ? saved : await onSave();
      setPreview(await renderSaved(record.template_id, values));
    });
  return { preview, action, hint: plays ? FREE : `${reason(rules, files.value ?? [])} ${CHARGED}`, plays, show };
}

function useFiles(saved: TemplateRecord | null) {
  const { template_id: id, version } = saved ?? {};
  return useLoaded(
    async (signal) => (id ? (await read<List<AssetRecord>>(`/v1/templates/${id}/assets`, { signal })).data : []),
    [id, version],
  );
}

interface PlaceholdersProps {
  template: TemplateRecord;
  data: ReadonlySignal<string>;
  onFill(): void;
}

/** Shows what the saved version reads, and whether the sample data has it. */
function Placeholders({ template, data, onFill }: PlaceholdersProps) {
  const { placeholders, version } = template;
  const use = findDataUse(template, data.value);
  const missing = new Set(use?.missing);
  return (
    <div class="placeholders">
      <h2 class="minor">Placeholders of version {version}</h2>
      {placeholders.length === 0 ? (
        <p class="hint">None: the template does not use data.</p>
      ) : (
        <>
          <ul class="chips">
            {placeholders.map((path) => (
              <li key={path} class={missing.has(path) ? 'missing' : ''}>
                <code>{path}</code>
                {missing.has(path) && ' has no value'}
              </li>
            ))}
          </ul>
          <Button label="Generate sample data" look="small" onClick={onFill} />
        </>
      )}
      <p class="hint" role="status">
        {use && use.unused.length > 0 && `Not used by this version: ${use.unused.join(', ')}`}
      </p>
    </div>
  );
}

/** What a dry run would tell about the data. Undefined while it is not valid. */
function findDataUse(template: TemplateRecord | null, text: string) {
  try {
    return template ? dataUse(template.placeholders, readData(text)) : undefined;
  } catch {
    return undefined;
  }
}
