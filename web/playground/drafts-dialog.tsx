/** Lists the drafts that this browser keeps, to open or delete them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import type { KeptDraft } from '../shared/kept-drafts.ts';
import { clearToasts, showToast } from '../shared/toast.tsx';
import { showDialog } from './dialogs.ts';
import { canBeTemplate, draft, MODES } from './draft.ts';
import { keptDrafts, MIN_DAYS, MIN_DRAFTS, readKept, removeDrafts, restoreDrafts } from './draft-history.ts';
import { opened, templateParts } from './opened.ts';
import { replaceKeepingDraft } from './replaced-draft.tsx';
import { openElsewhere } from './stored-draft.ts';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function DraftsDialog({ onClose }: { onClose(): void }) {
  /** The last at the end. They can be taken back until the list is closed. */
  const deleted = useSignal<ReadonlyArray<readonly KeptDraft[]>>([]);
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
  const remove = (given: readonly KeptDraft[]) => {
    deleted.value = [...deleted.value, given];
    void removeDrafts(given.map(({ id }) => id));
  };
  const takeBack = () => {
    const last = deleted.value.at(-1) ?? [];
    deleted.value = deleted.value.slice(0, -1);
    void restoreDrafts(last);
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
            <Button label="Delete" name={`Delete: ${kept.title}`} look="quiet small" onClick={() => remove([kept])} />
          </li>
        ))}
      </ul>
      <Deleted drafts={deleted.value.at(-1)} onUndo={takeBack} />
      <div class="actions end">
        {template ? (
          <Button label="Open as a draft" onClick={() => void openAsDraft()} />
        ) : (
          canBeTemplate.value && <Button label="Save as template" onClick={() => showDialog('save')} />
        )}
        {drafts.length > 0 && <Button label="Delete all" look="quiet small" onClick={() => remove(drafts)} />}
        <Button label="Close" onClick={onClose} />
      </div>
    </Dialog>
  );
}

function Deleted({ drafts, onUndo }: { drafts: readonly KeptDraft[] | undefined; onUndo(): void }) {
  const [first, ...more] = drafts ?? [];
  return (
    <div role="status">
      {first && (
        <p class="note deleted">
          <span>{more.length ? `${more.length + 1} drafts were deleted.` : `“${first.title}” was deleted.`}</span>
          <Button label="Undo" look="small" onClick={onUndo} />
        </p>
      )}
    </div>
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
