/** The files of a stored template in the editor, read from the service. */
import { type AssetChanges, listAssets, readAsset, readEarlierFiles } from '../../dashboard/template-assets.ts';
import { readFileAs } from '../../shared/file-content.ts';
import { type DraftFiles, STYLE } from '../../shared/kept-drafts.ts';
import { type Draft, lines } from '../draft.ts';
import { toDraftFile } from '../files/assets.ts';
import type { OpenedTemplate } from '../opened.ts';

/** Of the current version. */
export async function readFiles(id: string): Promise<Pick<OpenedTemplate, 'style' | 'files'>> {
  const all = await listAssets(id);
  const files = all.filter(({ path }) => path !== STYLE);
  return { files, style: files.length < all.length ? lines(await (await readAsset(id, STYLE)).text()) : '' };
}

/** The files of the current version with the changes of a draft. */
export async function toDraftFiles(id: string, { files: changes }: Draft): Promise<DraftFiles> {
  const files: DraftFiles = {};
  for (const { path } of await listAssets(id))
    if (path !== STYLE && changes[path] === undefined)
      files[path] = await toDraftFile(await (await readAsset(id, path)).blob(), path);
  for (const [path, file] of Object.entries(changes)) if (file) files[path] = file;
  return files;
}

/** Whether the current version has all of these changes already. */
export async function hasChanges(id: string, changes: AssetChanges): Promise<boolean> {
  const stored = new Set((await listAssets(id)).map(({ path }) => path));
  for (const [path, change] of Object.entries(changes)) {
    if (stored.has(path) !== (change !== null)) return false;
    if (change && (await readFileAs(await (await readAsset(id, path)).blob(), 'base64')) !== change.content) return false;
  }
  return true;
}

/** The files of an earlier version, as a draft of the current one has them. `style` is the current style sheet. */
export async function readEarlier(id: string, version: number, style: string): Promise<Pick<Draft, 'style' | 'files'>> {
  const { [STYLE]: sheet, ...changes } = Object.fromEntries(await readEarlierFiles(id, version));
  const files: DraftFiles = {};
  for (const [path, file] of Object.entries(changes)) files[path] = file && (await toDraftFile(file, path));
  return { files, style: sheet === undefined ? style : lines((await sheet?.text()) ?? '') };
}
