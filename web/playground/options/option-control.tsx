/**
 * The control of an option, which may contain other controls: for objects, lists of objects, names with values, and sets of words.
 * Empty values are not sent.
 */
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { isObject } from '../draft.ts';
import type { ControlProps, OptionField } from './option-field.ts';
import { OptionSet, SimpleOption } from './option-frame.tsx';
import { Pairs } from './pairs-control.tsx';

export function OptionControl(props: ControlProps) {
  const { field } = props;
  switch (field.kind) {
    case 'flags':
      return <Flags {...props} names={field.names} />;
    case 'statuses':
      return <Statuses {...props} />;
    case 'members':
      return (
        <OptionSet {...props} within={listNames(field.fields)}>
          <Members {...props} fields={field.fields} />
        </OptionSet>
      );
    case 'either':
      return <Either {...props} fields={field.fields} />;
    case 'list':
      return <List {...props} fields={field.fields} maxItems={field.maxItems} />;
    case 'pairs':
      return (
        <OptionSet {...props} within={[]}>
          <Pairs {...props} />
        </OptionSet>
      );
    default:
      return <SimpleOption {...props} />;
  }
}

function listNames(fields: OptionField[]): string[] {
  return fields.map(({ name }) => name);
}

function Members({ fields, path, value, onChange, keepEmpty }: ControlProps & { fields: OptionField[]; keepEmpty?: boolean }) {
  const held = isObject(value) ? value : {};
  const set = (name: string, part: unknown) => {
    const { [name]: _, ...others } = held;
    const next = part === undefined ? others : { ...others, [name]: part };
    onChange(Object.keys(next).length || keepEmpty ? next : undefined);
  };
  return (
    <div class="members">
      {fields.map((field) => (
        <OptionControl
          key={field.name}
          field={field}
          path={`${path}.${field.name}`}
          value={held[field.name]}
          onChange={(part) => set(field.name, part)}
        />
      ))}
    </div>
  );
}

/** A single text or its parts, as in `margin`, `password` and `waitForSelector`. */
function Either(props: ControlProps & { fields: OptionField[] }) {
  const { field, path, value, onChange, fields } = props;
  const [parts, setParts] = useState(isObject(value));
  const inParts = value === undefined ? parts : isObject(value);
  const show = (next: boolean) => {
    setParts(next);
    onChange(undefined);
  };
  const whole: OptionField = { ...field, kind: 'text', lines: false, maxLength: undefined };
  if (!inParts)
    return (
      <div class="either">
        <OptionControl {...props} field={whole} />
        <Button label={`Set ${listNames(fields).join(', ')}`} look="quiet small" onClick={() => show(true)} />
      </div>
    );
  return (
    <div class="either">
      <OptionSet {...props} within={listNames(fields)}>
        <Members field={field} path={path} value={value} onChange={onChange} fields={fields} />
      </OptionSet>
      <button type="button" class="button quiet small" onClick={() => show(false)}>
        Set one value for <code>{field.name}</code>
      </button>
    </div>
  );
}

/** A single object counts as a list with one element. */
function List(props: ControlProps & { fields: OptionField[]; maxItems: number | undefined }) {
  const { field, path, value, onChange, fields, maxItems = Number.POSITIVE_INFINITY } = props;
  const items: unknown[] = Array.isArray(value) ? value : isObject(value) ? [value] : [];
  const replace = (next: unknown[]) => onChange(next.length ? next : undefined);
  return (
    <OptionSet {...props} value={items} within={[]}>
      {items.map((item, index) => (
        <div key={index} class="entry">
          <Members
            field={field}
            path={`${path}[${index}]`}
            value={item}
            fields={fields}
            keepEmpty
            onChange={(part) => replace(items.map((other, at) => (at === index ? part : other)))}
          />
          <Button
            label={`Remove ${field.name} ${index + 1}`}
            look="quiet small"
            onClick={() => replace(items.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      {items.length < maxItems && <Button label={`Add to ${field.name}`} look="small" onClick={() => replace([...items, {}])} />}
    </OptionSet>
  );
}

function Flags(props: ControlProps & { names: string[] }) {
  const { path, value, onChange, names } = props;
  const set = new Set(Array.isArray(value) ? value : []);
  const toggle = (name: string, on: boolean) => {
    const next = names.filter((other) => (other === name ? on : set.has(other)));
    onChange(next.length ? next : undefined);
  };
  return (
    <OptionSet {...props} within={[]}>
      <div class="flags">
        {names.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              name={`${path}.${name}`}
              checked={set.has(name)}
              onChange={({ currentTarget }) => toggle(name, currentTarget.checked)}
            />
            <code>{name}</code>
          </label>
        ))}
      </div>
    </OptionSet>
  );
}

/** `true`, `false`, or a list of HTTP statuses. */
function Statuses(props: ControlProps) {
  const { field, value, onChange } = props;
  const numbers = (text: string) =>
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const enter = (text: string) => {
    const word = text.trim();
    if (word === '') onChange(undefined);
    else onChange(word === 'true' || word === 'false' ? word === 'true' : numbers(word));
  };
  const [text, setText] = useState(shownStatuses(value));
  const shown = value === undefined && !text.trim() ? '' : text;
  const whole: OptionField = { ...field, kind: 'text', lines: false, maxLength: undefined, example: 'true, false, or 404 410' };
  const change = (entered: unknown) => {
    setText(String(entered ?? ''));
    enter(String(entered ?? ''));
  };
  return <OptionControl {...props} field={whole} value={shown} onChange={change} />;
}

function shownStatuses(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : typeof value === 'boolean' ? String(value) : '';
}
