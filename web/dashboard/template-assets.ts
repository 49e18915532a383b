/** Changes the files of a stored template. */
import { readFileAs } from '../shared/file-content.ts';
import type { AssetRecord, List, TemplateRecord } from './records.ts';
import { call, ifVersion, read, send } from './session.ts';

/** As in `PATCH /v1/templates/{id}`: files with their content in base64, by path, and null for those to remove. */
export type AssetChanges = Record<string, { content: string; type?: string } | null>;

/** Of a version, by default the current one. */
export async function listAssets(id: string, version?: number): Promise<AssetRecord[]> {
  return (await read<List<AssetRecord>>(`/v1/templates/${encodeURIComponent(id)}/assets${toQuery(version)}`)).data;
}

export function readAsset(id: string, path: string, version?: number): Promise<Response> {
  const segments = path.split('/').map(encodeURIComponent).join('/');
  return call(`/v1/templates/${encodeURIComponent(id)}/assets/${segments}${toQuery(version)}`);
}

function toQuery(version: number | undefined): string {
  return version === undefined ? '' : `?version=${version}`;
}

/** The stored files by their paths. */
export async function readFiles({ template_id: id }: Pick<TemplateRecord, 'template_id'>, files: readonly AssetRecord[]) {
  const contents = files.map(async (file): Promise<[string, File]> => [file.path, await readFile(id, file)]);
  return new Map(await Promise.all(contents));
}

async function readFile(id: string, { path, type }: AssetRecord, version?: number): Promise<File> {
  return new File([await (await readAsset(id, path, version)).blob()], path, { type });
}

/** What makes the current files those of an earlier version: files by their paths, and null for those to remove. */
export async function readEarlierFiles(id: string, version: number): Promise<Map<string, File | null>> {
  const [earlier, now] = await Promise.all([listAssets(id, version), listAssets(id)]);
  const changes = new Map<string, File | null>();
  for (const { path } of now) if (!earlier.some((file) => file.path === path)) changes.set(path, null);
  for (const file of earlier) {
    const content = await readFile(id, file, version);
    const same = now.find(({ path, type, bytes }) => path === file.path && type === file.type && bytes === file.bytes);
    if (!same || !(await hasEqualBytes(content, await readFile(id, same)))) changes.set(file.path, content);
  }
  return changes;
}

async function hasEqualBytes(one: File, other: File): Promise<boolean> {
  const [first, second] = await Promise.all([readFileAs(one, 'base64'), readFileAs(other, 'base64')]);
  return first === second;
}

/**
 * Adds or replaces files by their paths, and removes those that are null. Returns the new version. Throws with status 412 if there is a
 * newer one already.
 */
export async function changeFiles(
  { template_id: id, version }: Pick<TemplateRecord, 'template_id' | 'version'>,
  files: ReadonlyMap<string, File | null>,
): Promise<TemplateRecord> {
  const assets = await toAssetChanges(files);
  const reply = await send('PATCH', `/v1/templates/${encodeURIComponent(id)}`, { assets }, { headers: ifVersion(version) });
  return (await reply.json()) as TemplateRecord;
}

export async function toAssetChanges(files: ReadonlyMap<string, File | null>): Promise<AssetChanges> {
  const assets: AssetChanges = {};
  for (const [path, file] of files)
    assets[path] = file && { content: await readFileAs(file, 'base64'), ...(file.type && { type: file.type }) };
  return assets;
}
