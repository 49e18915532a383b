/** A source in, the HTML to print out. */
import { invalidRequest } from '../errors.ts';
import type { Templates } from '../templates/templates.ts';
import { faultsOfText } from '../validate.ts';
import { MAX_HTML_BYTES } from './options-schema.ts';
import type { Source } from './render-request.ts';

/** Throws `not_found` for an unknown template, `content_too_large`, `template_error`. */
export async function resolveSource(source: Source, keyId: string, templates: Templates, signal: AbortSignal): Promise<string> {
  if (source.kind === 'html') return source.html;
  const html = await templates.fill(keyId, source.templateId, source.data, MAX_HTML_BYTES, signal);
  const faults = faultsOfText('data', html);
  if (faults.length)
    throw invalidRequest(
      faults.map(({ path }) => ({ path, message: 'puts half of a surrogate pair, or a NUL character, into the document' })),
    );
  return html;
}
