/** Chooses one of the examples. The visitor's own draft can be restored. */
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { clearToasts, showToast } from '../../shared/toast.tsx';
import { draft, replaceDraft } from '../draft.ts';
import { replaceKeepingDraft } from '../replaced-draft.tsx';
import { EXAMPLES, type Example } from './examples.ts';

export function ExamplesDialog({ onClose }: { onClose(): void }) {
  const choose = (example: Example) => {
    const before = draft.value;
    replaceKeepingDraft(example.draft, example.name);
    clearToasts();
    showToast(`${example.name} is in the editor.`, { label: 'Undo', run: () => replaceDraft(before) });
    onClose();
  };
  return (
    <Dialog title="Examples" onClose={onClose}>
      <ul class="examples">
        {EXAMPLES.map((example) => (
          <li key={example.name}>
            <button type="button" onClick={() => choose(example)}>
              <strong>{example.name}</strong>
              <span class="hint">{example.about}</span>
            </button>
          </li>
        ))}
      </ul>
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}
