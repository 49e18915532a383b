/** Saves the shown PDF with its original bytes. */
import { rendered } from './render-loop.ts';

export function downloadPdf(): void {
  const result = rendered.peek();
  if (!result) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([result.pdf], { type: 'application/pdf' }));
  link.download = 'document.pdf';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser reads it after the click
}
