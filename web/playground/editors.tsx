/** The editors of the document: HTML, or a template with its data. */
import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { CodeEditor, type CodeEditorProps } from '../shared/code-editor/code-editor.tsx';
import { toDiagnostic } from '../shared/code-editor/diagnostics.ts';
import { HTML, JSON_DATA, TEMPLATE } from '../shared/code-editor/languages.ts';
import { showDialog } from './dialogs.ts';
import { change, draft, type Engine, type Mode } from './draft.ts';
import { templateParts } from './opened.ts';
import { isOutdated, rendered } from './render-loop.ts';
import { otherErrors, templateError } from './request-errors.ts';
import { type SourceName, showInPdf, shownPlace } from './source-places.ts';
import { findWarnings } from './source-warnings.ts';

const MODES: Array<{ mode: Mode; text: string }> = [
  { mode: 'html', text: 'HTML' },
  { mode: 'template', text: 'Template' },
];

const placeIn = (name: SourceName) => computed(() => (shownPlace.value?.source === name ? shownPlace.value : undefined));
const places = { html: placeIn('html'), template: placeIn('template'), data: placeIn('data') };
const textOf = (name: SourceName) => computed(() => draft.value[name]);
const texts = { html: textOf('html'), template: textOf('template'), data: textOf('data') };

export function Editors() {
  const { mode } = draft.value;
  const Actions = templateParts.value?.Actions;
  return (
    <div class="editors">
      <div class="editors-head">
        {!Actions && <ModeChoice />}
        {mode === 'template' && <EngineChoice />}
        <span class="space" />
        <Button label="Drafts" look="quiet small" onClick={() => showDialog('drafts')} />
        {Actions ? (
          <Actions />
        ) : (
          <>
            <Button label="Examples" look="quiet small" onClick={() => showDialog('examples')} />
            <Button label="Save as template" look="quiet small save-as" onClick={() => showDialog('save')} />
          </>
        )}
      </div>
      {mode === 'html' ? <HtmlEditor /> : <TemplateEditors />}
    </div>
  );
}

function ModeChoice() {
  return (
    <fieldset class="segmented" aria-label="Kind of document">
      {MODES.map(({ mode, text }) => (
        <button key={mode} type="button" aria-pressed={draft.value.mode === mode} onClick={() => change({ mode })}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

function EngineChoice() {
  return (
    <label class="engine">
      <span class="visually-hidden">Engine</span>
      <select value={draft.value.engine} onChange={({ currentTarget }) => change({ engine: currentTarget.value as Engine })}>
        <option value="placeholders">placeholders</option>
        <option value="liquid">liquid</option>
      </select>
    </label>
  );
}

function HtmlEditor() {
  return (
    <div class="editor-frame document-editor">
      <FieldErrors of={['html']} />
      <SourceEditor name="html" label="HTML" language={HTML} diagnose={useDiagnose('html')} />
    </div>
  );
}

function TemplateEditors() {
  const error = templateError.value;
  const parts = templateParts.value;
  return (
    <>
      <div class="editor-frame document-editor">
        <FieldErrors of={['html', 'template', 'engine']} />
        {error && <p class="error">{error.message}</p>}
        <SourceEditor name="template" label="Template" language={TEMPLATE} diagnose={useDiagnose('template')} />
      </div>
      <div class="editor-frame data-editor">
        <h2>Data</h2>
        {parts && <parts.Samples />}
        <FieldErrors of={['data']} />
        <SourceEditor name="data" label="Data" language={parts?.dataLanguage.value ?? JSON_DATA} />
      </div>
    </>
  );
}

/** Marks the mistake that kept the source from being rendered, or what the last render has warned of. */
function useDiagnose(name: 'html' | 'template'): CodeEditorProps['diagnose'] {
  const error = templateError.value;
  const result = isOutdated.value ? undefined : rendered.value;
  return useMemo(() => {
    if (error) return name === 'template' ? (state) => [toDiagnostic(state, error)] : undefined;
    return result && ((state) => findWarnings(state.doc.toString(), result.report.warnings));
  }, [error, result, name]);
}

interface SourceEditorProps extends Pick<CodeEditorProps, 'label' | 'language' | 'diagnose'> {
  name: SourceName;
}

/** An editor of a part of the draft, from and to which words of the PDF lead. */
function SourceEditor({ name, ...others }: SourceEditorProps) {
  return (
    <CodeEditor
      {...others}
      text={texts[name]}
      onChange={(changed) => change({ [name]: changed })}
      shown={places[name]}
      onLocate={(position) => void showInPdf(name, position)}
    />
  );
}

function FieldErrors({ of }: { of: string[] }) {
  const found = otherErrors.value.filter(({ path }) => of.some((name) => path.startsWith(name)));
  return (
    <>
      {found.map(({ path, message }) => (
        <p key={`${path}${message}`} class="error">
          {path} {message}
        </p>
      ))}
    </>
  );
}
