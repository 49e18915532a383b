/** A source in, what the page is to show out. */
import type { Content } from '../chromium/load/load-settings.ts';
import { invalidRequest } from '../errors.ts';
import type { Markdown } from '../markdown/markdown.ts';
import type { TemplateOwner, Templates } from '../templates/templates.ts';
import { textErrors } from '../validate.ts';
import { MAX_HTML_BYTES } from './options-schema.ts';
import type { Source, SourceRequest } from './render-request.ts';

export interface SourceServices {
  templates: Templates;
  markdown: Markdown;
}

/** The part of a request that says what is shown. */
export type SourceDocument = Pick<SourceRequest, 'source' | 'baseUrl' | 'assets'>;

/** Throws `not_found` for an unknown template, `content_too_large`, `template_error`, `resource_limit`, `queue_full`. */
export async function resolveSource(
  document: SourceDocument,
  owner: TemplateOwner,
  { templates, markdown }: SourceServices,
  signal: AbortSignal,
): Promise<Content> {
  const { source, baseUrl, assets } = document;
  if (source.kind !== 'template') return resolveWithoutTemplate(document, source, owner.accountId, markdown, signal);
  const html = await templates.fill(owner, source.templateId, source.data, MAX_HTML_BYTES, signal);
  return { ...filled(html, baseUrl), assets };
}

/** `owner` is whose turn the conversion of Markdown takes. */
export async function resolveWithoutTemplate(
  { baseUrl, assets }: SourceDocument,
  source: Exclude<Source, { kind: 'template' }>,
  owner: string,
  engine: Markdown,
  signal: AbortSignal,
): Promise<Content> {
  if (source.kind === 'url') return source;
  if (source.kind === 'html') return { ...source, baseUrl, assets };
  const { markdown, stylesheet } = source;
  const html = await engine.toHtml(owner, { markdown, stylesheet, limitBytes: MAX_HTML_BYTES }, signal);
  return { kind: 'html', html, baseUrl, assets };
}

/** What a template has become. Throws `invalid_request` where data has made it a text that cannot be printed. */
export function filled(html: string, baseUrl: string | undefined): Content & { kind: 'html' } {
  const errors = textErrors('data', html);
  if (errors.length)
    throw invalidRequest(
      errors.map(({ path }) => ({ path, message: 'puts half of a surrogate pair, or a NUL character, into the document' })),
    );
  return { kind: 'html', html, baseUrl };
}
