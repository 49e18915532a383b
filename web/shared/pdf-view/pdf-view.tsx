/** Shows a PDF with its tools. The viewer is loaded with the first PDF. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import './pdf-view.css';
import { viewer } from './open-viewer.ts';
import { PreviewTools } from './preview-tools.tsx';
import type { Viewer } from './viewer.ts';

export interface PdfViewProps {
  pdf: Uint8Array | undefined;
  password?: string | undefined;
  /** Whether the next PDF is being rendered. */
  busy?: boolean;
  /** What is said over the PDF if it is outdated. It is then dimmed. */
  outdated?: string | undefined;
  /** Whether thumbnails are shown at first. */
  thumbnails: boolean;
  /** The content that is shown until there is a PDF. */
  children?: ComponentChildren;
}

export function PdfView({ pdf, password, busy = false, outdated, thumbnails, children }: PdfViewProps) {
  const scroller = useRef<HTMLElement>(null);
  const side = useRef<HTMLElement>(null);
  const beside = useSignal(thumbnails);
  const error = useSignal('');
  useEffect(() => {
    if (!pdf || !scroller.current || !side.current) return;
    error.value = '';
    showIn(scroller.current, side.current, pdf, password).catch(({ message }: Error) => {
      error.value = `The PDF cannot be displayed (${message}). You can download it.`;
    });
  }, [pdf]);
  useEffect(
    () => () => {
      void viewer.value?.destroy();
      viewer.value = undefined;
    },
    [],
  );
  return (
    <section class="preview" aria-label="Preview" aria-busy={busy}>
      <PreviewTools beside={beside} />
      <div class={outdated && pdf ? 'preview-body outdated' : 'preview-body'}>
        {outdated && pdf && <p class="outdated-text">{outdated}</p>}
        <nav ref={side} class="thumbnails" aria-label="Pages" hidden={!beside.value || !pdf} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <section ref={scroller} class="scroller" tabIndex={0} aria-label="Pages of the PDF">
          {!pdf && children}
        </section>
      </div>
      {error.value && (
        <p class="error preview-error" role="alert">
          {error.value}
        </p>
      )}
    </section>
  );
}

async function showIn(scroller: HTMLElement, side: HTMLElement, pdf: Uint8Array, password: string | undefined): Promise<void> {
  const { Viewer } = await import('./viewer.ts');
  if (!scroller.isConnected) return; // the visitor has left in the meantime
  viewer.value ??= new Viewer(scroller, side) as Viewer;
  await viewer.value.show(pdf, password);
}
