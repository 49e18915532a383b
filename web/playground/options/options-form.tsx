/** Shows all options in groups. Only those that differ from their default become part of the draft. */
import { useSignal } from '@preact/signals';
import { Button } from '../../shared/button.tsx';
import { change, changeOption, draft } from '../draft.ts';
import { optionErrors, optionName } from '../request-errors.ts';
import { OPTION_GROUPS, type OptionGroup } from './groups.ts';
import { OptionControl } from './option-control.tsx';

export function OptionsForm() {
  const wanted = useSignal('');
  const groups = OPTION_GROUPS.map((group) => narrowGroup(group, wanted.value)).filter(({ fields }) => fields.length);
  const set = Object.keys(draft.value.options).length;
  return (
    <form class="options" aria-label="Options" onSubmit={(event) => event.preventDefault()}>
      <div class="options-head">
        <input
          type="search"
          aria-label="Find an option"
          placeholder="Find an option"
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value;
          }}
        />
        <Button label="Reset all" look="small" disabled={!set} onClick={() => change({ options: {} })} />
      </div>
      {groups.map((group, index) => (
        <Group key={group.title} group={group} open={index === 0 || wanted.value !== ''} />
      ))}
      {!groups.length && <p class="hint">No option has these words in its name or description.</p>}
    </form>
  );
}

function narrowGroup({ title, fields }: OptionGroup, wanted: string): OptionGroup {
  const words = wanted.toLowerCase().split(/\s+/);
  const hasAll = (text: string) => words.every((word) => text.includes(word));
  return { title, fields: fields.filter(({ name, help }) => hasAll(`${name} ${help}`.toLowerCase())) };
}

function Group({ group: { title, fields }, open }: { group: OptionGroup; open: boolean }) {
  const { options } = draft.value;
  const set = fields.filter(({ name }) => options[name] !== undefined).length;
  const names = new Set(fields.map(({ name }) => name));
  const invalid = optionErrors.value.some((error) => names.has(optionName(error)));
  return (
    <details class="group" open={open || invalid || set > 0}>
      <summary>
        <h2 class="minor">{title}</h2>
        {set > 0 && <span class="count">{set} set</span>}
        {invalid && <span class="count invalid">to fix</span>}
      </summary>
      {fields.map((field) => (
        <OptionControl
          key={field.name}
          field={field}
          path={field.name}
          value={options[field.name]}
          onChange={(value) => changeOption(field.name, value)}
        />
      ))}
    </details>
  );
}
