/** Saves the PDF of the draft with its original bytes. If the shown PDF is outdated, it waits for the new one. */
import { computed, effect, signal } from '@preact/signals';
import { saveFile } from '../shared/save-file.ts';
import { isCharged } from './opened.ts';
import { isOutdated, loop, type RenderState, rendered, renderSeconds, renderState } from './render-loop.ts';

/** Whether a download waits for a render. */
export const downloadWaits = signal(false);

/** An outdated PDF is not replaced by itself if that is charged. */
export const canDownload = computed(() => rendered.value !== undefined && !(isCharged.value && isOutdated.value));

export function downloadPdf(): void {
  if (!canDownload.peek()) return;
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
