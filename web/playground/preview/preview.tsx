/** The PDF as it came from the service, with what is needed to look around in it. The viewer is fetched with the first PDF. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isObject } from '../draft.ts';
import type { Rendered } from '../render-call.ts';
import { live, rendered, renderNow, renderState } from '../render-loop.ts';
import { viewer } from './open-viewer.ts';
import { PreviewTools } from './preview-tools.tsx';
import type { Viewer } from './viewer.ts';

const BROAD_PX = 1_200;

export function Preview() {
  const scroller = useRef<HTMLElement>(null);
  const thumbnails = useRef<HTMLElement>(null);
  const beside = useSignal(innerWidth >= BROAD_PX);
  const fault = useSignal('');
  const result = rendered.value;
  useEffect(() => {
    if (!result || !scroller.current || !thumbnails.current) return;
    fault.value = '';
    showIn(scroller.current, thumbnails.current, result).catch((error: Error) => {
      fault.value = `The PDF cannot be shown here (${error.message}). It can be downloaded.`;
    });
  }, [result]);
  useEffect(
    () => () => {
      void viewer.value?.destroy();
      viewer.value = undefined;
    },
    [],
  );
  return (
    <section class="preview" aria-label="Preview" aria-busy={renderState.value.kind === 'rendering'}>
      <PreviewTools beside={beside} />
      <div class="preview-body">
        <nav ref={thumbnails} class="thumbnails" aria-label="Pages" hidden={!beside.value || !result} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <section ref={scroller} class="scroller" tabIndex={0} aria-label="Pages of the PDF">
          {!result && <NothingYet />}
        </section>
      </div>
      {fault.value && (
        <p class="fault preview-fault" role="alert">
          {fault.value}
        </p>
      )}
    </section>
  );
}

function NothingYet() {
  const { kind } = renderState.value;
  if (kind === 'rendering') return <p class="nothing">Rendering…</p>;
  if (live.value && kind !== 'idle') return <p class="nothing">There is no PDF yet. What is in the way is said below.</p>;
  return (
    <p class="nothing">
      <button type="button" class="button" onClick={() => void renderNow()}>
        Render
      </button>
    </p>
  );
}

async function showIn(scroller: HTMLElement, thumbnails: HTMLElement, { pdf, body }: Rendered): Promise<void> {
  const { Viewer } = await import('./viewer.ts');
  viewer.value ??= new Viewer(scroller, thumbnails) as Viewer;
  await viewer.value.show(pdf, passwordOf(body.options?.password));
}

/** Whoever set a password on this page need not type it again. */
function passwordOf(option: unknown): string | undefined {
  const password = isObject(option) ? (option.user ?? option.owner) : option;
  return typeof password === 'string' ? password : undefined;
}
