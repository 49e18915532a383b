/** Shows the render as code. */
import { Button } from '../shared/button.tsx';
import { CodePanel } from '../shared/code-snippets/code-panel.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { draft } from './draft.ts';
import { toRenderBody } from './render-body.ts';

export function CopyDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Copy as code" onClose={onClose}>
      <CodePanel body={() => toRenderBody(draft.value)} beside={<Button label="Close" onClick={onClose} />}>
        the PDF you see here
      </CodePanel>
    </Dialog>
  );
}
