/** Builds the request body from a draft, with only the relevant members. */
import { type Draft, type Engine, isObject, type Options } from './draft.ts';

export type RenderBody =
  | { html: string; options?: Options }
  | { template: string; engine: Engine; data: Record<string, unknown>; options?: Options };

/** The data of a template is not a JSON object. */
class InvalidDataError extends Error {
  override name = 'InvalidDataError';
}

/** Throws `InvalidDataError`. */
export function toRenderBody({ mode, html, template, engine, data, options }: Draft): RenderBody {
  const rest = Object.keys(options).length ? { options } : {};
  if (mode === 'html') return { html, ...rest };
  return { template, engine, data: parseData(data), ...rest };
}

function parseData(text: string): Record<string, unknown> {
  if (!text.trim()) return {};
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new InvalidDataError(`The data is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(data)) throw new InvalidDataError('The data must be a JSON object: { … }');
  return data;
}
