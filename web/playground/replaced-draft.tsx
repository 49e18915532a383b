/** Keeps the visitor's own drafts when a link or an example replaces them, until they are restored or given up, also over a reload. */
import { signal } from '@preact/signals';
import { Button } from '../shared/button.tsx';
import { readStored, store } from '../shared/storage.ts';
import { type Draft, draft, isBlank, isSameDraft, replaceDraft, toDraft } from './draft.ts';
import { WELCOME } from './welcome/welcome.ts';

const STORAGE_KEY = 'platen.playground.replaced';
const MAX_KEPT = 10;

interface Replacement {
  /** The visitor's own drafts, oldest first. */
  own: Draft[];
  /** What replaced the last one. It is no work of the visitor's until it is changed. */
  by: Draft;
  /** Such as "A shared draft". */
  name: string;
}

const replacement = signal<Replacement | undefined>(read());

/** Replaces the draft. If it has text of the visitor, it can be restored. */
export function replaceKeepingDraft(by: Draft, name: string): void {
  const before = draft.value;
  const kept = replacement.value?.own ?? [];
  keep({ own: isOwn(before) && !isSameDraft(before, by) ? [...kept, before].slice(-MAX_KEPT) : kept, by, name });
  replaceDraft(by);
}

/** Whether the visitor has written it, or at least changed what an example or a link gave. */
export function isOwn(other: Draft): boolean {
  const given = [WELCOME, ...(replacement.value ? [replacement.value.by] : [])];
  return !isBlank(other) && !given.some((each) => isSameDraft(each, other));
}

export function ReplacedNotice() {
  const current = replacement.value;
  const last = current?.own.at(-1);
  if (!current || !last) return null;
  const others = current.own.slice(0, -1);
  const restore = () => {
    const before = draft.value;
    keep({ own: isOwn(before) ? [before, ...others] : others, by: last, name: 'Your earlier draft' });
    replaceDraft(last);
  };
  return (
    <div class="note replaced" role="status">
      <p>{current.name} is in the editor. Your own draft is kept.</p>
      <Button label="Restore my draft" look="small" onClick={restore} />
      <Button label="Discard my draft" look="small" onClick={() => keep({ ...current, own: others })} />
    </div>
  );
}

function keep(next: Replacement): void {
  replacement.value = next;
  store('sessionStorage', STORAGE_KEY, JSON.stringify(next));
}

function read(): Replacement | undefined {
  try {
    const stored = JSON.parse(readStored('sessionStorage', STORAGE_KEY) ?? 'null') as {
      own: unknown[];
      by: unknown;
      name: unknown;
    };
    const by = toDraft(stored.by);
    return by && { own: stored.own.map(toDraft).filter((each) => each !== undefined), by, name: String(stored.name) };
  } catch {
    return undefined;
  }
}
