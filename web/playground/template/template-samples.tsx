/** Chooses, stores, renames and deletes the sample data of a template. */
import { useState } from 'preact/hooks';
import { useAction } from '../../dashboard/action.ts';
import { ErrorMessage } from '../../dashboard/components.tsx';
import { Confirm } from '../../dashboard/confirm.tsx';
import type { TemplateRecord } from '../../dashboard/records.ts';
import { isSameData, sampleText } from '../../dashboard/sample-data.ts';
import { createSample } from '../../dashboard/sample-of-template.ts';
import { send } from '../../dashboard/session.ts';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { readData } from '../../shared/read-data.ts';
import { showToast } from '../../shared/toast.tsx';
import { change, draft } from '../draft.ts';
import { type OpenedTemplate, opened } from '../opened.ts';
import { NameForm } from './name-form.tsx';

const MAX_NAME = 40;
const NOT_STORED = '';

export function SampleBar({ template }: { template: TemplateRecord }) {
  const [question, ask] = useState<Question | null>(null);
  const storing = useAction();
  const names = Object.keys(template.samples ?? {});
  const { data } = draft.value;
  const name = findName(template, data);
  const isChanged = !isSameData(data, template.samples?.[name ?? '']);
  const show = (next: string) => {
    update({ sample: next, data: sampleText(template, next) });
    change({ data: sampleText(template, next) });
    ask(null);
  };
  const choose = (field: HTMLSelectElement) => {
    const next = field.value;
    if (!isChanged || data === createSample(template)) return show(next);
    field.value = name ?? NOT_STORED;
    ask({ kind: 'discard', next });
  };
  const store = async (as: string) => {
    const { warnings } = await changeSamples(template, { [as]: readData(data) });
    update({ sample: as, data });
    ask(null);
    const broken = warnings?.find(({ path }) => path.startsWith(`samples.${as}`));
    showToast(`${as} is stored with the template${broken ? `, but ${broken.path} ${broken.message}` : ''}.`);
  };
  return (
    <>
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
      {question && <QuestionDialog {...{ question, template, store, show }} taken={names} onClose={() => ask(null)} />}
    </>
  );
}

function update(part: Partial<OpenedTemplate>): void {
  const now = opened.peek();
  if (now) opened.value = { ...now, ...part };
}

/** The name of the stored sample that the data belongs to, or is equal to. */
function findName({ samples = {} }: TemplateRecord, data: string): string | null {
  return opened.value?.sample ?? Object.keys(samples).find((each) => isSameData(data, samples[each])) ?? null;
}

type Question = { kind: 'store' } | { kind: 'rename' | 'delete'; name: string } | { kind: 'discard'; next: string };

interface QuestionProps {
  template: TemplateRecord;
  question: Question;
  taken: string[];
  store(name: string): Promise<void>;
  show(name: string): void;
  onClose(): void;
}

function QuestionDialog({ question, template, taken, store, show, onClose }: QuestionProps) {
  /** The text of the editor stays, under another name or none. */
  const move = async ({ name }: { name: string }, to: string | null) => {
    const moved = to === null ? {} : { [to]: template.samples?.[name] };
    await changeSamples(template, { [name]: null, ...moved });
    update({ sample: to });
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

/** Changes samples by name; null removes one. */
async function changeSamples(template: TemplateRecord, changes: Record<string, unknown>): Promise<TemplateRecord> {
  const reply = await send('PATCH', `/v1/templates/${template.template_id}`, { samples: changes });
  const record = (await reply.json()) as TemplateRecord;
  const all = Object.entries({ ...template.samples, ...changes }).filter(([, data]) => data !== null);
  const samples = Object.fromEntries(all) as NonNullable<TemplateRecord['samples']>;
  update({ record: { ...(opened.peek()?.record ?? template), samples } });
  return record;
}

interface NameDialogProps {
  title: string;
  taken: string[];
  onName(name: string): Promise<void>;
  onClose(): void;
}

function NameDialog({ title, taken, onName, onClose }: NameDialogProps) {
  const fault = (name: string) => {
    if (!name) return 'A sample has a name.';
    return taken.includes(name) ? 'There is already a sample with this name.' : '';
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <NameForm maxLength={MAX_NAME} verb="Store" {...{ fault, onName, onClose }} />
    </Dialog>
  );
}
