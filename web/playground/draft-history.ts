/**
 * Keeps the visitor's drafts in this browser after their tabs have been closed, the latest first. Two tabs never write the same draft:
 * a tab holds a lock on its own.
 */
import { signal } from '@preact/signals';
import { type DraftOf, deleteDrafts, type KeptDraft, readDraft, readDrafts, writeDraft } from '../shared/kept-drafts.ts';
import { readStored, store } from '../shared/storage.ts';
import { hasLocks, holdLock } from '../shared/tab-lock.ts';
import { type Draft, isSameDraft, sourceOf, toDraft } from './draft.ts';

/** So many drafts are kept however old they are, besides changes of templates; and all that are not older than this. */
export const MIN_DRAFTS = 50;
export const MIN_DAYS = 90;
const DAY_MS = 86_400_000;
const TITLE_CHARACTERS = 60;
const WORD = /[\p{L}\p{N}]/u;
/** For how long a page waits for the draft of the page before it, which may be ending. */
const OWN_WAIT_MS = 500;

/** The latest first. Another tab may have kept others since they were last read. */
export const keptDrafts = signal<readonly KeptDraft[]>([]);

/** The id of the draft in the editor, if this tab may write it. */
let current: string | undefined;
/** The id of the draft that this tab begins next. */
let next = newId();
/** When it was written by what this tab knows of it. The list may have been read since, and tell of another tab. */
let knownAt: number | undefined;
/** The draft that was in the editor when it was removed. */
let removedHere: string | undefined;
let release: () => void = () => {};

export async function openHistory(of?: DraftKey): Promise<void> {
  await readKept();
  const id = readStored('sessionStorage', idKey(of));
  const kept = findKept(id ?? undefined);
  if (id && (!kept || isOf(kept, of))) await claim(id, of, OWN_WAIT_MS);
}

export async function readKept(): Promise<void> {
  keptDrafts.value = (await readDrafts()).flatMap((kept) => {
    const draft = toDraft(kept.draft);
    return draft ? [{ ...kept, draft }] : [];
  });
}

/** The template that is edited; undefined for drafts of their own. */
export type DraftKey = Pick<DraftOf, 'accountId' | 'templateId'>;

/**
 * Returns the draft that this tab has asked for, or the latest that is not in the editor of another tab. This tab continues it. If another
 * tab has the one that was asked for, this tab begins with a copy of it.
 */
export async function takeLatest(of?: DraftKey): Promise<KeptDraft | undefined> {
  const mine = keptDrafts.value.filter((kept) => isOf(kept, of));
  const asked = of && readStored('sessionStorage', idKey(of));
  const own = mine.find(({ id }) => id === (current ?? asked));
  if (own) return own;
  if (asked) return undefined; // its own has been saved, and others may be in other tabs
  for (const kept of of ? mine : mine.slice(0, 1)) if (await claim(kept.id, of)) return kept;
  return undefined;
}

/** Whether another tab has drafts of the template, of which this one has at most a copy. */
export function isElsewhere(of: DraftKey): boolean {
  return current === undefined && keptDrafts.value.some((kept) => isOf(kept, of));
}

/** Whether another tab has kept the same draft of the template. A copy that nobody changes would only outlive it. */
export function isCopy(draft: Draft, of: DraftKey): boolean {
  return isElsewhere(of) && keptDrafts.value.some((kept) => isOf(kept, of) && isSameDraft(kept.draft, draft));
}

function isOf({ of }: KeptDraft, wanted: DraftKey | undefined): boolean {
  return of?.templateId === wanted?.templateId && of?.accountId === wanted?.accountId;
}

/** What is kept next is another draft, or an earlier one that is in the editor again. */
export async function beginDraft(draft: Draft): Promise<void> {
  const earlier = keptDrafts.value.find((kept) => !kept.of && isSameDraft(kept.draft, draft));
  forgetCurrent();
  if (earlier) await claim(earlier.id);
}

/** Returns false if it could not be written. */
export async function keepDraft(draft: Draft, of?: DraftOf): Promise<boolean> {
  if (!current) await claim(next, of);
  if (!current) return false;
  const before = findKept(current);
  if (before && isSameDraft(before.draft, draft) && JSON.stringify(before.of) === JSON.stringify(of)) return true;
  if (!(await isKnown(current))) await claim(newId(), of);
  const kept = toKept(draft, of);
  if (!(await writeDraft(kept))) return false;
  knownAt = kept.savedAt;
  keptDrafts.value = [kept, ...keptDrafts.value.filter(({ id }) => id !== kept.id)];
  await remove(beyondLimits());
  return true;
}

