/** The outline of a PDF, and the files in it. */
import type { ReadonlySignal } from '@preact/signals';
import { saveFile } from '../save-file.ts';
import { viewer } from './open-viewer.ts';
import type { Attachment, OutlineEntry } from './pdf-contents.ts';

export function ContentsPanel({ shown }: { shown: ReadonlySignal<boolean> }) {
  const { outline = [], attachments = [] } = viewer.value?.contents.value ?? {};
  return (
    <nav class="pdf-contents" aria-label="Contents" hidden={!shown.value}>
      {outline.length > 0 && <h2>Outline</h2>}
      <Entries entries={outline} />
      {attachments.length > 0 && <h2>Attachments</h2>}
      <ul>
        {attachments.map((attachment) => (
          <li key={attachment.filename}>
            <button type="button" onClick={() => void save(attachment)}>
              {attachment.filename}
            </button>
          </li>
        ))}
      </ul>
      {outline.length + attachments.length === 0 && <p class="hint">The PDF has no outline and no attachments.</p>}
    </nav>
  );
}

function Entries({ entries }: { entries: readonly OutlineEntry[] }) {
  if (!entries.length) return null;
  return (
    <ul>
      {entries.map(({ title, target, entries: below }, index) => (
        <li key={`${index} ${title}`}>
          <button type="button" disabled={!target} onClick={() => target && void viewer.value?.follow(target)}>
            {title}
          </button>
          <Entries entries={below} />
        </li>
      ))}
    </ul>
  );
}

async function save({ filename, read }: Attachment): Promise<void> {
  saveFile(new Blob([await read()]), filename);
}
