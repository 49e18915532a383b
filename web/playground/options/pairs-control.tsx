/** A control for names with values, such as headers: one row each, and an empty row at the end. */
import { useState } from 'preact/hooks';
import { isObject } from '../draft.ts';
import type { ControlProps } from './option-field.ts';

type Pair = [name: string, value: string];

export function Pairs({ field, value, onChange }: ControlProps) {
  const [rows, setRows] = useState<Pair[]>(isObject(value) ? (Object.entries(value) as Pair[]) : []);
  const set = (index: number, pair: Pair) => {
    const next = [...rows];
    next[index] = pair;
    setRows(next);
    const named = next.filter(([name]) => name);
    onChange(named.length ? Object.fromEntries(named) : undefined);
  };
  const shown: Pair[] = [...rows, ['', '']];
  return (
    <div class="pairs">
      {shown.map(([name, text], index) => (
        <div key={index} class="pair">
          <input
            type="text"
            aria-label={`${field.name}, name ${index + 1}`}
            placeholder="Name"
            value={name}
            onInput={({ currentTarget }) => set(index, [currentTarget.value, text])}
          />
          <input
            type="text"
            aria-label={`${field.name}, value ${index + 1}`}
            placeholder="Value"
            value={text}
            onInput={({ currentTarget }) => set(index, [name, currentTarget.value])}
          />
        </div>
      ))}
    </div>
  );
}
