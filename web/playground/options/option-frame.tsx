/** The frame of the control of an option: its name, description and errors. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { faultsAt } from '../request-errors.ts';
import { HelpText } from './help-text.tsx';
import type { ControlProps, OptionField } from './option-field.ts';
import { SimpleControl } from './simple-control.tsx';

/** A single field. */
export function SimpleOption(props: ControlProps) {
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
