/** Asks before an action that cannot be undone, and shows its result. */
import type { ComponentChildren } from 'preact';
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
        <button type="button" class="button" onClick={onClose}>
          Keep
        </button>
        <button type="button" class="button danger primary" disabled={action.running} onClick={() => action.run(onConfirm)}>
          {verb}
        </button>
      </div>
    </Dialog>
  );
}
