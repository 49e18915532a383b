/** Parses the body of `POST /v1/pdf` to a `RenderRequest`. It is valid once built, and nothing validates it again. */

import type { HostedFiles } from '../../chromium/load/load-settings.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { ServiceError } from '../../errors.ts';
import type { TemplateRef } from '../../templates/template.ts';
import { textErrors, validator } from '../../validate.ts';
import { type FinishPlan, isTagged, parseFinishing } from './finish-options.ts';
import { type Loading, parseLoading, type TimeLimits } from './load-options.ts';
import { type LoggedOptions, toLoggedOptions } from './logged-options.ts';
import { type PagedPlan, parsePaged } from './paged-options.ts';
import { parsePaperOptions } from './paper-options.ts';
import { parseUrl } from './parse-url.ts';
import { equivalentOption } from './schemas/equivalent-options.ts';
import { MAX_INVOICE_BYTES } from './schemas/finish-schema.ts';
import { FILENAME, MAX_HTML_BYTES, type PdfOptions, PdfRequestBody, TEMPLATE_ID } from './schemas/options-schema.ts';
import { type AssetLimits, parseAssets, type UploadedFile } from './values/assets.ts';
import { suggestAssets } from './values/document-size.ts';
import { externalReference } from './values/external-references.ts';
import { isUsableFilename } from './values/filename.ts';
import { type Metadata, parseMetadata } from './values/metadata.ts';
import { parsePageRanges } from './values/page-ranges.ts';
import { ValidationErrors } from './values/validation-errors.ts';

/** The source of the document. */
export type Source =
  | { kind: 'html'; html: string }
  | { kind: 'markdown'; markdown: string /** Replaces the default stylesheet. */; stylesheet: string | undefined }
  | { kind: 'url'; url: string }
  | ({ kind: 'template'; data: Record<string, unknown> } & TemplateRef);

/** How a document is rendered, independent of its source. */
export interface Rendering extends Loading, Printing {}

interface Printing {
  print: PrintSettings;
  paged: PagedPlan;
  finish: FinishPlan;
}

/** The part of a request that PDFs and images have in common. */
export interface SourceRequest extends Loading {
  source: Source;
  /** The files that relative URLs in the document refer to. */
  assets: HostedFiles | undefined;
  /** Whether to store the result; undefined for the setting of the account. */
  store: boolean | undefined;
  /** The retention of the stored document; undefined for that of the plan. */
  keptMs?: number | undefined;
  filename: string | undefined;
  /** Stored with the document. */
  metadata: Metadata;
  /** Whether to report what a render would do instead of rendering. */
  isDryRun: boolean;
}

export interface RenderRequest extends SourceRequest, Printing {
  /** Whether to return only the violations of the claimed profiles. */
  reportsConformance: boolean;
  loggedOptions: LoggedOptions;
}

export interface RenderLimits extends Partial<AssetLimits>, TimeLimits {}

const SOURCES = ['html', 'markdown', 'url', 'template_id'] as const;

/** Fields that require a certain source, with that source. */
const COMPANIONS = [
  ['data', 'template_id'],
  ['stylesheet', 'markdown'],
] as const;

const TEXTS = ['html', 'markdown', 'stylesheet'] as const;

const checkBody = validator(PdfRequestBody, equivalentOption);

/**
 * `uploaded` are assets sent in addition to the body, and options can also name `shared` files. Throws `invalid_request` with all errors, or `content_too_large`. */
export function parseRenderRequest(
  body: unknown,
  limits: RenderLimits,
  uploaded: readonly UploadedFile[] = [],
  shared?: HostedFiles,
): RenderRequest {
  const checked = checkBody(body);
  const { conformance_report: reportsConformance = false } = checked;
  const errors = new ValidationErrors();
  const common = parseSourceRequest(checked, uploaded, limits, errors);
  const files = common.assets ?? shared;
  const loggedOptions = toLoggedOptions(checked.options);
  const request = { ...common, ...parsePrinting(checked, errors, files), reportsConformance, loggedOptions };
  if (reportsConformance && request.finish.conformance === undefined)
    errors.add('conformance_report', 'requires options.conformance or options.invoice');
  if (reportsConformance && request.isDryRun) errors.add('dry_run', 'cannot be combined with conformance_report, which renders');
  errors.throwIfAny();
  checkSourceSize(request.source);
  if (request.finish.invoice) checkSize('options.invoice.xml', request.finish.invoice.xml, MAX_INVOICE_BYTES);
  return request;
}

/** Parses what PDFs and images have in common. */
export function parseSourceRequest(
  body: PdfRequestBody,
  uploaded: readonly UploadedFile[],
  limits: RenderLimits,
  errors: ValidationErrors,
): SourceRequest {
  const { store, filename, dry_run: isDryRun = false } = body;
  if (filename !== undefined && !isUsableFilename(filename)) errors.add('filename', `must be ${FILENAME}`);
  return {
    source: parseSource(body, errors),
    assets: parseSourceAssets(body, uploaded, limits, errors),
    metadata: parseMetadata(body.metadata, errors),
    ...parseLoading(body, limits, errors),
    ...{ store, filename, isDryRun },
  };
}

type Options = Pick<PdfRequestBody, 'url' | 'options'>;

