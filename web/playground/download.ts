/** Saves the PDF of the draft with its original bytes. If the shown PDF is outdated, it waits for the new one. */
import { effect, signal } from '@preact/signals';
import { saveFile } from '../shared/save-file.ts';
import { isOutdated, loop, type RenderState, rendered, renderSeconds, renderState } from './render-loop.ts';

/** Whether a download waits for a render. */
export const downloadWaits = signal(false);

export function downloadPdf(): void {
  if (isOutdated.peek()) loop.renderIfUnsent();
  downloadWaits.value = true;
}

effect(() => {
  if (!downloadWaits.value) return;
  const result = rendered.value;
  if (result && !isOutdated.value) saveFile(new Blob([result.pdf], { type: 'application/pdf' }), 'document.pdf');
  else if (renderSeconds.value !== undefined || !isFinal(renderState.value)) return;
  downloadWaits.value = false;
});

/** Whether no PDF will follow, for a reason that is shown. */
function isFinal({ kind }: RenderState): boolean {
  return kind === 'problem' || kind === 'cancelled' || kind === 'unsent';
}
