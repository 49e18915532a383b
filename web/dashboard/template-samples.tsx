/** Chooses, stores, renames and deletes the sample data of a template. */
import type { Signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import { Confirm } from './confirm.tsx';
import type { TemplateRecord } from './records.ts';
import { findName, forgetSample, isSameData, keepSample, type Sample, sampleText } from './sample-data.ts';
import { createSample } from './sample-of-template.ts';
import { send } from './session.ts';
import { readData } from './template-preview.ts';

interface SamplesProps {
  template: TemplateRecord;
  sample: Signal<Sample>;
  onChanged(record: TemplateRecord): void;
}

const MAX_NAME = 40;
const NOT_STORED = '';

/** Shows nothing for a template that was never saved: its data is stored with it. */
export function TemplateSamples({ template, ...others }: Omit<SamplesProps, 'template'> & { template: TemplateRecord | null }) {
  return template && <SampleBar template={template} {...others} />;
}

function SampleBar({ template, sample, onChanged }: SamplesProps) {
  const [question, ask] = useState<Question | null>(null);
  const storing = useAction();
  const names = Object.keys(template.samples ?? {});
  const name = findName(sample.value, template);
  const isChanged = !isSameData(sample.value.text, template.samples?.[name ?? '']);
  const show = (next: string, record = template) => {
    sample.value = { name: next, text: sampleText(record, next) };
    forgetSample(template.template_id);
    ask(null);
  };
  const choose = (field: HTMLSelectElement) => {
    const next = field.value;
    if (!isChanged || sample.value.text === createSample(template)) return show(next);
    field.value = name ?? NOT_STORED;
    ask({ kind: 'discard', next });
  };
  const store = async (as: string) => {
    const record = await changeSamples(template, { [as]: readData(sample.value.text) });
    onChanged(record);
    show(as, record);
    const broken = record.warnings?.find(({ path }) => path.startsWith(`samples.${as}`));
    showToast(`${as} is stored with the template${broken ? `, but ${broken.path} ${broken.message}` : ''}.`);
  };
  return (
    <div class="stack">
      <div class="filters">
        <div class="field">
          <label for="sample">Sample</label>
          <select id="sample" value={name ?? NOT_STORED} onChange={(event) => choose(event.currentTarget)}>
            {name === null && <option value={NOT_STORED}>Not stored</option>}
            {names.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </div>
        <div class="actions">
          {name !== null && (
            <Button
              label="Store"
              look="small"
              name={`Store ${name}`}
              disabled={!isChanged || storing.running}
              onClick={() => storing.run(() => store(name))}
            />
          )}
          <Button label="Store as" look="small" onClick={() => ask({ kind: 'store' })} />
          {name !== null && (
            <>
              <Button label="Rename" look="small" name={`Rename ${name}`} onClick={() => ask({ kind: 'rename', name })} />
              <Button label="Delete" look="small" name={`Delete ${name}`} onClick={() => ask({ kind: 'delete', name })} />
            </>
          )}
        </div>
        <p class="hint filters-end" role="status">
          {name !== null && isChanged && 'Changed, not stored yet'}
        </p>
      </div>
      <ErrorMessage error={storing.error} />
      {question && (
        <QuestionDialog {...{ question, template, sample, store, show, onChanged }} taken={names} onClose={() => ask(null)} />
      )}
    </div>
  );
}

type Question = { kind: 'store' } | { kind: 'rename' | 'delete'; name: string } | { kind: 'discard'; next: string };

interface QuestionProps extends SamplesProps {
  question: Question;
  taken: string[];
  store(name: string): Promise<void>;
  show(name: string): void;
  onClose(): void;
}

function QuestionDialog({ question, template, sample, taken, store, show, onChanged, onClose }: QuestionProps) {
  /** The text of the editor stays, under another name or none. */
  const move = async ({ name }: { name: string }, to: string | null) => {
    const moved = to === null ? {} : { [to]: template.samples?.[name] };
    onChanged(await changeSamples(template, { [name]: null, ...moved }));
    sample.value = { name: to, text: sample.value.text };
    keepSample(template.template_id, sample.value);
    onClose();
  };
  if (question.kind === 'store')
    return <NameDialog title="Store this data with the template" taken={taken} onName={store} onClose={onClose} />;
  if (question.kind === 'rename')
    return <NameDialog title={`Rename ${question.name}`} taken={taken} onName={(to) => move(question, to)} onClose={onClose} />;
  if (question.kind === 'discard')
    return (
      <Confirm title="Discard the changed data?" verb="Discard" onConfirm={async () => show(question.next)} onClose={onClose}>
        <p>The data in the editor is not stored with the template.</p>
      </Confirm>
    );
  return (
    <Confirm title="Delete this sample?" verb="Delete" onConfirm={() => move(question, null)} onClose={onClose}>
      <p>
        <bdi>{question.name}</bdi> is removed from the template. Its text stays in the editor.
      </p>
    </Confirm>
  );
}

/** Changes samples by name; null removes one. Returns the template with its samples. */
async function changeSamples(template: TemplateRecord, changes: Record<string, unknown>): Promise<TemplateRecord> {
  const reply = await send('PATCH', `/v1/templates/${template.template_id}`, { samples: changes });
  const { warnings } = (await reply.json()) as TemplateRecord;
  const all = Object.entries({ ...template.samples, ...changes }).filter(([, data]) => data !== null);
  return {
    ...template,
    warnings: warnings ?? [],
    samples: Object.fromEntries(all) as NonNullable<TemplateRecord['samples']>,
  };
}

interface NameDialogProps {
  title: string;
  taken: string[];
  onName(name: string): Promise<void>;
  onClose(): void;
}

function NameDialog({ title, taken, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState('');
  const action = useAction();
  const isTaken = taken.includes(name);
  const submit = (event: Event) => {
    event.preventDefault();
    if (name && !isTaken) action.run(() => onName(name));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <div class="field">
          <label for="sample-name">Name</label>
          <input
            id="sample-name"
            autocomplete="off"
            maxLength={MAX_NAME}
            dir="auto"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <p class="hint" role="status">
            {isTaken && 'There is already a sample with this name.'}
          </p>
        </div>
        <ErrorMessage error={action.error} />
        <div class="actions end">
          <Button label="Cancel" onClick={onClose} />
          <button type="submit" class="button primary" disabled={!name || isTaken || action.running}>
            Store
          </button>
        </div>
      </form>
    </Dialog>
  );
}
