/** Keeps the draft: for a reload of its tab, and as one of the drafts of this browser if it has work of the visitor. */
import { type DraftOf, fileIds, type KeptDraft, keepsNothing, leaveDraft, writeDraft } from '../shared/kept-drafts.ts';
import { removeUnnamedFiles } from '../shared/kept-files.ts';
import { readStoredJson, removeStored, store } from '../shared/storage.ts';
import { showToast } from '../shared/toast.tsx';
import { askBeforeLeaving, go } from '../shell/route.ts';
import { BLANK, type Draft, draft, generation, isSameDraft, sourceOf, TEXTS, toDraft } from './draft.ts';
import { beginDraft, dropDraft, findKept, handOverDraft, idKey, isCopy, keepDraft, toKept } from './draft-history.ts';
import { draftOf, isChanged } from './opened.ts';
import { isOwn } from './replaced-draft.tsx';
import { atEnd, listen, watch } from './visit.ts';
import { WELCOME } from './welcome/welcome.ts';

const STORAGE_KEY = 'platen.playground';
/** How long text may wait until it is kept, also while typing does not pause. */
const MAX_UNKEPT_MS = 250;
const KEEPS_NOTHING =
  'This browser does not keep your text: its storage is full or not allowed. It will be lost when the tab is closed.';

/** Returns the draft of this tab that is no change of a template. */
export function readStoredDraft(): Draft | undefined {
  return toDraft(readStoredJson(STORAGE_KEY));
}

let keepShown = () => {};
let isStopped = false;

/**
 * Stores every draft of this visit: shortly after a key, when another draft replaces it, and when the page is left. Changes of templates
 * are stored with every key.
 */
export function storeDrafts(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = generation.peek();
  let latest = draft.peek();
  isStopped = false;
  keepShown = () => {
    clearTimeout(timer);
    timer = undefined;
    if (isStopped) return;
    const [kept, of] = [latest, draftOf.peek()];
    const isWork = hasWork(kept);
    if (of) leave(isWork ? toKept(kept, of) : undefined);
    else store('sessionStorage', STORAGE_KEY, JSON.stringify(kept));
    if (isWork)
      inOrder(async () => {
        if (of && kept !== latest) return;
        if ((await keepDraft(kept, of)) && of && kept === latest) leaveDraft(undefined); // the database has it
      });
    else if (of) inOrder(() => dropDraft(of));
  };
  watch(() => {
    const changed = draft.value;
    const of = draftOf.value;
    if (generation.value !== shown) {
      shown = generation.value;
      // The changes of a template are one draft, whatever replaces them.
      if (!of) {
        keepShown();
        inOrder(() => beginDraft(changed));
      }
    }
    latest = changed;
    if (of) keepShown();
    else timer ??= setTimeout(keepShown, MAX_UNKEPT_MS);
  });
  listen('visibilitychange', keepShown);
  listen('pagehide', keepShown);
  removeUnnamedFiles(fileIds(latest)).catch(() => {}); // the next page tries it again
  atEnd(keepsNothing.subscribe((nothing) => nothing && showToast(KEEPS_NOTHING)));
  atEnd(askBeforeLeaving(wouldLose));
  atEnd(() => {
    clearTimeout(timer);
    keepShown = () => {};
  });
}

/** Keeps changes of a template for the next page of this tab, which goes on with them. */
function leave(kept: KeptDraft | undefined): void {
  leaveDraft(kept);
  if (kept) store('sessionStorage', idKey(kept.of), kept.id);
}

/** Whether the visitor would lose something by leaving. */
function wouldLose(): boolean {
  return keepsNothing.peek() && !isStopped && hasWork(draft.peek());
}

/** Whether there is something of the visitor in a draft that nothing else has. */
function hasWork(shown: Draft): boolean {
  const of = draftOf.peek();
  return of ? isChanged(shown) && !isCopy(shown, of) : isOwn(shown);
}

/** Resolves when the draft has been written. */
export async function keepNow(): Promise<void> {
  keepShown();
  await queue;
}

/** Leads this tab to another draft. `id` is that of a draft that is kept already, perhaps by another tab. */
export async function openElsewhere({ draft: other, of }: Pick<KeptDraft, 'draft' | 'of'>, id?: string): Promise<void> {
  await keepNow();
  if (wouldLose() && !confirm(`${KEEPS_NOTHING} Leave it?`)) return;
  isStopped = true;
  handOverDraft();
  const before = findKept(id);
  const kept = toKept(other, of, id);
  const isKept = before !== undefined && isSameDraft(before.draft, other) && before.of?.templateId === of?.templateId;
  if (!isKept && !(await writeDraft(kept)) && of) leaveDraft(kept);
  store('sessionStorage', idKey(of), kept.id);
  if (!of) store('sessionStorage', STORAGE_KEY, JSON.stringify(other));
  go(of ? `/edit?template=${encodeURIComponent(of.templateId)}` : '/edit', true);
}

/** The draft of this tab becomes that of a template that has been stored. It stays besides if it has another text that is not shown. */
export async function becomeTemplate(of: DraftOf): Promise<void> {
  await keepNow();
  isStopped = true;
  const id = handOverDraft();
  for (const name of [idKey(), STORAGE_KEY]) removeStored('sessionStorage', name);
  const shown = draft.peek();
  const { mode, data, style, options } = shown;
  const hidden = TEXTS.filter((name) => name !== mode && name !== 'data' && name !== 'style');
  const isAllShown = hidden.every((name) => [BLANK, WELCOME].some((given) => shown[name] === given[name]));
  const engine = mode === 'template' ? shown.engine : 'placeholders';
  const stored: Draft = { ...BLANK, mode: 'template', template: sourceOf(shown), engine, data, style, options };
  await openElsewhere({ draft: stored, of }, isAllShown ? id : undefined);
}

/** Keeps nothing more, and forgets what only this tab has of a template. */
export function stopKeeping(): void {
  isStopped = true;
  leaveDraft(undefined);
}

let queue: Promise<void> = Promise.resolve();

function inOrder(write: () => Promise<void>): void {
  queue = queue.then(write).catch(() => {}); // the next one may be written
}
