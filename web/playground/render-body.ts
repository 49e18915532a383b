/** Builds the request body from a draft, with only the relevant members. */
import { readData } from '../shared/read-data.ts';
import type { Draft, Engine, Options } from './draft.ts';

export type RenderBody =
  | { html: string; options?: Options }
  | { markdown: string; options?: Options }
  | { url: string; options?: Options }
  | { template: string; engine: Engine; data: Record<string, unknown>; options?: Options };

/** Throws if the data is not a JSON object. */
export function toRenderBody({ mode, html, markdown, url, template, engine, data, options }: Draft): RenderBody {
  const rest = Object.keys(options).length ? { options } : {};
  if (mode === 'html') return { html, ...rest };
  if (mode === 'markdown') return { markdown, ...rest };
  if (mode === 'url') return { url: url.trim(), ...rest };
  return { template, engine, data: readData(data), ...rest };
}
