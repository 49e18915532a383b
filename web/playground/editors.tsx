/** The editors of the document: HTML, or a template with its data. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { showDialog } from './dialogs.ts';
import { change, draft, type Engine, type Mode } from './draft.ts';
import { sourceEditor } from './later-parts.ts';
import { templateParts } from './opened.ts';
import { otherErrors, templateError } from './request-errors.ts';
import type { SourceName } from './source-places.ts';

const MODES: Array<{ mode: Mode; text: string }> = [
  { mode: 'html', text: 'HTML' },
  { mode: 'template', text: 'Template' },
];

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
      <Source name="html" label="HTML" />
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
        <Source name="template" label="Template" />
      </div>
      <div class="editor-frame data-editor">
        <h2>Data</h2>
        {parts && <parts.Samples />}
        <FieldErrors of={['data']} />
        <Source name="data" label="Data" />
      </div>
    </>
  );
}

interface SourceProps {
  name: SourceName;
  label: string;
}

/** Whether an input method has begun a word that the code editor could not continue. */
const isComposing = signal(false);

/** The code editor, or a plain field until it is loaded, whose text, selection and focus it takes over. */
function Source({ name, label }: SourceProps) {
  const plain = useRef<HTMLTextAreaElement>(null);
  const Editor = isComposing.value ? undefined : sourceEditor.value;
  if (Editor) return <Editor name={name} label={label} begin={readSelection(plain.current)} />;
  return (
    <textarea
      ref={plain}
      class="plain-editor"
      aria-label={label}
      spellcheck={false}
      autocomplete="off"
      value={draft.value[name]}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
      onCompositionStart={() => {
        isComposing.value = true;
      }}
      onCompositionEnd={() => {
        isComposing.value = false;
      }}
    />
  );
}

/** Returns undefined unless the field has the focus. */
function readSelection(field: HTMLTextAreaElement | null): { anchor: number; head: number } | undefined {
  if (!field || document.activeElement !== field) return undefined;
  const { selectionStart: start, selectionEnd: end } = field;
  return field.selectionDirection === 'backward' ? { anchor: end, head: start } : { anchor: start, head: end };
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
