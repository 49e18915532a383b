/** Shows the keyboard shortcuts and the limits of the playground. */
import { useEffect } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { sizeText } from '../shared/size-text.ts';
import { limits, readLimits } from './playground-limits.ts';
import { SHORTCUTS } from './shortcuts.ts';

export function HelpDialog({ onClose }: { onClose(): void }) {
  useEffect(readLimits, []);
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
          Limits of the playground: {sizeText(limits.value.html_bytes)} of HTML, {sizeText(limits.value.assets_bytes)} of files,{' '}
          {limits.value.timeout_ms / 1000} seconds for a render, and {limits.value.seconds_per_minute} seconds of rendering a
          minute for one IP address. The limits for API keys are higher.
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
