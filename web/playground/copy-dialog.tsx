/** Shows the render as code: with the text, or with the id of the template that is in the editor. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { CodePanel } from '../shared/code-snippets/code-panel.tsx';
import type { SnippetBody } from '../shared/code-snippets/snippets.ts';
import { Dialog } from '../shared/dialog.tsx';
import { draft } from './draft.ts';
import { opened } from './opened.ts';
import { type RenderBody, toRenderBody } from './render-body.ts';

export function CopyDialog({ onClose }: { onClose(): void }) {
  const template = opened.value?.record;
  const [pin, setPin] = useState<Pin>(template?.published_version ? 'published' : 'latest');
  const [sent, setSent] = useState<RenderBody | Error>();
  useEffect(() => void toRenderBody(draft.value).then(setSent, setSent), []);
  if (!sent) return null;
  const body = (): SnippetBody => {
    if (sent instanceof Error) throw sent;
    if (!template || !('template' in sent)) return sent;
    const { data, options } = sent;
    return { template_id: template.template_id + suffix(pin, template.version), data, ...(options && { options }) };
  };
  return (
    <Dialog title="Copy as code" onClose={onClose}>
      {template && <PinField {...template} pin={pin} onPin={setPin} />}
      <CodePanel body={body} beside={<Button label="Close" onClick={onClose} />}>
        {template ? 'with the data in the editor' : 'the PDF you see here'}
      </CodePanel>
    </Dialog>
  );
}

type Pin = 'latest' | 'published' | 'this';

function suffix(pin: Pin, version: number): string {
  return { latest: '', published: '@published', this: `@${version}` }[pin];
}

interface PinFieldProps {
  version: number;
  published_version: number | null;
  pin: Pin;
  onPin(pin: Pin): void;
}

function PinField({ version, published_version: published, pin, onPin }: PinFieldProps) {
  return (
    <div class="field">
      <label for="code-version">Version that the code renders</label>
      <select id="code-version" value={pin} onChange={({ currentTarget }) => onPin(currentTarget.value as Pin)}>
        <option value="latest">The latest, whichever that is</option>
        {published !== null && <option value="published">The published one, now version {published}</option>}
        <option value="this">Version {version}, always</option>
      </select>
    </div>
  );
}
