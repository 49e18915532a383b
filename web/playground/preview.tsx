/** Shows the PDF of the last render. */
import { Button } from '../shared/button.tsx';
import { PdfView } from '../shared/pdf-view/pdf-view.tsx';
import { draft, isObject } from './draft.ts';
import { loadRest } from './later-parts.ts';
import { whyNotRendered } from './opened.ts';
import { firstPicture } from './render-call.ts';
import { isLive, isOutdated, rendered, renderNow, renderSeconds, renderState } from './render-loop.ts';
import { showInSource } from './source-places.ts';

const BROAD_PX = 1_200;

export function Preview() {
  const result = rendered.value;
  return (
    <PdfView
      pdf={result?.pdf}
      picture={firstPicture.value}
      password={readPassword(result?.body.options?.password)}
      busy={renderSeconds.value !== undefined}
      outdated={isOutdated.value ? describeNext() : undefined}
      thumbnails={innerWidth >= BROAD_PX}
      onWord={(words, index) => void showInSource(words, index)}
      onSeen={loadRest}
    >
      <NothingYet />
    </PdfView>
  );
}

/** Says when an outdated PDF will be replaced. */
function describeNext(): string {
  const { kind } = renderState.value;
  const why = whyNotRendered(draft.value);
  if (why) return `Outdated. ${why}`;
  if (kind === 'cancelled' || !(isLive.value || renderSeconds.value !== undefined))
    return 'Outdated. Press Render for the new PDF.';
  if (kind === 'problem' || kind === 'unsent' || kind === 'waiting') return 'Outdated. The reason is shown below.';
  return 'Outdated. The new PDF is being rendered.';
}

function NothingYet() {
  const { kind } = renderState.value;
  if (renderSeconds.value !== undefined) return <p class="nothing">Rendering…</p>;
  if (isLive.value && kind !== 'idle' && kind !== 'cancelled')
    return <p class="nothing">There is no PDF yet. The reason is shown below.</p>;
  return (
    <p class="nothing">
      <Button label="Render" onClick={() => void renderNow()} />
    </p>
  );
}

/** Returns the password from the options, so that the visitor need not type it again. */
function readPassword(option: unknown): string | undefined {
  const password = isObject(option) ? (option.user ?? option.owner) : option;
  return typeof password === 'string' ? password : undefined;
}
