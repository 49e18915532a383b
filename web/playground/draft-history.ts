/**
 * Keeps the visitor's drafts in this browser after their tabs have been closed, the latest first. Two tabs never write the same draft:
 * a tab holds a lock on its own.
 */
import { signal } from '@preact/signals';
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { htmlWords } from '../shared/code-editor/source-words.ts';
import { readStored, store } from '../shared/storage.ts';
import { hasLocks, holdLock } from '../shared/tab-lock.ts';
import { type Draft, isSameDraft, toDraft } from './draft.ts';

export interface KeptDraft {
  id: string;
  /** Milliseconds since 1970. */
  savedAt: number;
  title: string;
  draft: Draft;
}

interface Schema extends DBSchema {
  drafts: { key: string; value: KeptDraft };
}

const DATABASE = 'platen';
const STORE = 'drafts';
const ID_KEY = 'platen.playground.draft';
const MAX_DRAFTS = 50;
/** Of all drafts together. */
const MAX_CHARACTERS = 20_000_000;
const TITLE_CHARACTERS = 60;

/** The latest first. Another tab may have kept others since they were last read. */
export const keptDrafts = signal<readonly KeptDraft[]>([]);

let database: IDBPDatabase<Schema> | undefined;
/** The id of the draft in the editor, if this tab may write it. */
let current: string | undefined;
let release: () => void = () => {};

/** Without a database, for example in a private window, nothing is kept. */
export async function openHistory(): Promise<void> {
  database = await openDB<Schema>(DATABASE, 1, {
    upgrade: (created) => void created.createObjectStore(STORE, { keyPath: 'id' }),
  }).catch(() => undefined);
  await readKept();
  const id = readStored('sessionStorage', ID_KEY);
  if (id) await claim(id);
}

export async function readKept(): Promise<void> {
  const all = (await database?.getAll(STORE).catch(() => [])) ?? [];
  const valid = all.flatMap((kept) => {
    const draft = toDraft(kept.draft);
    return draft ? [{ ...kept, draft }] : [];
  });
  keptDrafts.value = valid.sort((one, other) => other.savedAt - one.savedAt);
}

/** Returns the latest draft that is not in the editor of another tab. This tab continues it. */
export async function takeLatest(): Promise<Draft | undefined> {
  const [latest] = keptDrafts.value;
  return latest && (await claim(latest.id)) ? latest.draft : undefined;
}

/** What is kept next is another draft, or an earlier one that is in the editor again. */
export async function beginDraft(draft: Draft): Promise<void> {
  const earlier = keptDrafts.value.find((kept) => isSameDraft(kept.draft, draft));
  forgetCurrent();
  if (earlier) await claim(earlier.id);
}

export async function keepDraft(draft: Draft): Promise<void> {
  if (!current) await claim(crypto.getRandomValues(new Uint32Array(4)).join('-'));
  if (!current || keptDrafts.value.some((kept) => kept.id === current && isSameDraft(kept.draft, draft))) return;
  const kept = { id: current, savedAt: Date.now(), title: titleOf(draft), draft };
  await database?.put(STORE, kept).catch(() => {}); // the storage may be full
  keptDrafts.value = [kept, ...keptDrafts.value.filter(({ id }) => id !== kept.id)];
  await remove(beyondLimits());
}

export async function removeDrafts(ids: readonly string[]): Promise<void> {
  if (current && ids.includes(current)) forgetCurrent();
  await remove(ids);
}

async function remove(ids: readonly string[]): Promise<void> {
  if (!ids.length) return;
  for (const id of ids) await database?.delete(STORE, id).catch(() => {});
  await readKept();
}

function beyondLimits(): string[] {
  let characters = 0;
  const isBeyond = ({ draft }: KeptDraft, n: number) => {
    characters += draft.html.length + draft.template.length + draft.data.length;
    return n > 0 && (n >= MAX_DRAFTS || characters > MAX_CHARACTERS);
  };
  return keptDrafts.value.filter(isBeyond).map(({ id }) => id);
}

/** Holds the lock of a draft until the tab is closed or has another one. Returns false if another tab holds it. */
async function claim(id: string): Promise<boolean> {
  const held = await hold(id);
  if (!held) return false;
  release = held;
  current = id;
  store('sessionStorage', ID_KEY, id);
  return true;
}

/** Without locks, each tab begins a draft of its own. */
async function hold(id: string): Promise<(() => void) | undefined> {
  if (hasLocks) return holdLock(`platen.draft.${id}`);
  const isOwn = readStored('sessionStorage', ID_KEY) === id || !keptDrafts.value.some((kept) => kept.id === id);
  return isOwn ? () => {} : undefined;
}

function forgetCurrent(): void {
  release();
  current = undefined;
  store('sessionStorage', ID_KEY, '');
}

/** The title of the document, or what it begins with. */
export function titleOf({ mode, html, template }: Draft): string {
  const source = mode === 'html' ? html : template;
  const title = /<title[^<>]*>([^<]*)/i.exec(source)?.[1]?.trim() || firstText(source);
  return title.slice(0, TITLE_CHARACTERS) || 'No text';
}

function firstText(source: string): string {
  const start = htmlWords(source)[0]?.from ?? source.length;
  const [text = ''] = source.slice(start).split(/[<{\n]/, 1);
  return text.trim();
}
