/**
 * The drafts that this browser keeps: what visitors have written, and unsaved changes of stored templates. Without a database, as in some
 * private windows, nothing is kept.
 */
import { signal } from '@preact/signals';
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { readStoredJson, removeStored, store } from './storage.ts';

export type Mode = 'html' | 'markdown' | 'url' | 'template';
export type Engine = 'placeholders' | 'liquid';
export type Options = Record<string, unknown>;

/** The name of the style sheet, as the document writes it. */
export const STYLE = 'style.css';

/** A file beside the document. Its content is kept apart, once for all drafts, and does not change. */
export interface DraftFile {
  /** Of its content. */
  id: string;
  /** The media type; empty if the browser does not know it. */
  type: string;
  bytes: number;
}

export type DraftFiles = Record<string, DraftFile | null>;

export interface Draft {
  mode: Mode;
  html: string;
  markdown: string;
  url: string;
  template: string;
  engine: Engine;
  /** The JSON text, which may be invalid while it is edited. */
  data: string;
  /** The style sheet, which is the file `STYLE` beside the document. */
  style: string;
  /** The other files, by their names. With a stored template, those that it does not have so, and null for those to remove. */
  files: DraftFiles;
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
  /** Content in base64, by its id. */
  files: { key: string; value: string };
}

const DATABASE = 'platen';
const STORE = 'drafts';
const LEFT = 'platen.left-draft';
/** A database never opens while a page of an earlier version has it, or if the browser does not answer. */
const MAX_OPENING_MS = 5_000;

let database: Promise<IDBPDatabase<Schema> | undefined> | undefined;

/** Whether the last draft could not be written, because the storage is full or not allowed. It is lost with its tab. */
export const keepsNothing = signal(false);

/** Resolves to undefined where there is no database. */
export function open() {
  database ??= Promise.race([openDatabase(), tooLong()]).catch(openAgain);
  return database;
}

function tooLong(): Promise<never> {
  return new Promise((_, reject) => setTimeout(reject, MAX_OPENING_MS));
}

/** Is a promise also where a browser refuses the very call. */
async function openDatabase(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(DATABASE, 2, {
    upgrade: (created, before) => {
      if (before < 1) created.createObjectStore(STORE, { keyPath: 'id' });
      created.createObjectStore('files');
    },
    // A browser closes the database when its data is cleared, and a later version of these pages waits until it is closed.
    terminated: openAgain,
    blocking: (_current, _blocked, event) => {
      (event.target as IDBDatabase).close();
      openAgain();
    },
  });
}

/** The next draft opens it again. */
function openAgain(): undefined {
  database = undefined;
}

/** The latest first. Their drafts may be of an earlier version of these pages. */
export async function readDrafts(): Promise<KeptDraft[]> {
  const left = await takeLeft();
  const all = (await (await open())?.getAll(STORE).catch(() => [])) ?? [];
  const others = all.filter(({ id }) => id !== left?.id).sort((one, other) => other.savedAt - one.savedAt);
  return left ? [left, ...others] : others;
}

/** Writes the draft of the page before this one. Returns it if it cannot be written. */
async function takeLeft(): Promise<KeptDraft | undefined> {
  const left = readLeft();
  if (!left) return undefined;
  const before = await readDraft(left.id);
  if ((!before || before.savedAt < left.savedAt) && !(await writeDraft(left))) return left;
  leaveDraft(undefined);
  return undefined;
}

export async function readDraft(id: string): Promise<KeptDraft | undefined> {
  return (await open())?.get(STORE, id).catch(() => undefined);
}

/** For a page that is being left, and may not live until the database has written. The next page of the tab writes it. */
export function leaveDraft(kept: KeptDraft | undefined): void {
  if (kept) store('sessionStorage', LEFT, JSON.stringify(kept));
  else removeStored('sessionStorage', LEFT);
}

function readLeft(): KeptDraft | undefined {
  return (readStoredJson(LEFT) as KeptDraft | null) ?? undefined;
}

/** The unsaved changes of an account, or of one of its templates. */
export async function readChanges(accountId: string | undefined, templateId?: string): Promise<KeptDraft[]> {
  const isWanted = ({ of }: KeptDraft) => of?.accountId === accountId && (!templateId || of?.templateId === templateId);
  return (await readDrafts()).filter((kept) => kept.of && isWanted(kept));
}

/** Returns false if it could not be written. */
export async function writeDraft(kept: KeptDraft): Promise<boolean> {
  const isWritten = await put(kept).catch(() => false);
  keepsNothing.value = !isWritten;
  return isWritten;
}

async function put(kept: KeptDraft): Promise<boolean> {
  const opened = await open();
  if (!opened) return false;
  const transaction = opened.transaction(STORE, 'readwrite');
  const writing = transaction.store.put(kept);
  transaction.commit(); // at once: the page may not live until it learns that the text has arrived
  await Promise.all([writing, transaction.done]);
  return true;
}

/** The ids of the contents that a draft names. */
export function fileIds({ files = {} }: Partial<Draft>): string[] {
  return Object.values(files).flatMap((file) => file?.id ?? []);
}

export async function deleteDrafts(ids: readonly string[]): Promise<void> {
  for (const id of ids) await (await open())?.delete(STORE, id).catch(() => {});
}
