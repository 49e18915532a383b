/** Lists the drafts that this browser keeps, to open or delete them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { handOver } from '../shared/handed-over.ts';
import { clearToasts } from '../shared/toast.tsx';
import { draft } from './draft.ts';
import { type KeptDraft, keptDrafts, readKept, removeDrafts, titleOf } from './draft-history.ts';
import { replaceKeepingDraft } from './replaced-draft.tsx';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function DraftsDialog({ onClose }: { onClose(): void }) {
  useEffect(() => void readKept(), []);
  const drafts = keptDrafts.value;
  const open = ({ draft, title }: KeptDraft) => {
    clearToasts();
    replaceKeepingDraft(draft, `“${title}”`);
    onClose();
  };
  return (
    <Dialog title="Drafts" onClose={onClose}>
      <p class="hint">What you write is kept in this browser only, also after the tab is closed: the last 50 drafts.</p>
      {drafts.length === 0 && <p>There are no drafts yet.</p>}
      <ul class="drafts">
        {drafts.map((kept) => (
          <li key={kept.id}>
            <button type="button" onClick={() => open(kept)}>
              <strong>{kept.title}</strong>
              <span class="hint">
                {kept.draft.mode === 'html' ? 'HTML' : 'Template'}, {TIME.format(kept.savedAt)}
              </span>
            </button>
            <DeleteButton ids={[kept.id]} label="Delete" of={kept.title} />
          </li>
        ))}
      </ul>
      <div class="actions end">
        <Button label="Save as a template" onClick={saveAsTemplate} />
        {drafts.length > 0 && <DeleteButton ids={drafts.map(({ id }) => id)} label="Delete all" />}
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** The dashboard takes the draft, with which a new template begins. */
function saveAsTemplate(): void {
  const { mode, html, template, engine, data } = draft.value;
  const isTemplate = mode === 'template';
  const source = isTemplate ? { html: template, engine, data } : { html, engine: 'placeholders' as const, data: '{}' };
  handOver({ name: titleOf(draft.value), ...source }, '/dashboard/templates/new');
}

/** Deletes with a second click. */
function DeleteButton({ ids, label, of }: { ids: string[]; label: string /** The title of the only draft. */; of?: string }) {
  const asks = useSignal(false);
  const click = () => {
    if (asks.value) void removeDrafts(ids);
    asks.value = !asks.value;
  };
  const shown = asks.value ? `${label} for good` : label;
  return <Button label={shown} name={of === undefined ? undefined : `${shown}: ${of}`} look="quiet small" onClick={click} />;
}