/** Parses the options, which can name `files`; `url` is set if the document is loaded from one. */
export function parseRendering(body: Options, limits: RenderLimits, errors: ValidationErrors, files?: HostedFiles): Rendering {
  return { ...parseLoading(body, limits, errors), ...parsePrinting(body, errors, files) };
}

function parsePrinting({ url, options: given = {} }: Options, errors: ValidationErrors, files?: HostedFiles): Printing {
  const { margin } = given.letterhead ?? {};
  if (margin !== undefined && given.margin !== undefined)
    errors.add('options.letterhead.margin', 'cannot be combined with options.margin');
  const options = margin === undefined ? given : { ...given, margin };
  const print = parsePrintSettings(options, url !== undefined, errors);
  return { print, paged: parsePaged(options, errors), finish: parseFinishing(options, errors, files) };
}

/** Throws `content_too_large`. */
export function checkSourceSize(source: Source): void {
  if (source.kind === 'html') checkDocumentSize('html', source.html);
  if (source.kind === 'markdown') checkDocumentSize('markdown', source.markdown);
}

/** Throws `content_too_large`. */
export function checkDocumentSize(what: string, html: string): void {
  try {
    checkSize(what, html, MAX_HTML_BYTES);
  } catch (error) {
    suggestAssets(error);
  }
}

/** Throws `content_too_large`. */
export function checkSize(what: string, text: string, limit: number): void {
  const actual = Buffer.byteLength(text);
  if (actual <= limit) return;
  throw new ServiceError('content_too_large', `${what} has ${actual} bytes; at most ${limit} are allowed`, {
    members: { limit, actual },
  });
}

/** Parses assets, and rejects them together with `url` or `baseUrl`, which are another base for relative URLs. */
export function parseSourceAssets(
  { assets: given, url, options }: Pick<PdfRequestBody, 'assets' | 'url' | 'options'>,
  uploaded: readonly UploadedFile[],
  limits: RenderLimits,
  errors: ValidationErrors,
): HostedFiles | undefined {
  const assets = parseAssets(given, uploaded, limits, errors);
  if (assets && url !== undefined) errors.add('assets', 'cannot be combined with url, whose resources have URLs of their own');
  if (assets && options?.baseUrl !== undefined)
    errors.add('assets', 'cannot be combined with options.baseUrl: both are a base for relative URLs');
  return assets;
}

function parseSource(body: PdfRequestBody, errors: ValidationErrors): Source {
  checkSources(body, errors);
  const { html = '', markdown, stylesheet, url, template_id: templateId, data } = body;
  if (templateId !== undefined)
    return { kind: 'template', ...parseTemplateId(templateId, errors), data: parseData(data, errors) };
  if (url !== undefined) return { kind: 'url', url: parseUrl('url', url, errors)?.href ?? '' };
  if (markdown !== undefined) return { kind: 'markdown', markdown, stylesheet };
  return { kind: 'html', html };
}

function checkSources(body: PdfRequestBody, errors: ValidationErrors): void {
  const [first, ...more] = SOURCES.filter((name) => body[name] !== undefined);
  for (const name of more) errors.add(name, `cannot be combined with ${first}: send exactly one of ${SOURCES.join(', ')}`);
  if (!first) errors.add('html', 'is required, or markdown, url or template_id in its place');
  for (const [name, companion] of COMPANIONS)
    if (body[name] !== undefined && body[companion] === undefined) errors.add(name, `requires ${companion}`);
  for (const name of TEXTS) errors.addAll(textErrors(name, body[name] ?? ''));
}

/** `tpl_...`, and `@` with a version, `latest` or `published`. An id in another form belongs to no template. */
export function parseTemplateId(given: string, errors: ValidationErrors): TemplateRef {
  const [templateId = '', version] = given.split(/@(.*)/s);
  if (version === undefined || version === 'latest') return { templateId };
  if (version === 'published') return { templateId, version };
  if (!/^[1-9]\d{0,8}$/.test(version)) errors.add('template_id', `must be ${TEMPLATE_ID}`);
  return { templateId, version: Number(version) };
}

/** The members are not validated, because they depend on the template and can be large. */
export function parseData(data: unknown, errors: ValidationErrors): Record<string, unknown> {
  if (data === undefined) return {};
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Record<string, unknown>;
  errors.add('data', 'must be an object');
  return {};
}

function parsePrintSettings(options: PdfOptions, addressed: boolean, errors: ValidationErrors): PrintSettings {
  return {
    ...parsePaperOptions(options, errors),
    printBackground: options.printBackground ?? true,
    scale: options.scale ?? 1,
    pageRanges: parsePageRanges('options.pageRanges', options.pageRanges ?? '', errors),
    tagged: isTagged(options),
    outline: options.outline ?? false,
    fitsWidth: options.fit === 'width',
    templates: {
      header: parseTemplate('headerTemplate', options, errors),
      footer: parseTemplate('footerTemplate', options, errors),
      addressed,
    },
  };
}

/** Chromium loads no resources for header and footer templates, and fails to print a template that needs one. */
function parseTemplate(
  name: 'headerTemplate' | 'footerTemplate',
  options: PdfOptions,
  errors: ValidationErrors,
): string | undefined {
  const template = options[name];
  const found = template && externalReference(template);
  if (found)
    errors.add(
      `options.${name}`,
      `must not name anything external (${found}), since nothing is loaded in it: send styles, images and fonts in assets, or put them into the template as data: URLs`,
    );
  return template;
}
