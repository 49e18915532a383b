/** Asks for the name of something that is stored: under a hint, with Cancel beside the button that stores it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../dashboard/action.ts';
import { ErrorMessage } from '../../dashboard/components.tsx';
import { Button } from '../../shared/button.tsx';

interface NameFormProps {
  initial?: string;
  maxLength: number;
  /** On the button, and while it stores. */
  verb: string;
  running?: string;
  /** Says what is wrong with a name that cannot be stored; empty for others. */
  fault?(name: string): string;
  onName(name: string): Promise<void>;
  onClose(): void;
  children?: ComponentChildren;
}

export function NameForm({ initial = '', maxLength, verb, running = verb, fault, ...props }: NameFormProps) {
  const [name, setName] = useState(initial);
  const storing = useAction();
  const wrong = fault?.(name) ?? '';
  const submit = (event: Event) => {
    event.preventDefault();
    if (!wrong) storing.run(() => props.onName(name));
  };
  return (
    <form class="stack" onSubmit={submit}>
      {props.children}
      <div class="field">
        <label for="stored-name">Name</label>
        <input
          id="stored-name"
          autocomplete="off"
          maxLength={maxLength}
          dir="auto"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        {fault && (
          <p class="hint" role="status">
            {name && wrong}
          </p>
        )}
      </div>
      <ErrorMessage error={storing.error} />
      <div class="actions end">
        <Button label="Cancel" onClick={props.onClose} />
        <button type="submit" class="button primary" disabled={wrong !== '' || storing.running}>
          {storing.running ? running : verb}
        </button>
      </div>
    </form>
  );
}
