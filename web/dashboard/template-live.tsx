/** The preview of a template: it follows the text and the data while the visitor types, without a charge where the service allows that. */
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ProblemError } from '../shared/api.ts';
import { Button } from '../shared/button.tsx';
import { LiveSwitch } from '../shared/live-switch.tsx';
import { PdfView } from '../shared/pdf-view/pdf-view.tsx';
import { live, RenderLoop, type RenderState } from '../shared/render-loop.ts';
import type { RenderedPdf } from '../shared/rendered-pdf.ts';
import { ErrorMessage } from './components.tsx';
import { countText } from './format.ts';
import { useLoaded } from './loaded.ts';
import type { AssetRecord, TemplateRecord } from './records.ts';
import { WarningList } from './report.tsx';
import type { Draft } from './template-draft.ts';
import { isFree, readData, readPlayground, renderDraft, renderSaved } from './template-preview.ts';

interface PreviewInputs {
  saved: TemplateRecord | null;
  draft: ReadonlySignal<Draft>;
  /** Whether the draft differs from what is saved. */
  changed: boolean;
  data: ReadonlySignal<string>;
  /** Undefined until they are known. */
  files: AssetRecord[] | undefined;
  onSave(): Promise<TemplateRecord>;
}

/** All that a preview depends on. */
interface Shown extends Pick<Draft, 'html' | 'engine'> {
  data: string;
  templateId: string | undefined;
  /** The paths and the sizes of its files. */
  files: string;
}

interface Rendered extends RenderedPdf {
  draft: Shown;
}

const FREE = 'Nothing is saved, stored or counted.';
const CHARGED =
  'The playground is off, or the template is too large for it. The template is saved first, and the preview counts as one document.';

export function LivePreview({ loop, isFree: free, isEmpty }: TemplatePreview) {
  const state = loop.state.value;
  const result = loop.rendered.value;
  const isRendering = loop.seconds.value !== undefined;
  return (
    <div class="shown">
      <div class="preview-head">
        <Button
          label={isRendering ? 'Rendering…' : free === false ? 'Save and preview' : 'Preview'}
          look="primary"
          disabled={isEmpty || free === undefined || (isRendering && !free)}
          onClick={() => void loop.renderNow()}
        />
        {free && <LiveSwitch />}
        <p class="hint">{free === false ? CHARGED : FREE}</p>
      </div>
      <Progress loop={loop} />
      <p class="hint" role="status">
        {result && countText(result.pages, 'page')}
      </p>
      {result && <WarningList report={result.report} />}
      <div class="pdf-place">
        <PdfView
          pdf={result?.pdf}
          busy={isRendering}
          outdated={loop.isOutdated.value ? describeNext(state, isRendering || (free === true && live.value)) : undefined}
          thumbnails={false}
        >
          <p class="nothing">The preview appears here. Ctrl+Enter in an editor also renders it.</p>
        </PdfView>
      </div>
    </div>
  );
}

/** How long a slow render takes, and why there is no new preview. */
function Progress({ loop }: Pick<TemplatePreview, 'loop'>) {
  const state = loop.state.value;
  return (
    <>
      {Boolean(loop.seconds.value) && (
        <p class="slow">
          Rendering for {loop.seconds.value} s <Button label="Cancel" look="small" onClick={() => loop.cancel()} />
        </p>
      )}
      {state.kind === 'waiting' && (
        <p class="note warn" role="alert">
          {state.problem.title}. Trying again in {countText(state.seconds, 'second')}.
        </p>
      )}
      {state.kind === 'problem' && <ErrorMessage error={new ProblemError(state.problem)} />}
      {state.kind === 'unsent' && <ErrorMessage error={new Error(state.message)} />}
    </>
  );
}

export interface TemplatePreview {
  loop: RenderLoop<Shown, Rendered>;
  /** Whether the text is rendered without a charge, and without being saved. Undefined until that is known. */
  isFree: boolean | undefined;
  isEmpty: boolean;
}

export function useTemplatePreview({ saved, draft, changed, data, files, onSave }: PreviewInputs): TemplatePreview {
  const free = isFree(useLoaded(readPlayground, []).value, draft.value);
  const now = useSignal({ saved, changed, files, onSave });
  const isFreeNow = useSignal(free);
  isFreeNow.value = free;
  now.value = { saved, changed, files, onSave };
  const shown = useComputed<Shown>(() => ({
    html: draft.value.html,
    engine: draft.value.engine,
    data: data.value,
    templateId: now.value.saved?.template_id,
    files: (now.value.files ?? []).map(({ path, bytes }) => `${path} ${bytes}`).join(),
  }));
  const loop = useMemo(() => {
    const render = async (wanted: Shown, signal: AbortSignal): Promise<Rendered> => {
      const values = readData(wanted.data);
      const { saved: stored, changed: isChanged, onSave: save } = now.peek();
      if (isFreeNow.peek()) return { ...(await renderDraft(wanted, values, wanted.templateId, signal)), draft: wanted };
      const { template_id: templateId } = stored && !isChanged ? stored : await save();
      return { ...(await renderSaved(templateId, values)), draft: { ...wanted, templateId } };
    };
    return new RenderLoop<Shown, Rendered>({ draft: shown, isSame, render });
  }, []);
  useSignalEffect(() => {
    const isNew = !loop.rendered.peek() || loop.isOutdated.peek();
    if (shown.value.html && isFreeNow.value && isNew) loop.changed();
  });
  useEffect(() => () => loop.stop(), []);
  return { loop, isFree: free, isEmpty: draft.value.html === '' };
}

function isSame(one: Shown, other: Shown): boolean {
  const parts = ({ html, engine, data, files }: Shown) => JSON.stringify([html, engine, data, files]);
  return parts(one) === parts(other); // a text that was only saved needs no new preview
}

/** Says when an outdated preview will be replaced. */
function describeNext({ kind }: RenderState, isComing: boolean): string {
  if (kind === 'problem' || kind === 'unsent' || kind === 'waiting') return 'Outdated. The reason is shown above.';
  return isComing && kind !== 'cancelled' ? 'Outdated. The new preview is being rendered.' : 'Outdated. Press Preview.';
}
