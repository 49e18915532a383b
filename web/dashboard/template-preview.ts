/** Renders a template with sample data, either in the playground for free, or as a document that counts. */
import { request } from '../shared/api.ts';
import { type RenderedPdf, readRenderedPdf } from '../shared/rendered-pdf.ts';
import type { AssetRecord, Playground } from './records.ts';
import { send } from './session.ts';
import type { Draft } from './template-draft.ts';

type Data = Record<string, unknown>;

export async function readPlayground(signal: AbortSignal): Promise<Playground> {
  return (await (await request('/v1/playground', { signal })).json()) as Playground;
}

/** The playground has no files. */
export function canPreview(playground: Playground | undefined, { html }: Draft, files: AssetRecord[]): boolean {
  if (!playground?.enabled || files.length > 0) return false;
  return new TextEncoder().encode(html).length <= playground.limits.html_bytes;
}

/** Throws if the text is not a JSON object. */
export function readData(text: string): Data {
  const value = parse(text.trim() || '{}');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The sample data must be a JSON object, such as {"name": "Ada"}.');
  return value as Data;
}

/** Renders the text of the editor without the key. Nothing is saved, stored or charged. */
export async function renderDraft({ html, engine }: Draft, data: Data): Promise<RenderedPdf> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ template: html, engine, data });
  return readRenderedPdf(await request('/v1/playground/pdf', { method: 'POST', headers, body }));
}

/** Renders the saved template, which is charged as every render with a key. */
export async function renderSaved(templateId: string, data: Data): Promise<RenderedPdf> {
  const headers = { accept: 'application/json' };
  return readRenderedPdf(await send('POST', '/v1/pdf', { template_id: templateId, data, store: false }, { headers }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The sample data is not JSON: ${(error as Error).message}`);
  }
}
