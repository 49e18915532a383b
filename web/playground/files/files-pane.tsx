/** The files of the draft: images, fonts and style sheets that the document uses. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { STYLE } from '../../shared/kept-drafts.ts';
import { sizeText } from '../../shared/size-text.ts';
import { showToast } from '../../shared/toast.tsx';
import { change, type Draft, draft, hasFiles, lines } from '../draft.ts';
import { limits, readLimits } from '../playground-limits.ts';
import { countBytes, toDraftFile } from './assets.ts';
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
  const most = limits.value?.assets_bytes;
  const files = Object.entries(draft.value.files).map(([path, { bytes }]) => ({ path, bytes }));
  return (
    <FileList
      files={files}
      busy={busy.value}
      error={error.value && <p class="note bad">{error.value}</p>}
      onAdd={run}
      onRemove={remove}
    >
      Files stay in this browser and are sent with each render.
      {most !== undefined && ` Without a key, they have at most ${sizeText(most)} together.`}
    </FileList>
  );
}

/** Adds files under their names, or one under `path`. Throws if they are too large together, or one cannot be read or kept. */
async function add(chosen: File[], path?: string): Promise<void> {
  const named = new Map(chosen.map((file) => [path ?? file.name, file]));
  const style = named.get(STYLE);
  named.delete(STYLE);
  requireRoom(named);
  const added: Draft['files'] = {};
  for (const [name, file] of named) added[name] = await toDraftFile(file, name);
  const before = draft.peek();
  change({ files: { ...before.files, ...added }, ...(style && { style: lines(await style.text()) }) });
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
  const { [path]: removed, ...others } = draft.peek().files;
  change({ files: others });
  const undo = () => removed && change({ files: { ...draft.peek().files, [path]: removed } });
  showToast(`${path} was removed.`, { label: 'Undo', run: undo });
}
