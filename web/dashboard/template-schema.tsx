/** Edits the JSON Schema that the data of a template must fit. */
import { showToast } from '../shared/toast.tsx';
import { JsonField } from './json-field.tsx';
import type { TemplateRecord } from './records.ts';
import { sendChange, tagOf } from './session.ts';

interface SchemaProps {
  template: TemplateRecord;
  onChanged(record: TemplateRecord): void;
  onConflict(): void;
}

export function TemplateSchema({ template, onChanged, onConflict }: SchemaProps) {
  const path = `/v1/templates/${template.template_id}`;
  const save = async (schema: Record<string, unknown> | null) => {
    const reply = await sendChange(path, { schema: schema ?? {} }, tagOf(template), onConflict);
    const { version, updated_at, warnings = [] } = (await reply.json()) as TemplateRecord;
    onChanged({ ...template, version, updated_at, warnings, schema });
    const [broken] = warnings;
    showToast(`The schema was saved${broken ? `, but ${broken.path} ${broken.message}` : ''}.`);
  };
  return (
    <div class="stack">
      <p class="hint">
        A render with data that does not fit this JSON Schema is refused, with the place of each fault. Leave it empty for none.
      </p>
      <JsonField
        name={`schema of ${template.template_id}`}
        label="JSON Schema"
        what="schema"
        rows={14}
        placeholder={'{ "type": "object", "required": ["name"] }'}
        stored={template.schema}
        onSave={save}
      />
    </div>
  );
}
