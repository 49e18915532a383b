/** Keeps the schema that somebody writes, in this tab, until it is saved or the visitor signs out. */
import { readStoredJson, removeStored, store } from '../shared/storage.ts';

const STORAGE_KEY = 'platen.schema';

export interface UnsavedSchema {
  templateId: string;
  text: string;
  /** The text of the stored schema when the visitor began to write. */
  since: string;
}

export function keepSchema(unsaved: UnsavedSchema): void {
  if (unsaved.text === unsaved.since) forgetSchema();
  else store('sessionStorage', STORAGE_KEY, JSON.stringify(unsaved));
}

export function readUnsavedSchema(templateId: string): UnsavedSchema | undefined {
  const unsaved = readStoredJson(STORAGE_KEY) as UnsavedSchema | null;
  return unsaved?.templateId === templateId ? unsaved : undefined;
}

export function forgetSchema(): void {
  removeStored('sessionStorage', STORAGE_KEY);
}
