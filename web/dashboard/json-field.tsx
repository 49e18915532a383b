/** A field for JSON that is stored with something. What is not saved stays in this browser. */
import { Button } from '../shared/button.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import { useUnsavedText } from './unsaved-text.ts';

type Json = Record<string, unknown>;

interface JsonFieldProps {
  /** Tells it from other fields of the dashboard. */
  name: string;
  label: string;
  /** Such as "schema". */
  what: string;
  rows: number;
  placeholder: string;
  stored: object | null | undefined;
  /** Throws a problem. */
  onSave(value: Json | null): Promise<void>;
}

export function JsonField({ name, label, what, rows, placeholder, stored, onSave }: JsonFieldProps) {
  const before = toText(stored);
  const { text, since, write, saved, discard } = useUnsavedText(name, before);
  const saving = useAction();
  const isChanged = text !== before;
  const isBehind = isChanged && since !== before;
  const save = () =>
    saving.run(async () => {
      const value = parse(text, what);
      await onSave(value);
      saved(text, toText(value));
    });
  return (
    <>
      <div class="field">
        <label for={what}>{label}</label>
        <textarea
          id={what}
          class="mono"
          rows={rows}
          spellcheck={false}
          placeholder={placeholder}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
        />
        <p class="hint" role="status">
          {isChanged && 'Not saved yet.'}
          {isBehind && ' The stored text has changed since you began to write. Saving replaces it.'}
        </p>
        {isBehind && (
          <details>
            <summary>What is stored now</summary>
            <pre class="mono">{before || 'None'}</pre>
          </details>
        )}
      </div>
      <ErrorMessage error={saving.error} />
      <div class="actions">
        {isChanged && <Button label="Discard changes" look="quiet" onClick={discard} />}
        <Button label={`Save the ${what}`} look="primary" disabled={saving.running || !isChanged} onClick={save} />
      </div>
    </>
  );
}

function toText(value: object | null | undefined): string {
  return value ? JSON.stringify(value, null, 2) : '';
}

/** An empty object is the same as none. */
function parse(text: string, what: string): Json | null {
  if (!text.trim()) return null;
  try {
    const value = JSON.parse(text) as Json;
    return Object.keys(value).length ? value : null;
  } catch (error) {
    throw new Error(`The ${what} is no JSON: ${(error as Error).message}`);
  }
}
