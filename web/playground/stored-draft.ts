/** Keeps the draft: for a reload of its tab, and as one of the drafts of this browser if it has work of the visitor. */
import { effect } from '@preact/signals';
import { type DraftOf, type KeptDraft, leaveDraft, writeDraft } from '../shared/kept-drafts.ts';
import { readStored, removeStored, store } from '../shared/storage.ts';
import { BLANK, type Draft, draft, generation, sourceOf, toDraft } from './draft.ts';
import { beginDraft, dropDraft, handOverDraft, idKey, keepDraft, toKept } from './draft-history.ts';
import { draftOf, isChanged } from './opened.ts';
import { isOwn } from './replaced-draft.tsx';

const STORAGE_KEY = 'platen.playground';
const PAUSE_MS = 250;

/** Returns the draft of this tab that is no change of a template. */
export function readStoredDraft(): Draft | undefined {
  try {
    return toDraft(JSON.parse(readStored('sessionStorage', STORAGE_KEY) ?? 'null'));
  } catch {
    return undefined;
  }
}

let keepShown = () => {};
let isStopped = false;

/**
 * Stores every draft from now on: after a pause in typing, when another draft replaces it, and when the page is left. Changes of templates
 * are stored with every key, because nothing else has them.
 */
export function storeDrafts(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = generation.peek();
  let latest = draft.peek();
  keepShown = () => {
    clearTimeout(timer);
    if (isStopped) return;
    const [kept, of] = [latest, draftOf.peek()];
    const isWork = of ? isChanged(kept) : isOwn(kept);
    if (of) leaveDraft(isWork ? toKept(kept, of) : undefined);
    else store('sessionStorage', STORAGE_KEY, JSON.stringify(kept));
    if (isWork) inOrder(async () => (of && kept !== latest ? undefined : keepDraft(kept, of)));
    else if (of) inOrder(dropDraft);
  };
  effect(() => {
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
    clearTimeout(timer);
    if (of) keepShown();
    else timer = setTimeout(keepShown, PAUSE_MS);
  });
  addEventListener('visibilitychange', keepShown);
  addEventListener('pagehide', keepShown);
}

/** Resolves when the draft has been written. */
export async function keepNow(): Promise<void> {
  keepShown();
  await queue;
}

/** Leads this tab to the page that edits another draft. `id` is that of a draft that is kept already. */
export async function openElsewhere({ draft: other, of }: Pick<KeptDraft, 'draft' | 'of'>, id?: string): Promise<void> {
  await keepNow();
  isStopped = true;
  handOverDraft();
  const kept = toKept(other, of, id);
  await writeDraft(kept);
  store('sessionStorage', idKey(of), kept.id);
  if (!of) store('sessionStorage', STORAGE_KEY, JSON.stringify(other));
  location.assign(of ? `/edit?template=${encodeURIComponent(of.templateId)}` : '/edit');
}

/** The draft of this tab becomes that of a template that has been stored, with what was written since. */
export async function becomeTemplate(of: DraftOf): Promise<void> {
  await keepNow();
  isStopped = true;
  const id = handOverDraft();
  for (const name of [idKey(), STORAGE_KEY]) removeStored('sessionStorage', name);
  const { engine, data, options } = draft.peek();
  const template = sourceOf(draft.peek());
  await openElsewhere({ draft: { ...BLANK, mode: 'template', template, engine, data, options }, of }, id);
}

/** Keeps nothing more, and forgets what only this tab has of a template. */
export function stopKeeping(): void {
  isStopped = true;
  leaveDraft(undefined);
}

let queue: Promise<void> = Promise.resolve();

function inOrder(write: () => Promise<void>): void {
  queue = queue.then(write);
}
