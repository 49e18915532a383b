/**
 * Keeps the content of the files of drafts in this browser, as base64, each under an id of its own. Without a database, it is kept
 * until the page is left.
 */
import { fileIds, open } from './kept-drafts.ts';

/** A file that no draft names may be that of a draft that is about to be kept. */
const UNNAMED_MS = 600_000;

/** What this page has read or added. */
const contents = new Map<string, string>();

/** Returns the id. Throws if the storage is full. */
export async function keepFile(content: string): Promise<string> {
  const id = [Date.now(), ...crypto.getRandomValues(new Uint32Array(4))].join('-');
  const database = await open();
  await database?.put('files', content, id).catch(() => {
    throw new Error('The storage of this browser is full.');
  });
  contents.set(id, content);
  return id;
}

/** Undefined if it is not kept any more. */
export async function readFile(id: string): Promise<string | undefined> {
  const content = contents.get(id) ?? (await (await open())?.get('files', id).catch(() => undefined));
  if (content !== undefined) contents.set(id, content);
  return content;
}

/** Removes the files that no draft names. `alsoNamed` are those of drafts that are not kept. */
export async function removeUnnamedFiles(alsoNamed: Iterable<string>): Promise<void> {
  const transaction = (await open())?.transaction(['drafts', 'files'], 'readwrite');
  if (!transaction) return;
  const drafts = await transaction.objectStore('drafts').getAll();
  const named = new Set([...alsoNamed, ...drafts.flatMap(({ draft }) => fileIds(draft))]);
  const files = transaction.objectStore('files');
  const oldest = Date.now() - UNNAMED_MS;
  for (const id of await files.getAllKeys()) if (!named.has(id) && Number.parseInt(id, 10) < oldest) await files.delete(id);
  await transaction.done;
}
