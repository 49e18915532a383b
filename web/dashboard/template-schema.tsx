/** Edits the JSON Schema that the data of a template must fit. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import type { TemplateRecord } from './records.ts';
import { ifVersion, send } from './session.ts';

interface SchemaProps {
  template: TemplateRecord;
  onChanged(record: TemplateRecord): void;
}

export function TemplateSchema({ template, onChanged }: SchemaProps) {
  const stored = template.schema ? JSON.stringify(template.schema, null, 2) : '';
  const [text, setText] = useState(stored);
  const saving = useAction();
  const save = () =>
    saving.run(async () => {
      const schema = text.trim() ? (JSON.parse(text) as Record<string, unknown>) : {};
      const init = { headers: ifVersion(template.version) };
      const reply = await send('PATCH', `/v1/templates/${template.template_id}`, { schema }, init);
      const { version, updated_at, warnings = [] } = (await reply.json()) as TemplateRecord;
      onChanged({ ...template, version, updated_at, warnings, schema: Object.keys(schema).length ? schema : null });
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
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ErrorMessage error={saving.error} />
      <div class="actions">
        <Button label="Save the schema" look="primary" disabled={saving.running || text === stored} onClick={save} />
      </div>
    </div>
  );
}
