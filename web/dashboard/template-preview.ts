/** Renders a template with sample data, either in the playground for free, or as a document that counts. */
import { request } from '../shared/api.ts';
import { send } from './session.ts';
import type { Draft } from './template-draft.ts';

export interface Preview {
  bytes: Uint8Array<ArrayBuffer>;
  pages: number;
  warnings: number;
}

interface Playground {
  enabled: boolean;
  limits: { html_bytes: number };
}

type Data = Record<string, unknown>;

export async function readPlayground(signal: AbortSignal): Promise<Playground> {
  return (await (await request('/v1/playground', { signal })).json()) as Playground;
}

export function canPlay(playground: Playground | undefined, { html }: Draft): boolean {
  if (!playground?.enabled) return false;
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
export async function renderDraft({ html, engine }: Draft, data: Data): Promise<Preview> {
  const headers = { 'content-type': 'application/json', accept: 'application/pdf' };
  const body = JSON.stringify({ template: html, engine, data });
  return previewOf(await request('/v1/playground/pdf', { method: 'POST', headers, body }));
}

/** Renders the saved template, which is charged as every render with a key. */
export async function renderSaved(templateId: string, data: Data): Promise<Preview> {
  const headers = { accept: 'application/pdf' };
  return previewOf(await send('POST', '/v1/pdf', { template_id: templateId, data, store: false }, { headers }));
}

async function previewOf(response: Response): Promise<Preview> {
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    pages: Number(response.headers.get('platen-pages')),
    warnings: Number(response.headers.get('platen-warnings')),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The sample data is not JSON: ${(error as Error).message}`);
  }
}
