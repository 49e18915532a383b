/** Renders the draft in the editor. */
import { computed } from '@preact/signals';
import { live, RenderLoop } from '../shared/render-loop.ts';
import { type Draft, draft, isSameDraft } from './draft.ts';
import { isCharged } from './opened.ts';
import { type Rendered, renderPdf } from './render-call.ts';

export type { RenderState } from '../shared/render-loop.ts';

export const loop = new RenderLoop<Draft, Rendered>({ draft, isSame: isSameDraft, render: renderPdf });
export const { state: renderState, seconds: renderSeconds, rendered, isOutdated } = loop;
export const renderNow = () => loop.renderNow();

/** Whether drafts are rendered while the visitor types, which nobody is charged for. */
export const isLive = computed(() => live.value && !isCharged.value);
