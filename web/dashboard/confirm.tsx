/** Asks before an action that cannot be undone, and shows its result. */
import type { ComponentChildren } from 'preact';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';

export interface ConfirmProps {
  title: string;
  /** The label of the button. */
  verb: string;
  /** Closes the dialog itself after success. */
  onConfirm(): Promise<void>;
  onClose(): void;
  children: ComponentChildren;
}

export function Confirm({ title, verb, onConfirm, onClose, children }: ConfirmProps) {
  const action = useAction();
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <ErrorMessage error={action.error} />
      <div class="actions end">
        <Button label="Keep" onClick={onClose} />
        <Button label={verb} look="danger primary" disabled={action.running} onClick={() => action.run(onConfirm)} />
      </div>
    </Dialog>
  );
}
