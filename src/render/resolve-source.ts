/** Resolves the source of a render: HTML, a URL, Markdown or a template in, the content to load out. */
import type { Content, HostedFiles } from '../chromium/load/load-settings.ts';
import type { Deadline } from '../deadline.ts';
import { invalidField, invalidRequest } from '../errors.ts';
import type { Markdown } from '../markdown/markdown.ts';
import type { AccountAssets } from '../templates/account-assets.ts';
import type { TemplateOwner } from '../templates/template.ts';
import type { FillOptions, TemplateFiller } from '../templates/template-filler.ts';
import { textErrors } from '../validate.ts';
import { noteDetails } from '../work-log.ts';
import type { Source, SourceRequest } from './request/render-request.ts';
import { MAX_HTML_BYTES } from './request/schemas/options-schema.ts';
import { suggestAssets } from './request/values/document-size.ts';

export interface SourceServices {
  templateFiller: Pick<TemplateFiller, 'fill'>;
  markdown: Markdown;
  /** Absent where there are no accounts. */
  accountAssets?: Pick<AccountAssets, 'read'>;
}

/** Who renders, and the size of the files of the account, if it has any. */
type SourceOwner = TemplateOwner & { assetBytes?: number };
type ReadOptions = { signal: AbortSignal } & Pick<FillOptions, 'hold' | 'hasNamesOnly'>;

/** The part of a request that determines the content. */
export type SourceDocument = Pick<SourceRequest, 'source' | 'baseUrl' | 'assets'>;

/** Throws `not_found` for an unknown template, `content_too_large`, `template_error`, `resource_limit`, `queue_full`. */
export async function resolveSource(
  document: SourceDocument,
  owner: SourceOwner,
  services: SourceServices,
  options: ReadOptions,
): Promise<Content> {
  const content = await resolveContent(document, owner, services, options);
  if (!owner.assetBytes || content.kind === 'url' || content.baseUrl !== undefined) return content;
  options.hold?.(owner.assetBytes);
  const files = await services.accountAssets?.read(owner.accountId, options);
  return { ...content, assets: mergeFiles(files, content.assets) };
}

async function resolveContent(
  document: SourceDocument,
  owner: TemplateOwner,
  { templateFiller, markdown }: SourceServices,
  { signal, ...files }: ReadOptions,
): Promise<Content> {
  const { source, baseUrl, assets } = document;
  if (source.kind !== 'template') return resolveWithoutTemplate(document, source, owner.accountId, markdown, signal);
  const template = await templateFiller
    .fill(owner, source, source.data, { limitBytes: MAX_HTML_BYTES, signal, ...files })
    .catch(suggestAssets);
  noteDetails({ templateVersion: template.version });
  if (template.assets && baseUrl !== undefined)
    throw invalidField(
      'options.baseUrl',
      'cannot be combined with a template that has assets, to which its relative URLs resolve',
    );
  return { ...toFilledContent(template.html, baseUrl), assets: mergeFiles(template.assets, assets) };
}

/** Resolves the source within a deadline. `hold` counts memory, and may throw. */
export async function resolveHeld(
  request: SourceDocument,
  owner: SourceOwner,
  services: SourceServices,
  deadline: Deadline,
  hold: (bytes: number) => void,
): Promise<Content> {
  const content = await deadline.race(resolveSource(request, owner, services, { signal: deadline.signal, hold }));
  const isGenerated = request.source.kind === 'template' || request.source.kind === 'markdown';
  if (isGenerated && content.kind === 'html') hold(2 * content.html.length); // it can be much larger than its source
  return content;
}

/** Merges files of an account or a template with those of a request, which replace files with the same path. */
function mergeFiles(stored: HostedFiles | undefined, sent: HostedFiles | undefined): HostedFiles | undefined {
  return stored && sent ? new Map([...stored, ...sent]) : (stored ?? sent);
}

/** Owners take turns in the queue for Markdown. */
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
  const html = await engine.toHtml(owner, { markdown, stylesheet, limitBytes: MAX_HTML_BYTES }, signal).catch(suggestAssets);
  return { kind: 'html', html, baseUrl, assets };
}

/** Makes content of a filled template. Throws `invalid_request` if data has put characters into it that cannot be printed. */
export function toFilledContent(html: string, baseUrl: string | undefined): Content & { kind: 'html' } {
  const errors = textErrors('data', html);
  if (errors.length)
    throw invalidRequest(
      errors.map(({ path }) => ({ path, message: 'puts half of a surrogate pair, or a NUL character, into the document' })),
    );
  return { kind: 'html', html, baseUrl };
}
