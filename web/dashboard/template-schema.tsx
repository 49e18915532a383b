/** Edits the JSON Schema that the data of a template must fit. */
import { Button } from '../shared/button.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import type { TemplateRecord } from './records.ts';
import { ifVersion, send } from './session.ts';
import { useUnsavedText } from './unsaved-text.ts';

interface SchemaProps {
  template: TemplateRecord;
  onChanged(record: TemplateRecord): void;
}

export function TemplateSchema({ template, onChanged }: SchemaProps) {
  const { template_id: templateId } = template;
  const stored = toText(template.schema);
  const { text, since, write, saved, discard } = useUnsavedText(`schema of ${templateId}`, stored);
  const saving = useAction();
  const save = () =>
    saving.run(async () => {
      const schema = text.trim() ? (JSON.parse(text) as Record<string, unknown>) : {};
      const init = { headers: ifVersion(template.version) };
      const reply = await send('PATCH', `/v1/templates/${templateId}`, { schema }, init);
      const { version, updated_at, warnings = [] } = (await reply.json()) as TemplateRecord;
      const kept = Object.keys(schema).length ? schema : null;
      saved(text, toText(kept));
      onChanged({ ...template, version, updated_at, warnings, schema: kept });
      const [broken] = warnings;
      showToast(`The schema was saved${broken ? `, but ${broken.path} ${broken.message}` : ''}.`);
    });
  return (
    <div class="stack">
      <p class="hint">
        A render with data that does not fit this JSON Schema is refused, with the place of each fault. Leave it empty for none.
      </p>
      <div class="field">
        <label for="schema">JSON Schema</label>
        <textarea
          id="schema"
          class="mono"
          rows={14}
          spellcheck={false}
          placeholder={'{ "type": "object", "required": ["name"] }'}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
        />
        <p class="hint" role="status">
          {text !== stored && 'Not saved yet.'}
          {text !== stored && since !== stored && ' The stored schema has changed since you began to write.'}
        </p>
      </div>
      <ErrorMessage error={saving.error} />
      <div class="actions">
        {text !== stored && <Button label="Discard changes" look="quiet" onClick={discard} />}
        <Button label="Save the schema" look="primary" disabled={saving.running || text === stored} onClick={save} />
      </div>
    </div>
  );
}

function toText(schema: TemplateRecord['schema']): string {
  return schema ? JSON.stringify(schema, null, 2) : '';
}
