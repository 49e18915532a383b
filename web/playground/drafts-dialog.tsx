/** Lists the drafts that this browser keeps, to open or delete them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import type { KeptDraft } from '../shared/kept-drafts.ts';
import { clearToasts, showToast } from '../shared/toast.tsx';
import { showDialog } from './dialogs.ts';
import { canBeTemplate, draft, MODES } from './draft.ts';
import { keptDrafts, MIN_DAYS, MIN_DRAFTS, readKept, removeDrafts } from './draft-history.ts';
import { opened, templateParts } from './opened.ts';
import { replaceKeepingDraft } from './replaced-draft.tsx';
import { openElsewhere } from './stored-draft.ts';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function DraftsDialog({ onClose }: { onClose(): void }) {
  useEffect(() => void readKept(), []);
  const template = opened.value;
  // Those of an account are for who has signed in to it.
  const drafts = keptDrafts.value.filter(({ of }) => !of || of.accountId === template?.accountId);
  const open = (kept: KeptDraft) => {
    const { draft, title, of, id } = kept;
    if (of || template) return void openElsewhere(kept, id);
    clearToasts();
    replaceKeepingDraft(draft, `“${title}”`);
    onClose();
  };
  return (
    <Dialog title="Drafts" onClose={onClose}>
      <p class="hint">
        What you write is kept in this browser only, also after the tab is closed: the drafts of the last {MIN_DAYS} days, the
        last {MIN_DRAFTS} however old they are, and unsaved changes of templates.
      </p>
      {drafts.length === 0 && <p>There are no drafts yet.</p>}
      <ul class="drafts">
        {drafts.map((kept) => (
          <li key={kept.id}>
            <button type="button" onClick={() => open(kept)}>
              <strong>{kept.title}</strong>
              <span class="hint">
                {kindOf(kept)}, {TIME.format(kept.savedAt)}
              </span>
            </button>
            <DeleteButton ids={[kept.id]} label="Delete" of={kept.title} />
          </li>
        ))}
      </ul>
      <div class="actions end">
        {template ? (
          <Button label="Open as a draft" onClick={() => void openAsDraft()} />
        ) : (
          canBeTemplate.value && <Button label="Save as template" onClick={() => showDialog('save')} />
        )}
        {drafts.length > 0 && <DeleteButton ids={drafts.map(({ id }) => id)} label="Delete all" />}
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}

async function openAsDraft(): Promise<void> {
  try {
    const own = (await templateParts.peek()?.toDraft()) ?? draft.peek();
    await openElsewhere({ draft: own, of: undefined });
  } catch (error) {
    showToast(`The files of the template cannot be taken over: ${(error as Error).message}`);
  }
}

function kindOf({ draft: { mode }, of }: KeptDraft): string {
  if (of) return `Unsaved changes of version ${of.version}`;
  return MODES[mode];
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
