/** Chooses a template of the gallery. The visitor's own draft can be restored. */
import type { ChosenTemplate } from '../gallery/gallery.ts';
import { GalleryList } from '../gallery/gallery-list.tsx';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { clearToasts, showToast } from '../shared/toast.tsx';
import { draft, replaceDraft } from './draft.ts';
import { replaceKeepingDraft } from './replaced-draft.tsx';
import { WELCOME } from './welcome/welcome.ts';

export function ExamplesDialog({ onClose }: { onClose(): void }) {
  const choose = ({ name, html, data, options }: ChosenTemplate) => {
    const before = draft.value;
    replaceKeepingDraft({ ...WELCOME, mode: 'template', template: html, engine: 'liquid', data, options }, name);
    clearToasts();
    showToast(`${name} is in the editor.`, { label: 'Undo', run: () => replaceDraft(before) });
    onClose();
  };
  return (
    <Dialog title="Examples" onClose={onClose} wide>
      <GalleryList onChoose={choose} />
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}
