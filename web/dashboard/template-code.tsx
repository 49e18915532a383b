/** Shows the code that renders a template by its id. */
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { CodePanel } from '../shared/code-snippets/code-panel.tsx';
import type { TemplateRecord } from './records.ts';
import { readData } from './template-preview.ts';

interface TemplateCodeProps {
  template: TemplateRecord;
  data: ReadonlySignal<string>;
}

type Pin = 'latest' | 'published' | 'this';

export function TemplateCode({ template, data }: TemplateCodeProps) {
  const { template_id: id, version, published_version: published } = template;
  const [pin, setPin] = useState<Pin>(published === null ? 'latest' : 'published');
  const names: Record<Pin, string> = { latest: id, published: `${id}@published`, this: `${id}@${version}` };
  return (
    <div class="stack">
      <div class="field">
        <label for="code-version">Version that the code renders</label>
        <select id="code-version" value={pin} onChange={({ currentTarget }) => setPin(currentTarget.value as Pin)}>
          <option value="latest">The latest, whichever that is</option>
          {published !== null && <option value="published">The published one, now version {published}</option>}
          <option value="this">Version {version}, always</option>
        </select>
      </div>
      <CodePanel body={() => ({ template_id: names[pin], data: readData(data.value) })}>
        with the sample data in the editor
      </CodePanel>
    </div>
  );
}
