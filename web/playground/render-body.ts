/** Builds the request body from a draft, with only the relevant members. */
import { readData } from '../shared/read-data.ts';
import type { Draft, Engine, Options } from './draft.ts';
import { type Assets, toAssets } from './files/assets.ts';

interface Beside {
  assets?: Assets;
  options?: Options;
}

export type RenderBody =
  | ({ html: string } & Beside)
  | ({ markdown: string } & Beside)
  | ({ url: string } & Beside)
  | ({ template: string; engine: Engine; data: Record<string, unknown> } & Beside);

/** Throws if the data is not a JSON object, or a file is not kept any more. */
export async function toRenderBody(draft: Draft): Promise<RenderBody> {
  const { mode, html, markdown, url, template, engine, data, options } = draft;
  const assets = await toAssets(draft);
  const rest = { ...(Object.keys(assets).length && { assets }), ...(Object.keys(options).length && { options }) };
  if (mode === 'html') return { html, ...rest };
  if (mode === 'markdown') return { markdown, ...rest };
  if (mode === 'url') return { url: url.trim(), ...rest };
  return { template, engine, data: readData(data), ...rest };
}
