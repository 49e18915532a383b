/** A control for a single value: a switch, a choice, a number, a text or a file. An empty value is not sent. */
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { readFileAs } from '../../shared/file-content.ts';
import type { ControlProps, OptionField } from './option-field.ts';

interface SimpleProps extends ControlProps {
  /** Tie the control to its label, its description and its errors. */
  attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean };
}

export function SimpleControl(props: SimpleProps) {
  switch (props.field.kind) {
    case 'switch':
      return <SwitchControl {...props} on={props.field.on} />;
    case 'choice':
      return <ChoiceControl {...props} choices={props.field.choices} usual={props.field.usual} />;
    case 'number':
      return <NumberControl {...props} limits={props.field} />;
    case 'file':
      return <FileControl {...props} as={props.field.as} />;
    default:
      return <TextControl {...props} lines={props.field.kind === 'text' && props.field.lines} />;
  }
}

function SwitchControl({ attributes, value, onChange, on }: SimpleProps & { on: boolean }) {
  const checked = value === undefined ? on : value === true;
  return (
    <input
      type="checkbox"
      role="switch"
      {...attributes}
      aria-checked={checked}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked === on ? undefined : currentTarget.checked)}
    />
  );
}

type Choices = Extract<OptionField, { kind: 'choice' }>;

function ChoiceControl({ attributes, value, onChange, choices, usual }: SimpleProps & Pick<Choices, 'choices' | 'usual'>) {
  const chosen = choices.find((choice) => choice.value === (value ?? usual));
  const choose = (text: string) => {
    const picked = choices.find((choice) => choice.text === text)?.value;
    onChange(picked === usual ? undefined : picked);
  };
  return (
    <select {...attributes} value={chosen?.text ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {usual === undefined && <option value="">not set</option>}
      {choices.map(({ text }) => (
        <option key={text} value={text}>
          {text}
        </option>
      ))}
    </select>
  );
}

type Limits = Pick<Extract<OptionField, { kind: 'number' }>, 'minimum' | 'maximum' | 'whole' | 'unit'>;

function NumberControl({ attributes, field, value, onChange, limits }: SimpleProps & { limits: Limits }) {
  return (
    <span class="with-unit">
      <input
        type="number"
        {...attributes}
        min={limits.minimum}
        max={limits.maximum}
        step={limits.whole ? 1 : 'any'}
        placeholder={/^[\d.]+$/.test(field.fallback) ? field.fallback : suggestExample(field)}
        value={typeof value === 'number' ? value : ''}
        onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.valueAsNumber)}
      />
      {limits.unit && <span class="unit">{limits.unit}</span>}
    </span>
  );
}

function TextControl({ attributes, field, value, onChange, lines }: SimpleProps & { lines: boolean }) {
  const shared = {
    ...attributes,
    placeholder: suggestExample(field),
    spellcheck: false,
    autocomplete: 'off' as const,
    value: toText(value),
  };
  const enter = (text: string) => onChange(text === '' ? undefined : text);
  if (lines) return <textarea {...shared} rows={3} onInput={({ currentTarget }) => enter(currentTarget.value)} />;
  return <input type="text" {...shared} onInput={({ currentTarget }) => enter(currentTarget.value)} />;
}

function suggestExample({ example }: OptionField): string {
  return example && `such as ${example}`;
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function FileControl({ attributes, value, onChange, as }: SimpleProps & { as: 'base64' | 'data-url' }) {
  const [name, setName] = useState('');
  const read = async (file: File | undefined) => {
    setName(file?.name ?? '');
    onChange(file && (await readFileAs(file, as)));
  };
  const held = typeof value === 'string' ? `${name || 'A file'}, ${value.length.toLocaleString('en')} characters` : '';
  return (
    <span class="file-control">
      <input type="file" {...attributes} onChange={({ currentTarget }) => void read(currentTarget.files?.[0])} />
      {held && (
        <span class="hint">
          {held} <Button label="Remove" look="quiet small" onClick={() => void read(undefined)} />
        </span>
      )}
    </span>
  );
}
