/** The editors of the document: HTML, Markdown, a URL, or a template with its data. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { SIGNED_IN } from '../shared/signed-in.ts';
import { readStored } from '../shared/storage.ts';
import { showDialog } from './dialogs.ts';
import { canBeTemplate, change, draft, type Engine, MODES, type Mode } from './draft.ts';
import { sourceEditor } from './later-parts.ts';
import { templateParts } from './opened.ts';
import { renderNow } from './render-loop.ts';
import { otherErrors, templateError } from './request-errors.ts';
import type { SourceName } from './source-places.ts';

export function Editors() {
  const { mode } = draft.value;
  const Actions = templateParts.value?.Actions;
  return (
    <div class="editors">
      <div class="editors-head">
        {!Actions && <ModeChoice />}
        <span class="space" />
        <Button label="Drafts" look="quiet small" onClick={() => showDialog('drafts')} />
        {Actions ? (
          <Actions />
        ) : (
          <>
            <Button label="Examples" look="quiet small" onClick={() => showDialog('examples')} />
            {canBeTemplate.value && (
              <button
                type="button"
                class="button quiet small save-as"
                aria-label="Save as template"
                onClick={() => showDialog('save')}
              >
                Save as<span> template</span>
              </button>
            )}
          </>
        )}
      </div>
      {mode === 'template' ? <TemplateEditors /> : mode === 'url' ? <UrlField /> : <TextEditor key={mode} name={mode} />}
    </div>
  );
}

function ModeChoice() {
  return (
    <fieldset class="segmented" aria-label="Kind of document">
      {Object.entries(MODES).map(([mode, text]) => (
        <button key={mode} type="button" aria-pressed={draft.value.mode === mode} onClick={() => change({ mode: mode as Mode })}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

function EngineChoice() {
  return (
    <label class="engine">
      <span>Engine</span>
      <select value={draft.value.engine} onChange={({ currentTarget }) => change({ engine: currentTarget.value as Engine })}>
        <option value="placeholders">placeholders</option>
        <option value="liquid">liquid</option>
      </select>
    </label>
  );
}

function TextEditor({ name }: { name: 'html' | 'markdown' }) {
  return (
    <div class="editor-frame document-editor">
      <FieldErrors of={[name]} />
      <Source name={name} label={MODES[name]} />
    </div>
  );
}

/** Only key holders render URLs, because anybody could otherwise have the service fetch pages for them. */
function UrlField() {
  const isSignedIn = Boolean(readStored('localStorage', SIGNED_IN));
  return (
    <form
      class="editor-frame document-editor url-source"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void renderNow();
      }}
    >
      <div class="field">
        <label for="source-url">URL of an HTML document</label>
        <input
          id="source-url"
          type="url"
          inputMode="url"
          placeholder="https://example.com/"
          value={draft.value.url}
          onInput={({ currentTarget }) => change({ url: currentTarget.value })}
        />
      </div>
      <FieldErrors of={['url']} />
      {isSignedIn ? (
        <p class="hint">
          The service fetches the document with its styles, images and scripts. It is rendered when you press Render, and each
          render counts as a document of your account.
        </p>
      ) : (
        <p class="hint">
          Without a key, the service fetches no URLs, because anybody could load pages through it.{' '}
          <a href="/dashboard">Sign in</a>, or take the request from <b>Copy as code</b>.
        </p>
      )}
    </form>
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
        <div class="data-head">
          <h2>Data</h2>
          <EngineChoice />
        </div>
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
