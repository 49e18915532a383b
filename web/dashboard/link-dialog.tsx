/** Creates a link to a document that works without a key, for a time that the visitor chooses. */
import { useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { copyText } from '../shared/clipboard.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useAction } from './action.ts';
import { ErrorMessage, Span } from './components.tsx';
import type { Link } from './records.ts';
import { send } from './session.ts';

/** The service shortens it to the lifetime of the document. */
const AS_LONG_AS_THE_DOCUMENT = 3_153_600_000;
const CHOICES: Array<[seconds: number, text: string]> = [
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
  [2_592_000, '30 days'],
  [AS_LONG_AS_THE_DOCUMENT, 'As long as the document'],
];

export function LinkDialog({ path, expiresAt, onClose }: { path: string; expiresAt: string; onClose(): void }) {
  const left = (Date.parse(expiresAt) - Date.now()) / 1000;
  const choices = CHOICES.filter(([seconds]) => seconds < left || seconds === AS_LONG_AS_THE_DOCUMENT);
  const [seconds, setSeconds] = useState(choices[0]?.[0] ?? AS_LONG_AS_THE_DOCUMENT);
  const [link, setLink] = useState<Link>();
  const making = useAction();
  const make = async () => setLink((await (await send('POST', `${path}/links`, { expires_in: seconds })).json()) as Link);
  return (
    <Dialog title="Signed link" onClose={onClose}>
      <p>Anyone who has the link can download the document without a key until the link expires or the document is deleted.</p>
      <div class="field">
        <label for="link-time">Works for</label>
        <select
          id="link-time"
          value={seconds}
          onChange={(event) => {
            setSeconds(Number(event.currentTarget.value));
            setLink(undefined);
          }}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <ErrorMessage error={making.error} />
      {link && <MadeLink link={link} />}
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        {!link && <Button label="Create link" look="primary" disabled={making.running} onClick={() => making.run(make)} />}
      </div>
    </Dialog>
  );
}

function MadeLink({ link }: { link: Link }) {
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const copy = async () => {
    const copied = await copyText(link.url);
    field.current?.select();
    setSaid(copied ? 'Copied.' : 'The browser does not allow copying. The link is selected: press Ctrl+C or Cmd+C.');
  };
  return (
    <div class="field">
      <label for="link-url">Link</label>
      <div class="joined">
        <input id="link-url" class="mono" readOnly value={link.url} ref={field} onFocus={() => field.current?.select()} />
        <Button label="Copy" look="primary" onClick={copy} />
      </div>
      <p class="hint">
        Ends <Span to={link.expires_at} />. <span role="status">{said}</span>
      </p>
    </div>
  );
}
