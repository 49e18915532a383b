/** The frame of the control of an option: its name, description and errors. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { findErrors } from '../request-errors.ts';
import { HelpText } from './help-text.tsx';
import type { ControlProps, OptionField } from './option-field.ts';
import { SimpleControl } from './simple-control.tsx';

/** A single field. */
export function SimpleOption(props: ControlProps) {
  const { field, path } = props;
  const id = useId();
  const errors = findErrors(path);
  const attributes = { id, 'aria-describedby': `${id}-help ${id}-error`, 'aria-invalid': errors.length > 0 };
  return (
    <div class={field.kind === 'switch' ? 'option switched' : 'option'} data-path={path}>
      <label for={id}>
        <code>{field.name}</code>
        {field.required && <span class="hint"> required</span>}
      </label>
      <SimpleControl {...props} attributes={attributes} />
      <OptionNotes id={id} field={field} errors={errors.map(({ message }) => message)} />
    </div>
  );
}

/** Several fields with one name above them. */
export function OptionSet({ field, path, children, within }: ControlProps & { children: ComponentChildren; within: string[] }) {
  const id = useId();
  const errors = findErrors(path, within).map((error) => describeError(path, error.path, error.message));
  return (
    <fieldset class="option set" data-path={path} aria-describedby={`${id}-help ${id}-error`}>
      <legend>
        <code>{field.name}</code>
        {field.required && <span class="hint"> required</span>}
      </legend>
      {children}
      <OptionNotes id={id} field={field} errors={errors} />
    </fieldset>
  );
}

function describeError(path: string, at: string, message: string): string {
  return at === path ? message : `${at.slice(path.length).replace(/^\./, '')}: ${message}`;
}

function OptionNotes({ id, field, errors }: { id: string; field: OptionField; errors: string[] }) {
  return (
    <>
      <p class="error" id={`${id}-error`}>
        {errors.join('; ')}
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
