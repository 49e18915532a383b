/** The filters of a list, which are in the URL, and their fields. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { replaceQuery } from '../shell/route.ts';

const TYPING_PAUSE_MS = 250;
const DAY_HOURS = 24;

export interface Filters<Name extends string> {
  values: Record<Name, string>;
  /** The values after the visitor has stopped typing. */
  settled: Record<Name, string>;
  isFiltered: boolean;
  change(name: Name, value: string): void;
  clear(): void;
}

export function useFilters<Name extends string>(names: readonly Name[], query: URLSearchParams): Filters<Name> {
  const toValues = (readValue: (name: Name) => string) =>
    Object.fromEntries(names.map((name) => [name, readValue(name)])) as Record<Name, string>;
  const [values, setValues] = useState(() => toValues((name) => query.get(name) ?? ''));
  const settled = useSettled(values);
  const set = (next: Record<Name, string>) => {
    setValues(next);
    replaceQuery(next);
  };
  return {
    ...{ values, settled },
    isFiltered: names.some((name) => settled[name] !== ''),
    change: (name, value) => set({ ...values, [name]: value }),
    clear: () => set(toValues(() => '')),
  };
}

/** Returns the parameters of a list. Filters without a value are left out. */
export function toParameters(given: Record<string, string>): string {
  const parameters = Object.entries(given).filter(([, value]) => value !== '');
  return new URLSearchParams([['limit', '25'], ...parameters]).toString();
}

/** The parameters for rows from one day until the end of another, in the visitor's time zone. */
export function toPeriod(from: string, until: string) {
  return { created_after: dayStart(from, 0), created_before: dayStart(until, 1) };
}

/** Returns the start of a day in the visitor's time zone, or of a later day. */
function dayStart(date: string, daysLater: number): string {
  const start = new Date(`${date}T00:00:00`);
  if (Number.isNaN(start.getTime())) return '';
  start.setHours(DAY_HOURS * daysLater);
  return start.toISOString();
}

export function useSettled<T>(values: T): T {
  const [settled, setSettled] = useState(values);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => values), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [values]);
  return settled;
}

interface FieldProps<Name extends string> {
  label: string;
  name: Name;
  filters: Filters<Name>;
}

export function TextFilter<Name extends string>({
  label,
  name,
  filters,
  placeholder,
}: FieldProps<Name> & { placeholder?: string }) {
  return (
    <div class="field grow">
      <label for={name}>{label}</label>
      <input
        id={name}
        type="search"
        placeholder={placeholder}
        value={filters.values[name]}
        onInput={(event) => filters.change(name, event.currentTarget.value)}
      />
    </div>
  );
}

export function DayFilter<Name extends string>({ label, name, filters }: FieldProps<Name>) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type="date"
        value={filters.values[name]}
        onChange={(event) => filters.change(name, event.currentTarget.value)}
      />
    </div>
  );
}

export function ChoiceFilter<Name extends string>({
  label,
  name,
  filters,
  children,
}: FieldProps<Name> & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} value={filters.values[name]} onChange={(event) => filters.change(name, event.currentTarget.value)}>
        <option value="">Any</option>
        {children}
      </select>
    </div>
  );
}
