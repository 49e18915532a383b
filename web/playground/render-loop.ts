/** Renders the draft of the playground. */
import { RenderLoop } from '../shared/render-loop.ts';
import { type Draft, draft, isSameDraft } from './draft.ts';
import { type Rendered, renderPdf } from './render-call.ts';

export { live, type RenderState } from '../shared/render-loop.ts';

export const loop = new RenderLoop<Draft, Rendered>({ draft, isSame: isSameDraft, render: renderPdf });
export const { state: renderState, seconds: renderSeconds, rendered, isOutdated } = loop;
export const renderNow = () => loop.renderNow();
