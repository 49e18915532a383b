/**
 * The drafts that this browser keeps: what visitors have written, and unsaved changes of stored templates. Without a database, as in some
 * private windows, nothing is kept.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { readStored, removeStored, store } from './storage.ts';

export type Mode = 'html' | 'markdown' | 'url' | 'template';
export type Engine = 'placeholders' | 'liquid';
export type Options = Record<string, unknown>;

export interface Draft {
  mode: Mode;
  html: string;
  markdown: string;
  url: string;
  template: string;
  engine: Engine;
  /** The JSON text, which may be invalid while it is edited. */
  data: string;
  /** The options that are sent. */
  options: Options;
}

/** The stored template that a draft changes. */
export interface DraftOf {
  accountId: string;
  templateId: string;
  name: string;
  /** The version in which the visitor began to write. */
  version: number;
  /** The name of the stored sample that the data belongs to; null if it is not stored. */
  sample: string | null;
}

export interface KeptDraft {
  id: string;
  /** Milliseconds since 1970. */
  savedAt: number;
  title: string;
  draft: Draft;
  /** Undefined for a draft of its own. */
  of?: DraftOf | undefined;
}

interface Schema extends DBSchema {
  drafts: { key: string; value: KeptDraft };
}

const DATABASE = 'platen';
const STORE = 'drafts';
const LEFT = 'platen.left-draft';

let database: Promise<IDBPDatabase<Schema> | undefined> | undefined;

function open() {
  database ??= openDB<Schema>(DATABASE, 1, {
    upgrade: (created) => void created.createObjectStore(STORE, { keyPath: 'id' }),
  }).catch(() => undefined);
  return database;
}

/** The latest first. Their drafts may be of an earlier version of these pages. */
export async function readDrafts(): Promise<KeptDraft[]> {
  const opened = await open();
  const left = readLeft();
  if (!opened) return left ? [left] : [];
  if (left) {
    const before = await opened.get(STORE, left.id).catch(() => undefined);
    if (!before || before.savedAt < left.savedAt) await writeDraft(left);
    leaveDraft(undefined);
  }
  const all = await opened.getAll(STORE).catch(() => []);
  return all.sort((one, other) => other.savedAt - one.savedAt);
}

/** For a page that is being left, and may not live until the database has written. The next page of the tab writes it. */
export function leaveDraft(kept: KeptDraft | undefined): void {
  if (kept) store('sessionStorage', LEFT, JSON.stringify(kept));
  else removeStored('sessionStorage', LEFT);
}

function readLeft(): KeptDraft | undefined {
  try {
    return (JSON.parse(readStored('sessionStorage', LEFT) ?? 'null') as KeptDraft | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The unsaved changes of an account, or of one of its templates. */
export async function readChanges(accountId: string | undefined, templateId?: string): Promise<KeptDraft[]> {
  const isWanted = ({ of }: KeptDraft) => of?.accountId === accountId && (!templateId || of?.templateId === templateId);
  return (await readDrafts()).filter((kept) => kept.of && isWanted(kept));
}

export async function writeDraft(kept: KeptDraft): Promise<void> {
  await (await open())?.put(STORE, kept).catch(() => {}); // the storage may be full
}

export async function deleteDrafts(ids: readonly string[]): Promise<void> {
  for (const id of ids) await (await open())?.delete(STORE, id).catch(() => {});
}
