/** The text of a template and data for it on one side, what becomes of them on the other. */
import { useState } from 'preact/hooks';
import { CodeEditor } from '../shared/code-editor.tsx';
import { type Tab, Tabs } from '../shared/tabs.tsx';
import { useAction } from './action.ts';
import { useLoaded } from './loaded.ts';
import { PdfPreview } from './pdf-preview.tsx';
import { Fault } from './pieces.tsx';
import type { TemplateRecord } from './records.ts';
import { keepSample, sampleFor, sampleOf } from './sample-data.ts';
import type { Draft } from './template-draft.ts';
import { canPlay, type Preview, readData, readPlayground, renderDraft, renderSaved } from './template-preview.ts';
import { TemplateVersions } from './template-versions.tsx';
import { countText } from './words.ts';

export interface WorkbenchProps {
  /** As the service has it; null where it has none. */
  saved: TemplateRecord | null;
  draft: Draft;
  changed: boolean;
  onHtml(html: string): void;
  onSave(): Promise<TemplateRecord>;
  /** The template has changed behind the editor. */
  onReload(): void;
}

type TabName = 'html' | 'data' | 'versions';
const HTML_TAB: Tab<TabName> = { name: 'html', label: 'HTML' };
const DATA_TAB: Tab<TabName> = { name: 'data', label: 'Sample data' };
const VERSIONS_TAB: Tab<TabName> = { name: 'versions', label: 'Versions' };

export function TemplateWorkbench({ saved, draft, changed, onHtml, onSave, onReload }: WorkbenchProps) {
  const [tab, setTab] = useState<TabName>('html');
  const [data, setData] = useState(() => sampleFor(saved?.template_id ?? null, saved?.placeholders ?? []));
  const { preview, action, plays, show } = usePreview(saved, draft, changed, data, onSave);
  const changeData = (text: string) => {
    setData(text);
    keepSample(saved?.template_id ?? null, text);
  };
  return (
    <div class="workbench">
      <Tabs
        label="Template"
        tabs={saved ? [HTML_TAB, DATA_TAB, VERSIONS_TAB] : [HTML_TAB, DATA_TAB]}
        chosen={tab}
        onChoose={(name: TabName) => setTab(name)}
      >
        <div class="editor-place" hidden={tab !== 'html'}>
          <CodeEditor label="Template HTML" language="html" value={draft.html} onInput={onHtml} onRun={show} />
        </div>
        <div class="editor-place" hidden={tab !== 'data'}>
          <CodeEditor label="Sample data" language="json" value={data} onInput={changeData} onRun={show} />
        </div>
        {tab === 'versions' && saved && <TemplateVersions template={saved} unsaved={changed} onRestored={onReload} />}
        {tab !== 'versions' && saved && <Placeholders template={saved} onFill={() => changeData(sampleOf(saved.placeholders))} />}
      </Tabs>
      <section aria-label="Preview" class="preview">
        <div class="preview-head">
          <button type="button" class="button primary" disabled={action.running || draft.html === ''} onClick={show}>
            {previewLabel(action.running, plays)}
          </button>
          <p class="hint">{plays ? FREE : CHARGED}</p>
        </div>
        <Fault fault={action.fault} />
        {preview ? (
          <Shown preview={preview} />
        ) : (
          <p class="sheet-place hint">The pages appear here. Ctrl+Enter in an editor shows them, too.</p>
        )}
      </section>
    </div>
  );
}

const FREE = 'As it is in the editor, by the playground: nothing is saved, stored or counted.';
const CHARGED =
  'The playground is off, or this is too large for it. The template is saved first, and the preview counts as one document.';

function previewLabel(running: boolean, plays: boolean): string {
  if (running) return 'Rendering…';
  return plays ? 'Preview' : 'Save and preview';
}

function usePreview(
  saved: TemplateRecord | null,
  draft: Draft,
  changed: boolean,
  data: string,
  onSave: WorkbenchProps['onSave'],
) {
  const [preview, setPreview] = useState<Preview>();
  const playground = useLoaded(readPlayground, []);
  const action = useAction();
  const plays = canPlay(playground.value, draft);
  const show = () =>
    action.run(async () => {
      const values = readData(data);
      if (plays) return setPreview(await renderDraft(draft, values));
      const record = saved && !changed ? saved : await onSave();
      setPreview(await renderSaved(record.template_id, values));
    });
  return { preview, action, plays, show };
}

function Shown({ preview: { bytes, pages, warnings } }: { preview: Preview }) {
  return (
    <>
      <p class="hint" role="status">
        {countText(pages, 'page')}
        {warnings > 0 && `, ${countText(warnings, 'warning')}`}
      </p>
      <PdfPreview bytes={bytes} name="Preview" />
    </>
  );
}

function Placeholders({ template: { placeholders, version }, onFill }: { template: TemplateRecord; onFill(): void }) {
  return (
    <div class="placeholders">
      <h3>Placeholders of version {version}</h3>
      {placeholders.length === 0 ? (
        <p class="hint">None: it takes nothing from the data.</p>
      ) : (
        <>
          <ul class="chips">
            {placeholders.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
          <button type="button" class="button small" onClick={onFill}>
            Write sample data for them
          </button>
        </>
      )}
    </div>
  );
}
