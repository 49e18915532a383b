/** The files of a stored template in the editor, read from the service. */
import type { AssetRecord, List } from '../../dashboard/records.ts';
import { call, read } from '../../dashboard/session.ts';
import { type AssetChanges, assetPath } from '../../dashboard/template-assets.ts';
import { readFileAs } from '../../shared/file-content.ts';
import { type DraftFiles, STYLE } from '../../shared/kept-drafts.ts';
import { type Draft, lines } from '../draft.ts';
import { toDraftFile } from '../files/assets.ts';
import type { OpenedTemplate } from '../opened.ts';

/** Of the current version. */
export async function readFiles(id: string): Promise<Pick<OpenedTemplate, 'style' | 'files'>> {
  const all = await listFiles(id);
  const files = all.filter(({ path }) => path !== STYLE);
  return { files, style: files.length < all.length ? lines(await (await readAsset(id, STYLE)).text()) : '' };
}

/** The files of the current version with the changes of a draft. */
export async function toDraftFiles(id: string, { files: changes }: Draft): Promise<DraftFiles> {
  const files: DraftFiles = {};
  for (const { path } of await listFiles(id))
    if (path !== STYLE && changes[path] === undefined)
      files[path] = await toDraftFile(await (await readAsset(id, path)).blob(), path);
  for (const [path, file] of Object.entries(changes)) if (file) files[path] = file;
  return files;
}

/** Whether the current version has all of these changes already. */
export async function hasChanges(id: string, changes: AssetChanges): Promise<boolean> {
  const stored = new Set((await listFiles(id)).map(({ path }) => path));
  for (const [path, change] of Object.entries(changes)) {
    if (stored.has(path) !== (change !== null)) return false;
    if (change && (await readFileAs(await (await readAsset(id, path)).blob(), 'base64')) !== change.content) return false;
  }
  return true;
}

async function listFiles(id: string): Promise<AssetRecord[]> {
  return (await read<List<AssetRecord>>(`/v1/templates/${encodeURIComponent(id)}/assets`)).data;
}

function readAsset(id: string, path: string): Promise<Response> {
  return call(assetPath(id, path));
}
