/** Shows the text of a template and its sample data on one side, and the preview on the other. */

import { dataUse } from 'virtual:data-use';
import { type ReadonlySignal, signal, useComputed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { CodeEditor, type CodeEditorProps } from '../shared/code-editor/code-editor.tsx';
import { readLineError, toDiagnostic } from '../shared/code-editor/diagnostics.ts';
import { jsonData, TEMPLATE } from '../shared/code-editor/languages.ts';
import { type Tab, Tabs } from '../shared/tabs.tsx';
import { useLoaded } from './loaded.ts';
import type { AssetRecord, List, TemplateRecord } from './records.ts';
import { findName, keepSample, readSample } from './sample-data.ts';
import { createSample } from './sample-of-template.ts';
import { read } from './session.ts';
import { TemplateCode } from './template-code.tsx';
import { TemplateComparison } from './template-comparison.tsx';
import type { Draft } from './template-draft.ts';
import { TemplateFiles } from './template-files.tsx';
import { LivePreview, type TemplatePreview, useTemplatePreview } from './template-live.tsx';
import { readData } from './template-preview.ts';
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

type TabName = 'html' | 'data' | 'files' | 'code' | 'versions';
const HTML_TAB: Tab<TabName> = { name: 'html', label: 'HTML' };
const DATA_TAB: Tab<TabName> = { name: 'data', label: 'Sample data' };
const FILES_TAB: Tab<TabName> = { name: 'files', label: 'Files' };
const CODE_TAB: Tab<TabName> = { name: 'code', label: 'Code' };
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
  const preview = useTemplatePreview({ saved, draft, changed, data, files: files.value, onSave });
  const mistake = useMistake(preview);
  const changeData = (text: string, name = findName(sample.value, saved ?? {})) => {
    sample.value = { name, text };
    keepSample(saved?.template_id ?? null, sample.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void preview.loop.renderNow();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter renders, from wherever within
    <div class="workbench" onKeyDown={onKeyDown}>
      <Tabs
        label="Template"
        tabs={saved ? [HTML_TAB, DATA_TAB, FILES_TAB, CODE_TAB, VERSIONS_TAB] : [HTML_TAB, DATA_TAB]}
        chosen={tab}
        onChoose={(name: TabName) => setTab(name)}
      >
        <div class="editor-place" hidden={tab !== 'html'}>
          <CodeEditor label="Template HTML" language={TEMPLATE} text={html} onChange={onHtml} diagnose={mistake} />
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
        {tab === 'code' && saved && <TemplateCode template={saved} data={data} />}
        {tab === 'versions' && saved && (
          <TemplateVersions template={saved} unsaved={changed} onRestored={onReload} onPublished={onChanged} />
        )}
        {(tab === 'html' || tab === 'data') && saved && (
          <Placeholders template={saved} data={data} onFill={() => changeData(createSample(saved), null)} />
        )}
      </Tabs>
      <LivePreview {...preview} />
      {tab === 'versions' && saved && <TemplateComparison template={saved} draft={draft} data={data} />}
    </div>
  );
}

/** Marks the mistake that the last render has found. */
function useMistake({ loop }: TemplatePreview): CodeEditorProps['diagnose'] {
  const found = useComputed(() =>
    loop.state.value.kind === 'problem' ? readLineError(loop.state.value.problem) : undefined,
  ).value;
  return useMemo(() => found && ((state) => [toDiagnostic(state, found)]), [found]);
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
