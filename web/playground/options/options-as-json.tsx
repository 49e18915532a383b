/** The options as the API takes them, to read and to edit. */
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { CodeEditor } from '../../shared/code-editor/code-editor.tsx';
import { JSON_DATA } from '../../shared/code-editor/languages.ts';
import { readStoredJson, removeStored, store } from '../../shared/storage.ts';
import { draft, isObject, OPTION_NAMES, type Options } from '../draft.ts';

import { writeOptions } from './option-changes.ts';

const UNFINISHED = 'platen.playground.options';

export function OptionsAsJson() {
  const text = useMemo(() => signal(readUnfinished() ?? toText(draft.peek().options)), []);
  const options = parse(text.value);
  const edit = (typed: string) => {
    text.value = typed;
    const parsed = parse(typed);
    if (typeof parsed === 'string') keepUnfinished(typed);
    else {
      removeStored('sessionStorage', UNFINISHED);
      writeOptions(parsed, 'json');
    }
  };
  return (
    <div class="editor-frame options-json">
      <p class="hint">
        The value of <code>options</code> in a request. What you type is used as soon as it is valid.
      </p>
      <p class="error" role="status">
        {typeof options === 'string' && options}
      </p>
      <CodeEditor label="Options in JSON" text={text} onChange={edit} language={JSON_DATA} />
    </div>
  );
}

const toText = (options: Options) => JSON.stringify(options, null, 2);

function keepUnfinished(typed: string): void {
  store('sessionStorage', UNFINISHED, JSON.stringify({ typed, since: toText(draft.peek().options) }));
}

/** What was typed in this tab since the options were last valid. */
function readUnfinished(): string | undefined {
  const kept = readStoredJson(UNFINISHED) as { typed: string; since: string } | null;
  return kept?.since === toText(draft.peek().options) ? kept.typed : undefined;
}

/** Returns the options, or what is wrong with the text. */
function parse(typed: string): Options | string {
  let options: unknown;
  try {
    options = JSON.parse(typed || '{}');
  } catch {
    return 'This is not valid JSON yet.';
  }
  if (!isObject(options)) return 'The options are an object.';
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.has(name));
  if (unknown !== undefined) return `There is no option “${unknown}”.`;
  return options;
}