/** Whether no other tab has written the draft of this one, which only locks prevent. */
async function isKnown(id: string): Promise<boolean> {
  return hasLocks || (await readDraft(id))?.savedAt === knownAt;
}

/** What is kept of the draft in the editor. It is later than what was kept before, also if the clock was set back. */
export function toKept(draft: Draft, of?: DraftOf, id = current ?? next): KeptDraft {
  const savedAt = Math.max(Date.now(), (findKept(id)?.savedAt ?? 0) + 1);
  return { id, savedAt, title: of?.name ?? titleOf(draft), draft, of };
}

export function findKept(id: string | undefined): KeptDraft | undefined {
  return keptDrafts.value.find((kept) => kept.id === id);
}

/** Removes the draft in the editor, because it has been stored. */
export async function dropDraft(of: DraftKey): Promise<void> {
  if (!current || !findKept(current)) return;
  if (await isKnown(current)) await remove([current]);
  else await claim(newId(), of);
}

/** Gives the draft in the editor up, for the next page of this tab. Returns its id. */
export function handOverDraft(): string | undefined {
  const id = current;
  release();
  current = undefined;
  return id;
}

export async function removeDrafts(ids: readonly string[]): Promise<void> {
  if (current && ids.includes(current)) {
    removedHere = current;
    forgetCurrent();
  }
  await remove(ids);
}

/** Takes a removal back. A draft that another tab has written since stays as it is. */
export async function restoreDrafts(removed: readonly KeptDraft[]): Promise<void> {
  for (const kept of removed) if (!(await readDraft(kept.id))) await writeDraft(kept);
  await readKept();
  const own = removed.find(({ id }) => id === removedHere);
  if (own && !current) await claim(own.id, own.of);
}

async function remove(ids: readonly string[]): Promise<void> {
  if (!ids.length) return;
  await deleteDrafts(ids);
  await readKept();
}

/** Changes of templates stay until they are saved or discarded. */
function beyondLimits(): string[] {
  const oldest = Date.now() - MIN_DAYS * DAY_MS;
  const others = keptDrafts.value.filter(({ of }) => !of).slice(MIN_DRAFTS);
  return others.filter(({ savedAt }) => savedAt < oldest).map(({ id }) => id);
}

/**
 * Holds the lock of a draft until the tab is closed or has another one. Returns false if another tab holds it. Without locks, two tabs may
 * have the same draft: the one that notices that the other has written it goes on with another.
 */
async function claim(id: string, of?: DraftKey, waitMs?: number): Promise<boolean> {
  const held = hasLocks ? await holdLock(`platen.draft.${id}`, waitMs) : () => {};
  if (!held) return false;
  release = held;
  current = id;
  if (id === next) next = newId();
  knownAt = findKept(id)?.savedAt;
  store('sessionStorage', idKey(of), id);
  return true;
}

function forgetCurrent(): void {
  handOverDraft();
  store('sessionStorage', idKey(), '');
}

function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** In sessionStorage: the id of the draft of this tab. A tab may edit templates and go back to a draft of its own. */
export function idKey(of?: DraftKey): string {
  return `platen.playground.draft${of ? `.${of.templateId}` : ''}`;
}

/** The title of the document, or what it begins with. */
export function titleOf(draft: Draft): string {
  const source = sourceOf(draft);
  if (draft.mode === 'url') return source.slice(0, TITLE_CHARACTERS) || 'No URL';
  const title = /<title[^<>]*>([^<]*)/i.exec(source)?.[1]?.trim() || firstText(source);
  return title.slice(0, TITLE_CHARACTERS) || 'No text';
}

/** What follows the first tag with text that is not a style, a script or a comment. */
function firstText(source: string): string {
  for (const part of `>${source}`.split('<')) {
    const end = part.indexOf('>');
    if (end < 0 || /^(style|script|!--)/i.test(part)) continue;
    const lines = part.slice(end + 1).split(/[{}\n]/);
    const text = lines.find((line) => WORD.test(line));
    if (text) return text.replace(/^[\s#]+/, '').trimEnd();
  }
  return '';
}
