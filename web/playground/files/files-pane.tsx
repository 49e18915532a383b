/** The files beside the document: images, fonts and style sheets that it uses. Those of a stored template change when it is saved. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type DraftFiles, STYLE } from '../../shared/kept-drafts.ts';
import { sizeText } from '../../shared/size-text.ts';
import { showToast } from '../../shared/toast.tsx';
import { change, type DraftFile, draft, generation, hasFiles, lines } from '../draft.ts';
import { isSaving, opened } from '../opened.ts';
import { limits, readLimits } from '../playground-limits.ts';
import { countBytes, listFiles, toDraftFile } from './assets.ts';
import { FileList } from './file-list.tsx';
import { NoFiles } from './style-pane.tsx';

export function FilesPane() {
  const busy = useSignal(false);
  const error = useSignal('');
  useEffect(readLimits, []);
  if (!hasFiles(draft.value)) return <NoFiles />;
  const run = async (chosen: File[], path?: string) => {
    busy.value = true;
    error.value = '';
    await add(chosen, path).catch((reason: Error) => {
      error.value = reason.message;
    });
    busy.value = false;
  };
  const template = opened.value;
  const most = limits.value?.assets_bytes;
  return (
    <FileList
      files={listFiles(template?.files ?? [], draft.value.files)}
      busy={busy.value || isSaving.value}
      error={error.value && <p class="note bad">{error.value}</p>}
      onAdd={run}
      onRemove={remove}
    >
      {template ? 'Changes are saved together with the text.' : 'Files stay in this browser and are sent with each render.'}
      {!template && most !== undefined && ` Without a key, they have at most ${sizeText(most)} together.`}
    </FileList>
  );
}

/** Adds files under their names, or one under `path`. Throws if they are too large together, or one cannot be read or kept. */
async function add(chosen: File[], path?: string): Promise<void> {
  const named = new Map(chosen.map((file) => [path ?? file.name, file]));
  const style = named.get(STYLE);
  named.delete(STYLE);
  if (!opened.peek()) requireRoom(named);
  const shown = generation.peek();
  const added: DraftFiles = {};
  for (const [name, file] of named) added[name] = await toDraftFile(file, name);
  const text = await style?.text();
  if (generation.peek() !== shown) throw new Error('Another draft is in the editor now. Add the files again.');
  const before = draft.peek();
  change({ files: { ...before.files, ...added }, ...(text !== undefined && { style: lines(text) }) });
  const replaced = listFiles(opened.peek()?.files ?? [], before.files).filter(({ path }) => Object.hasOwn(added, path));
  const putBack = () => {
    for (const { path } of replaced) set(path, before.files[path]);
  };
  if (replaced.length) showToast(`${replaced.map(({ path }) => path).join(', ')}: replaced.`, { label: 'Undo', run: putBack });
  if (style) showToast(`${STYLE} is under Style.`, { label: 'Undo', run: () => change({ style: before.style }) });
}

function requireRoom(added: ReadonlyMap<string, File>): void {
  const most = limits.peek()?.assets_bytes;
  const { style, files } = draft.peek();
  const kept = Object.entries(files).filter(([name]) => !added.has(name));
  const bytes = [...added.values()].reduce((sum, { size }) => sum + size, countBytes({ style, files: Object.fromEntries(kept) }));
  if (most !== undefined && bytes > most)
    throw new Error(
      `All files would have ${sizeText(bytes)} together; at most ${sizeText(most)} are rendered without a key. A request with a key may have larger ones.`,
    );
}

function remove(path: string): void {
  const before = draft.peek().files[path];
  const isStored = opened.peek()?.files.some((file) => file.path === path);
  set(path, isStored ? null : undefined);
  showToast(`${path} was removed.`, { label: 'Undo', run: () => set(path, before) });
}

/** `undefined` leaves the file as it is stored, which may be none. */
function set(path: string, file: DraftFile | null | undefined): void {
  const { [path]: _, ...others } = draft.peek().files;
  change({ files: file === undefined ? others : { ...others, [path]: file } });
}
