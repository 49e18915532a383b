/**
 * The text in the editor of a template, which is kept in this browser until it is saved or discarded, or the visitor signs out: it
 * outlives another page, a closed tab, a crash and a refused key.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { hasLocks, holdLock } from '../shared/tab-lock.ts';
import type { Engine, TemplateRecord } from './records.ts';
import { onSignOut, session } from './session.ts';

export interface Draft {
  name: string;
  engine: Engine;
  html: string;
}

export interface Unsaved {
  /** Null for a new template. */
  templateId: string | null;
  /** The version in which the visitor began to write. */
  version: number | undefined;
  draft: Draft;
}

interface Schema extends DBSchema {
  texts: { key: string; value: Unsaved & { id: string } };
}

const DATABASE = 'platen-templates';
const STORE = 'texts';
/** New templates that may be written at the same time, each in a tab of its own. */
const NEW_PLACES = ['new', 'new 2', 'new 3', 'new 4', 'new 5'];
const BLANK: Draft = { name: '', engine: 'placeholders', html: '' };

/** What is newer here than in the database. Without a database, as in some private windows, it lives as long as the tab. */
const texts = new Map<string, Unsaved>();
let database: Promise<IDBPDatabase<Schema> | undefined> | undefined;
/** Where the new template of this tab is kept. */
let newPlace: string | undefined;
let isWriting = false;
/** The texts that are not in the database yet; undefined removes one. */
const unwritten = new Map<string, Unsaved | undefined>();

onSignOut(() => {
  texts.clear();
  unwritten.clear();
  void openTexts().then((opened) => opened?.clear(STORE));
});

export function toDraft(template: TemplateRecord | null): Draft {
  return template ? { name: template.name, engine: template.engine, html: template.html ?? '' } : BLANK;
}

export function isSame(one: Draft, other: Draft): boolean {
  return one.name === other.name && one.engine === other.engine && one.html === other.html;
}

/** Call `findUnsaved` or `beginNew` before. */
export function keepUnsaved(text: Unsaved): void {
  change(idOf(text.templateId), text);
}

export function forgetUnsaved(templateId: string | null): void {
  change(idOf(templateId), undefined);
}

/** Returns the unsaved text of this template that a visitor of the same account has written. */
export async function findUnsaved(templateId: string | null): Promise<Unsaved | undefined> {
  if (templateId === null) newPlace ??= await findPlace(false);
  return readText(idOf(templateId));
}

/** Call it for a new template whose text comes from elsewhere, so that it replaces no other. */
export async function beginNew(): Promise<void> {
  newPlace = await findPlace(true);
}

async function readText(id: string): Promise<Unsaved | undefined> {
  const opened = await openTexts();
  if (texts.has(id) || unwritten.has(id)) return texts.get(id);
  return opened?.get(STORE, id).catch(() => undefined);
}

function idOf(templateId: string | null): string {
  return `${session.peek()?.account.account_id} ${templateId ?? newPlace ?? NEW_PLACES[0]}`;
}

function change(id: string, text: Unsaved | undefined): void {
  if (text) texts.set(id, text);
  else texts.delete(id);
  unwritten.set(id, text);
  if (!isWriting) void write();
}

/** What changes while one text is written is written next. */
async function write(): Promise<void> {
  isWriting = true;
  const opened = await openTexts();
  for (let [next] = unwritten; next; [next] = unwritten) {
    const [id, text] = next;
    unwritten.delete(id);
    await (text ? opened?.put(STORE, { ...text, id }) : opened?.delete(STORE, id))?.catch(() => {}); // the storage may be full
  }
  isWriting = false;
}

function openTexts() {
  database ??= openDB<Schema>(DATABASE, 1, {
    upgrade: (created) => void created.createObjectStore(STORE, { keyPath: 'id' }),
  }).catch(() => undefined);
  return database;
}

/** The first place that no other tab has. Without locks, tabs share the first. */
async function findPlace(isToBeEmpty: boolean): Promise<string | undefined> {
  for (const place of NEW_PLACES) {
    if (isToBeEmpty && (await readText(idOf(place)))) continue;
    if (!hasLocks || (await holdLock(`platen.template.${place}`))) return place;
  }
  return NEW_PLACES.at(-1);
}
