/** The editor of the style sheet, which is the file `style.css` beside the document. */
import { css } from '@codemirror/lang-css';
import { computed } from '@preact/signals';
import { Button } from '../../shared/button.tsx';
import { CodeEditor } from '../../shared/code-editor/code-editor.tsx';
import { STYLE } from '../../shared/kept-drafts.ts';
import { change, draft, hasFiles, sourceOf } from '../draft.ts';
import { linkStyle } from './link-style.ts';
import './files.css';

const CSS = css();
const text = computed(() => draft.value.style);

export function StylePane() {
  if (!hasFiles(draft.value)) return <NoFiles />;
  const { mode, style } = draft.value;
  const source = sourceOf(draft.value);
  const link = () => change({ [mode]: linkStyle(source, mode) });
  return (
    <div class="editor-frame file-pane">
      {source.includes(STYLE) ? (
        <p class="hint">
          This is the file <code>{STYLE}</code> beside the document.
        </p>
      ) : (
        <div class="note file-note" role={style ? 'status' : undefined}>
          <p>
            This is the file <code>{STYLE}</code> beside the document, which does not use it yet.
          </p>
          <Button label="Link it" look="small" onClick={link} />
        </div>
      )}
      <CodeEditor label="Style" text={text} onChange={(style) => change({ style })} language={CSS} />
    </div>
  );
}

/** Is shown in place of the files of a document that has none. */
export function NoFiles() {
  return (
    <p class="nothing">
      A document that is loaded from a URL has its styles and files there. The option <code>addStyleTag</code> adds a style.
    </p>
  );
}
