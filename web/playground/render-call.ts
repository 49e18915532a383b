/** Sends a render request: a body in, a PDF with its report out. */
import { signal } from '@preact/signals';
import type { LocatedElement } from '../../clients/typescript/src/api.ts';
import { request } from '../shared/api.ts';
import { toJsonBody } from '../shared/json-body.ts';
import { type RenderedPdf, readRenderedPdf } from '../shared/rendered-pdf.ts';
import type { Draft } from './draft.ts';
import { refusal, templateParts } from './opened.ts';
import { type RenderBody, toRenderBody } from './render-body.ts';

export interface Rendered extends RenderedPdf {
  body: RenderBody;
  /** The draft that was rendered. */
  draft: Draft;
  /** The time from the request to the last byte, as measured here. */
  elapsedMs: number;
}

/** Of the option `layout`. */
const MAX_SELECTORS = 100;
const LOCATE_MS = 60_000;

/** The URL of a picture of the first page of the first render, which can be asked for before its PDF has arrived. */
export const firstPicture = signal<string | undefined>(undefined);

/** Throws `ProblemError`, `TypeError` if there is no connection, and `AbortError`. */
export async function renderPdf(draft: Draft, signal: AbortSignal): Promise<Rendered> {
  const body = await toRenderBody(draft);
  const begin = performance.now();
  const response = await send(body, draft, signal);
  const result = response.headers.get('platen-result');
  if (result) firstPicture.value ??= `/v1/playground/results/${encodeURIComponent(result)}/pages/1.png`;
  return { ...(await readRenderedPdf(response)), body, draft, elapsedMs: performance.now() - begin };
}

/** Returns where these elements are on the pages. Nothing is asked about a URL, because its render is charged. */
export async function locateElements({ body, draft }: Rendered, selectors: string[]): Promise<LocatedElement[]> {
  if ('url' in body || !selectors.length) return [];
  const order = { ...body, options: { ...body.options, layout: selectors.slice(0, MAX_SELECTORS) } };
  const { report } = await readRenderedPdf(await send(order, draft, AbortSignal.timeout(LOCATE_MS)));
  return report.layout ?? [];
}

function send(body: RenderBody, draft: Draft, signal: AbortSignal): Promise<Response> {
  const sendTo = 'url' in body ? sendUrl : (templateParts.peek()?.send ?? sendToPlayground);
  return sendTo(body, draft, signal);
}

/** A URL is rendered with the key of the visitor: guests would let the service fetch any page, at nobody's expense. */
async function sendUrl(body: RenderBody, _draft: Draft, signal: AbortSignal): Promise<Response> {
  const { mayResume, resume, send, session } = await import('../dashboard/session.ts');
  if (mayResume() && !session.peek()) await resume();
  if (!session.peek()) throw new Error('A URL is rendered for a key. Sign in on the dashboard, or copy the code.');
  return send('POST', '/v1/pdf', { ...body, store: false }, { headers: { accept: 'application/json' }, signal });
}

async function sendToPlayground(body: RenderBody, _draft: Draft, signal: AbortSignal): Promise<Response> {
  if (refusal.peek()) throw new Error(refusal.peek());
  return request('/v1/playground/pdf', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: toJsonBody(body),
    signal,
  });
}
