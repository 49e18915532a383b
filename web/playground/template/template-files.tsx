/** The files of a stored template in the editor: its style sheet is written there, the others are listed. */
import { useAction } from '../../dashboard/action.ts';
import { ErrorMessage } from '../../dashboard/components.tsx';
import { useLoaded } from '../../dashboard/loaded.ts';
import type { AssetRecord, List, TemplateRecord } from '../../dashboard/records.ts';
import { call, read } from '../../dashboard/session.ts';
import { assetPath, changeAsset, putAsset } from '../../dashboard/template-assets.ts';
import { STYLE } from '../../shared/kept-drafts.ts';
import { showToast } from '../../shared/toast.tsx';
import { change, type Draft, draft, lines } from '../draft.ts';
import { type Assets, toDraftFile } from '../files/assets.ts';
import { FileList } from '../files/file-list.tsx';
import { isCharged, opened } from '../opened.ts';
import { renderNow } from '../render-loop.ts';

export function TemplateFiles() {
  const { record } = opened.value ?? {};
  return record ? <FilesOf template={record} /> : null;
}

function FilesOf({ template }: { template: TemplateRecord }) {
  const { template_id: id, version } = template;
  const files = useLoaded(() => listFiles(id), [id, version]);
  const changing = useAction();
  const add = (chosen: File[], path?: string) =>
    changing.run(async () => {
      for (const file of chosen) await take(await putAsset(current(template), path ?? file.name, file));
    });
  const remove = (path: string) =>
    changing.run(async () => {
      await take(await changeAsset(current(template), path, { method: 'DELETE' }));
      showToast(`${path} was removed. Earlier versions keep it.`);
    });
  return (
    <FileList
      files={(files.value ?? []).filter(({ path }) => path !== STYLE)}
      busy={changing.running}
      error={<ErrorMessage error={changing.error ?? files.error} onRetry={files.reload} />}
      onAdd={add}
      onRemove={remove}
    >
      Each change is saved at once, as a new version of the template.
    </FileList>
  );
}

/** The version that the next change is made to. */
function current(template: TemplateRecord): TemplateRecord {
  return opened.peek()?.record ?? template;
}

/** Goes on from the new version, which has another file. */
async function take(changed: TemplateRecord): Promise<void> {
  const now = opened.peek();
  if (!now) return;
  const version = now.version === now.record.version ? changed.version : now.version;
  const style = await readStyle(changed.template_id);
  if (draft.peek().style === now.style) change({ style });
  opened.value = { ...now, record: { ...now.record, ...changed }, version, style };
  if (!isCharged.peek()) void renderNow();
}

/** Of the current version. */
async function listFiles(id: string): Promise<AssetRecord[]> {
  return (await read<List<AssetRecord>>(`/v1/templates/${encodeURIComponent(id)}/assets`)).data;
}

/** The style sheet of the current version; empty if it has none. */
export async function readStyle(id: string): Promise<string> {
  const files = await listFiles(id);
  return files.some(({ path }) => path === STYLE) ? lines(await (await call(assetPath(id, STYLE))).text()) : '';
}

/** The files of the current version as those of a draft. */
export async function toDraftFiles(id: string): Promise<Draft['files']> {
  const files: Array<[string, Draft['files'][string]]> = [];
  for (const { path } of await listFiles(id))
    if (path !== STYLE) files.push([path, await toDraftFile(await (await call(assetPath(id, path))).blob(), path)]);
  return Object.fromEntries(files);
}

/** What a preview needs beside the stored files: the style sheet that is not saved. */
export function unsavedStyle(assets: Assets | undefined): { assets?: Assets } {
  const stored = opened.peek()?.style ?? '';
  if (draft.peek().style === stored) return {};
  return { assets: assets ?? { [STYLE]: { content: '' } } };
}
