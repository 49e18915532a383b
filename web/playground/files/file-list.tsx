/** Lists files with their sizes, to add, replace and remove them. Files can also be dropped on it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FileButton } from '../../dashboard/file-button.tsx';
import { Button } from '../../shared/button.tsx';
import { sizeText } from '../../shared/size-text.ts';
import type { NamedFile } from './assets.ts';
import './files.css';

interface FileListProps {
  files: readonly NamedFile[];
  /** Whether files are being added or removed. */
  busy: boolean;
  /** What is wrong with what was tried last. */
  error: ComponentChildren;
  /** Adds files, or replaces one, whose name is `path`. */
  onAdd(files: File[], path?: string): void;
  onRemove(path: string): void;
  /** What holds for these files. */
  children: ComponentChildren;
}

export function FileList({ files, busy, error, onAdd, onRemove, children }: FileListProps) {
  const [isOver, setIsOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const dropped = [...(event.dataTransfer?.files ?? [])];
    if (dropped.length && !busy) onAdd(dropped);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is another way to do what the button does
    <div class={isOver ? 'file-list over' : 'file-list'} onDragOver={over} onDragLeave={() => setIsOver(false)} onDrop={drop}>
      <p class="hint">
        The document refers to a file by its name, such as <code>{'<img src="logo.png">'}</code>. {children}
      </p>
      {files.length > 0 && (
        <ul aria-label="Files">
          {files.map(({ path, bytes }) => (
            <li key={path}>
              <bdi>{path}</bdi>
              <span class="hint">{sizeText(bytes)}</span>
              <FileButton
                label="Replace"
                name={`Replace ${path}`}
                disabled={busy}
                onChosen={(chosen) => chosen.length && onAdd(chosen, path)}
              />
              <Button label="Remove" name={`Remove ${path}`} look="small" disabled={busy} onClick={() => onRemove(path)} />
            </li>
          ))}
        </ul>
      )}
      <div role="alert">{error}</div>
      <p class="file-add">
        <FileButton label="Add files" disabled={busy} multiple onChosen={onAdd} />
        <span class="hint">or drop them here</span>
      </p>
    </div>
  );
}
