/** Shows the keyboard shortcuts and the limits of the playground. */

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Playground, PlaygroundLimits } from '../../clients/typescript/src/api.ts';
import { request } from '../shared/api.ts';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { sizeText } from '../shared/size-text.ts';
import { SHORTCUTS } from './shortcuts.ts';

const limits = signal<PlaygroundLimits | undefined>(undefined);

export function HelpDialog({ onClose }: { onClose(): void }) {
  useEffect(() => {
    request('/v1/playground')
      .then((response) => response.json())
      .then((told: Playground) => {
        limits.value = told.limits;
      })
      .catch(() => {}); // the shortcuts are shown without the limits
  }, []);
  return (
    <Dialog title="Help" onClose={onClose}>
      <table class="keys">
        <caption class="visually-hidden">Keys</caption>
        <tbody>
          {SHORTCUTS.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">On a Mac, Ctrl is the Command key.</p>
      <p>
        The preview is the PDF that <code>POST /v1/pdf</code> returns. Renders in the playground are not stored or charged.
      </p>
      {limits.value && (
        <p>
          Limits of the playground: {sizeText(limits.value.html_bytes)} of HTML, {limits.value.timeout_ms / 1000} seconds for a
          render, and {limits.value.seconds_per_minute} seconds of rendering a minute for one IP address. The limits for API keys
          are higher.
        </p>
      )}
      <div class="actions end">
        <a class="button" href="/docs">
          Documentation
        </a>
        <Button label="Close" look="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}
