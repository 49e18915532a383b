/** Renders a template with sample data, either in the playground for free, or as a document that counts. */
import { request } from '../shared/api.ts';
import { type RenderedPdf, readRenderedPdf } from '../shared/rendered-pdf.ts';
import { hasStatus } from './format.ts';
import type { Account, AssetRecord, Playground } from './records.ts';
import { read, send } from './session.ts';
import type { Draft } from './template-draft.ts';

type Data = Record<string, unknown>;

/** What decides whether the playground prints a template as a render with the key does. */
export interface PreviewRules {
  playground: Playground;
  /** Whether the account has options or files for all its renders. */
  hasDefaults: boolean;
}

export async function readPreviewRules(signal: AbortSignal): Promise<PreviewRules> {
  const [playground, hasDefaults] = await Promise.all([request('/v1/playground', { signal }), readHasDefaults(signal)]);
  return { playground: (await playground.json()) as Playground, hasDefaults };
}

/** A key that may not read its account sees the preview without them. */
async function readHasDefaults(signal: AbortSignal): Promise<boolean> {
  try {
    const { options, assets } = await read<Account>('/v1/account', { signal });
    return assets.length > 0 || Object.keys(options ?? {}).length > 0;
  } catch (error) {
    if (hasStatus(error, 403)) return false;
    throw error;
  }
}

/** The playground has no files, and knows no account. */
export function canPreview(rules: PreviewRules | undefined, { html }: Draft, files: AssetRecord[]): boolean {
  if (!rules?.playground.enabled || rules.hasDefaults || files.length > 0) return false;
  return new TextEncoder().encode(html).length <= rules.playground.limits.html_bytes;
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
