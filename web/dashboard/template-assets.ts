/** Changes the files of a stored template. */
import { readFileAs } from '../shared/file-content.ts';
import type { AssetRecord, TemplateRecord } from './records.ts';
import { call, ifVersion, send } from './session.ts';

/** As in `PATCH /v1/templates/{id}`: files with their content in base64, by path, and null for those to remove. */
export type AssetChanges = Record<string, { content: string; type?: string } | null>;

export function assetPath(id: string, path: string): string {
  return `/v1/templates/${encodeURIComponent(id)}/assets/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The stored files by their paths. */
export async function readFiles({ template_id: id }: Pick<TemplateRecord, 'template_id'>, files: readonly AssetRecord[]) {
  const contents = files.map(async ({ path, type }): Promise<[string, File]> => {
    const content = await (await call(assetPath(id, path))).blob();
    return [path, new File([content], path, { type })];
  });
  return new Map(await Promise.all(contents));
}

/**
 * Adds or replaces files by their paths, and removes those that are null. Returns the new version. Throws with status 412 if there is a
 * newer one already.
 */
export async function changeFiles(
  { template_id: id, version }: Pick<TemplateRecord, 'template_id' | 'version'>,
  files: ReadonlyMap<string, File | null>,
): Promise<TemplateRecord> {
  const assets: AssetChanges = {};
  for (const [path, file] of files)
    assets[path] = file && { content: await readFileAs(file, 'base64'), ...(file.type && { type: file.type }) };
  const reply = await send('PATCH', `/v1/templates/${encodeURIComponent(id)}`, { assets }, { headers: ifVersion(version) });
  return (await reply.json()) as TemplateRecord;
}
