/** Lists the files of a template, to add, replace and remove them. */

import { useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { sizeText } from '../shared/size-text.ts';
import { showToast } from '../shared/toast.tsx';
import { useAction } from './action.ts';
import { ErrorMessage, Loading, Name } from './components.tsx';
import { Confirm } from './confirm.tsx';
import { FileButton } from './file-button.tsx';
import type { Loaded } from './loaded.ts';
import type { AssetRecord, TemplateRecord } from './records.ts';
import { ACTIONS, type Column, Table } from './table.tsx';
import { changeFiles, readFiles } from './template-assets.ts';

interface TemplateFilesProps {
  template: TemplateRecord;
  files: Loaded<AssetRecord[]>;
  onChanged(record: TemplateRecord): void;
}

export function TemplateFiles({ template, files, onChanged }: TemplateFilesProps) {
  const [folder, setFolder] = useState('');
  const [removed, setRemoved] = useState<string | null>(null);
  const adding = useAction();
  const take = useRef(onChanged); // an Undo comes later, when the template has another version
  take.current = onChanged;
  const add = (chosen: File[], pathOf: (file: File) => string) =>
    adding.run(async () => {
      const added = new Map(chosen.map((file) => [pathOf(file), file]));
      const replaced = await readFiles(template, files.value?.filter(({ path }) => added.has(path)) ?? []);
      const record = await changeFiles(template, added);
      onChanged(record);
      const said = chosen.length === 1 ? '1 file was saved.' : `${chosen.length} files were saved.`;
      const undo = () => adding.run(async () => take.current(await changeFiles(record, replaced)));
      showToast(said, replaced.size ? { label: 'Undo', run: undo } : undefined);
    });
  const remove = async () => {
    onChanged(await changeFiles(template, new Map([[removed ?? '', null]])));
    showToast(`${removed} was removed.`);
    setRemoved(null);
  };
  return (
    <div class="stack">
      <p class="hint">
        The HTML refers to a file by its name, such as <code>logo.png</code> or <code>css/print.css</code>. Each change is a new
        version of the template.
      </p>
      <ErrorMessage error={files.error} onRetry={files.reload} />
      {!files.value && files.loading && <Loading what="the files" />}
      {files.value?.length === 0 && <p>The template has no files.</p>}
      {files.value && files.value.length > 0 && (
        <FileTable
          rows={files.value}
          busy={adding.running}
          onReplace={(path, file) => add([file], () => path)}
          onRemove={setRemoved}
        />
      )}
      <ErrorMessage error={adding.error} />
      <div class="filters">
        <div class="field">
          <label for="files-folder">Folder (optional)</label>
          <input
            id="files-folder"
            autocomplete="off"
            placeholder="css"
            value={folder}
            onInput={(event) => setFolder(event.currentTarget.value)}
          />
        </div>
        <FileButton
          label={adding.running ? 'Saving…' : 'Add files'}
          disabled={adding.running}
          multiple
          onChosen={(chosen) => add(chosen, ({ name }) => joinPath(folder, name))}
        />
      </div>
      {removed !== null && (
        <Confirm title="Remove this file?" verb="Remove" onConfirm={remove} onClose={() => setRemoved(null)}>
          <p>
            <Name>{removed}</Name> is removed from the template. Earlier versions keep it.
          </p>
        </Confirm>
      )}
    </div>
  );
}

interface FileTableProps {
  rows: AssetRecord[];
  busy: boolean;
  onReplace(path: string, file: File): void;
  onRemove(path: string): void;
}

function FileTable({ rows, busy, onReplace, onRemove }: FileTableProps) {
  const actions = ({ path }: AssetRecord) => (
    <div class="actions end">
      <FileButton label="Replace" name={`Replace ${path}`} disabled={busy} onChosen={([file]) => file && onReplace(path, file)} />
      <Button label="Remove" look="small" name={`Remove ${path}`} disabled={busy} onClick={() => onRemove(path)} />
    </div>
  );
  const columns: Array<Column<AssetRecord>> = [
    { title: 'Name', cell: ({ path }) => <Name>{path}</Name> },
    { title: 'Size', look: 'number', cell: ({ bytes }) => sizeText(bytes) },
    { title: ACTIONS, cell: actions },
  ];
  return <Table caption="Files of the template" columns={columns} rows={rows} keyOf={({ path }) => path} />;
}

function joinPath(folder: string, name: string): string {
  const names = folder.split('/').map((part) => part.trim());
  return [...names, name].filter(Boolean).join('/');
}
