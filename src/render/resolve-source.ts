/** A source in, what the page is to show out. */
import type { Content } from '../chromium/load/load-settings.ts';
import { invalidRequest } from '../errors.ts';
import type { Templates } from '../templates/templates.ts';
import { textErrors } from '../validate.ts';
import { MAX_HTML_BYTES } from './options-schema.ts';
import type { SourceRequest } from './render-request.ts';

/** Throws `not_found` for an unknown template, `content_too_large`, `template_error`. */
export async function resolveSource(
  { source, baseUrl }: Pick<SourceRequest, 'source' | 'baseUrl'>,
  keyId: string,
  templates: Templates,
  signal: AbortSignal,
): Promise<Content> {
  if (source.kind === 'url') return source;
  if (source.kind === 'html') return { ...source, baseUrl };
  const html = await templates.fill(keyId, source.templateId, source.data, MAX_HTML_BYTES, signal);
  return filled(html, baseUrl);
}

/** What a template has become. Throws `invalid_request` where data has made it a text that cannot be printed. */
export function filled(html: string, baseUrl: string | undefined): Content {
  const errors = textErrors('data', html);
  if (errors.length)
    throw invalidRequest(
      errors.map(({ path }) => ({ path, message: 'puts half of a surrogate pair, or a NUL character, into the document' })),
    );
  return { kind: 'html', html, baseUrl };
}
