/** Renders a template with sample data: what is in an editor without a charge, or what is saved as a document that counts. */
import { request } from '../shared/api.ts';
import { type RenderedPdf, readRenderedPdf } from '../shared/rendered-pdf.ts';
import type { Playground, TemplateRecord } from './records.ts';
import { send } from './session.ts';
import type { AssetChanges } from './template-assets.ts';

/** The text of a template. */
export type TemplateText = Pick<TemplateRecord, 'engine'> & {
  html: string;
  /** Changes of files that are not saved. */
  assets?: AssetChanges;
};

type Data = Record<string, unknown>;

const JSON_REPLY = { accept: 'application/json' };

export async function readPlayground(signal?: AbortSignal): Promise<Playground> {
  return (await (await request('/v1/playground', signal ? { signal } : {})).json()) as Playground;
}

/** Whether the service renders the text without a charge. Undefined until that is known. */
export function isFree(playground: Playground | undefined, { html }: Pick<TemplateText, 'html'>): boolean | undefined {
  return playground?.enabled && new TextEncoder().encode(html).length <= playground.limits.html_bytes;
}

/** Renders a text with the files of a template or of one of its versions. Nothing is saved, stored or charged. */
export async function renderDraft({ html, engine, assets }: TemplateText, data: Data, templateId: string): Promise<RenderedPdf> {
  const body = { html, engine, data, template_id: templateId, ...(assets && { assets }) };
  return readRenderedPdf(await send('POST', '/v1/templates/preview', body, { headers: JSON_REPLY }));
}

/** Renders the saved template, whose id may name a version. It is charged as every render with a key. */
export async function renderSaved(templateId: string, data: Data, options: object = {}): Promise<RenderedPdf> {
  const body = { template_id: templateId, data, options, store: false };
  return readRenderedPdf(await send('POST', '/v1/pdf', body, { headers: JSON_REPLY }));
}
