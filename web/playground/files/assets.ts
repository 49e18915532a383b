/** Makes the files of a draft those of a request, and the reverse. */

import type { AssetChanges } from '../../dashboard/template-assets.ts';
import { toBase64 } from '../../shared/base64.ts';
import { readFileAs } from '../../shared/file-content.ts';
import { STYLE } from '../../shared/kept-drafts.ts';
import { keepFile, readFile } from '../../shared/kept-files.ts';
import { type Draft, type DraftFile, hasFiles } from '../draft.ts';

/** As in `POST /v1/pdf`: paths, and content in base64. */
export type Assets = Record<string, { content: string; type?: string }>;

/** Throws if a file is not kept any more. */
export async function toAssets(draft: Draft): Promise<Assets> {
  if (!hasFiles(draft)) return {};
  const assets: Array<[string, Assets[string]]> = draft.style ? [[STYLE, { content: toBase64(draft.style) }]] : [];
  for (const [name, file] of Object.entries(draft.files)) if (file) assets.push([name, await toAsset(name, file)]);
  return Object.fromEntries(assets);
}

/** Files as they are sent, by their ids. They stay the same objects, so that they are encoded once. */
const sent = new Map<string, Assets[string]>();

async function toAsset(name: string, { id, type }: DraftFile): Promise<Assets[string]> {
  const known = sent.get(id);
  if (known) return known;
  const content = await readFile(id);
  if (content === undefined)
    throw new Error(`This browser no longer has the file ${name}. Add it again under Files, or remove it.`);
  const asset = { content, ...(type && { type }) };
  sent.set(id, asset);
  return asset;
}

/** What changes in the files of a stored template. `storedStyle` is its style sheet, if it is known. Throws like `toAssets`. */
export async function toAssetChanges({ style, ...draft }: Draft, storedStyle?: string): Promise<AssetChanges> {
  const isStyleSame = style === storedStyle;
  const removed = Object.keys(draft.files).filter((name) => draft.files[name] === null);
  return {
    ...(!isStyleSame && { [STYLE]: null }),
    ...Object.fromEntries(removed.map((name) => [name, null])),
    ...(await toAssets({ ...draft, style: isStyleSame ? '' : style })),
  };
}

/** Throws if it cannot be read or kept. */
export async function toDraftFile(file: Blob, name: string): Promise<DraftFile> {
  const content = await readFileAs(file, 'base64').catch(() => {
    throw new Error(`${name} cannot be read. A folder cannot be added, only files.`);
  });
  return { id: await keepFile(content), type: file.type, bytes: file.size };
}

/** The size of all files together. */
export function countBytes({ style, files }: Pick<Draft, 'style' | 'files'>): number {
  return Object.values(files).reduce((sum, file) => sum + (file?.bytes ?? 0), new Blob([style]).size);
}

export interface NamedFile {
  path: string;
  bytes: number;
}

/** The files with the changes of a draft, sorted by name. */
export function listFiles(stored: readonly NamedFile[], changes: Draft['files']): NamedFile[] {
  const files = new Map(stored.map((file) => [file.path, file]));
  for (const [path, file] of Object.entries(changes)) {
    if (file) files.set(path, { path, bytes: file.bytes });
    else files.delete(path);
  }
  return [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}
