/** Creates a link that contains the whole draft. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { copyText } from '../shared/clipboard.ts';
import { Dialog } from '../shared/dialog.tsx';
import { draft, hasFiles } from './draft.ts';
import { listFiles } from './files/assets.ts';
import { opened } from './opened.ts';
import { linkTo, MAX_LINK } from './share-link.ts';

/** Options with secrets, which anyone who has the link could read. */
const SECRETS = ['password', 'authenticate', 'cookies', 'extraHTTPHeaders'];

export function LinkDialog({ onClose }: { onClose(): void }) {
  const link = useSignal<string | undefined>('');
  const said = useSignal('');
  useEffect(() => {
    void linkTo(draft.value).then((made) => {
      link.value = made;
    });
  }, []);
  const copy = async () => {
    said.value = (await copyText(link.value ?? ''))
      ? 'Copied.'
      : 'The browser does not allow copying. Select the link and copy it.';
  };
  const files = hasFiles(draft.value) ? listFiles(opened.value?.files ?? [], draft.value.files) : [];
  const secrets = SECRETS.filter((name) => draft.value.options[name] !== undefined);
  return (
    <Dialog title="Link to this document" onClose={onClose}>
      {link.value === undefined ? (
        <p class="note warn">
          This is too large for a link of {MAX_LINK.toLocaleString('en')} characters. Make images or attachments smaller, or send
          the document as a file.
        </p>
      ) : (
        <>
          <p>
            Document, style, data and options are in the link itself, after the <code>#</code>. Browsers do not send that part to
            any server.
          </p>
          {files.length > 0 && (
            <p class="note warn">
              The files are not in the link. Who opens it has to add them: {files.map(({ path }) => path).join(', ')}.
            </p>
          )}
          {secrets.length > 0 && <p class="note warn">Anyone who has the link can read {secrets.join(', ')} in it.</p>}
          <div class="field">
            <label for="link">Link</label>
            <input id="link" type="text" readOnly value={link.value} onFocus={({ currentTarget }) => currentTarget.select()} />
          </div>
        </>
      )}
      <p role="status" class="hint">
        {said.value}
      </p>
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        <Button label="Copy link" look="primary" disabled={!link.value} onClick={() => void copy()} />
      </div>
    </Dialog>
  );
}
