/** The options as the API takes them, to read and to edit. */
import { signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { CodeEditor } from '../../shared/code-editor/code-editor.tsx';
import { JSON_DATA } from '../../shared/code-editor/languages.ts';
import { change, draft, isObject, OPTION_NAMES } from '../draft.ts';

export function OptionsAsJson() {
  const text = useMemo(() => signal(JSON.stringify(draft.peek().options, null, 2)), []);
  const error = useSignal('');
  const edit = (typed: string) => {
    text.value = typed;
    error.value = take(typed);
  };
  return (
    <div class="editor-frame options-json">
      <p class="hint">
        The value of <code>options</code> in a request. What you type is used as soon as it is valid.
      </p>
      <p class="error" role="status">
        {error.value}
      </p>
      <CodeEditor label="Options in JSON" text={text} onChange={edit} language={JSON_DATA} />
    </div>
  );
}

/** Uses the options, and returns what is wrong with them, or an empty text. */
function take(typed: string): string {
  let options: unknown;
  try {
    options = JSON.parse(typed || '{}');
  } catch {
    return 'This is not valid JSON yet.';
  }
  if (!isObject(options)) return 'The options are an object.';
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.has(name));
  if (unknown !== undefined) return `There is no option “${unknown}”.`;
  change({ options });
  return '';
}
