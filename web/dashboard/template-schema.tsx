/** Edits the JSON Schema that the data of a template must fit. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import type { TemplateRecord } from './records.ts';
import { ifVersion, send } from './session.ts';

interface SchemaProps {
  template: TemplateRecord;
  onChanged(record: TemplateRecord): void;
}

/** Shows nothing for a template that was never saved. */
export function TemplateSchema({ template, ...others }: Omit<SchemaProps, 'template'> & { template: TemplateRecord | null }) {
  const [isOpen, setOpen] = useState(false);
  if (!template) return null;
  return (
    <div class="actions">
      <Button label={template.schema ? 'Change the schema' : 'Add a schema'} look="small" onClick={() => setOpen(true)} />
      {isOpen && <SchemaDialog template={template} {...others} onClose={() => setOpen(false)} />}
    </div>
  );
}

function SchemaDialog({ template, onChanged, onClose }: SchemaProps & { onClose(): void }) {
  const [text, setText] = useState(template.schema ? JSON.stringify(template.schema, null, 2) : '');
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
      onClose();
    });
  return (
    <Dialog title="Schema of the data" onClose={onClose}>
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
      <div class="actions end">
        <Button label="Cancel" onClick={onClose} />
        <Button label="Save the schema" look="primary" disabled={saving.running} onClick={save} />
      </div>
    </Dialog>
  );
}
