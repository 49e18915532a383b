/** One option: its name, what is entered for it, what it does and what is wrong with it. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { faultsAt } from '../request-errors.ts';
import { Composite } from './composite-control.tsx';
import { HelpText } from './help-text.tsx';
import type { OptionField } from './option-field.ts';
import { SimpleControl } from './simple-control.tsx';

export interface ControlProps {
  field: OptionField;
  /** As the service names it in errors: `margin.top`, `cookies[0].name`. */
  path: string;
  value: unknown;
  onChange(value: unknown): void;
}

const COMPOSITE: ReadonlySet<OptionField['kind']> = new Set(['flags', 'statuses', 'members', 'either', 'list', 'pairs']);

export function OptionControl(props: ControlProps) {
  return COMPOSITE.has(props.field.kind) ? <Composite {...props} /> : <Simple {...props} />;
}

function Simple(props: ControlProps) {
  const { field, path } = props;
  const id = useId();
  const faults = faultsAt(path);
  return (
    <div class={field.kind === 'switch' ? 'option switched' : 'option'} data-path={path}>
      <label for={id}>
        <code>{field.name}</code>
        {field.required && <span class="hint"> required</span>}
      </label>
      <SimpleControl {...props} id={id} describedBy={`${id}-help ${id}-fault`} invalid={faults.length > 0} />
      <OptionWords id={id} field={field} faults={faults.map(({ message }) => message)} />
    </div>
  );
}

/** Several fields with one name above them. */
export function OptionSet({ field, path, children, within }: ControlProps & { children: ComponentChildren; within: string[] }) {
  const id = useId();
  const faults = faultsAt(path, within).map((fault) => wordsOf(path, fault.path, fault.message));
  return (
    <fieldset class="option set" data-path={path} aria-describedby={`${id}-help ${id}-fault`}>
      <legend>
        <code>{field.name}</code>
        {field.required && <span class="hint"> required</span>}
      </legend>
      {children}
      <OptionWords id={id} field={field} faults={faults} />
    </fieldset>
  );
}

function wordsOf(path: string, at: string, message: string): string {
  return at === path ? message : `${at.slice(path.length).replace(/^\./, '')}: ${message}`;
}

function OptionWords({ id, field, faults }: { id: string; field: OptionField; faults: string[] }) {
  return (
    <>
      <p class="fault" id={`${id}-fault`}>
        {faults.join('; ')}
      </p>
      <p class="hint" id={`${id}-help`}>
        <HelpText text={field.help} />
        {field.fallback && (
          <>
            {' '}
            Default: <HelpText text={field.fallback} />.
          </>
        )}
      </p>
    </>
  );
}
