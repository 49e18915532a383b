/** Parses the body of `POST /v1/playground/pdf` to a valid request. It accepts the fields of `POST /v1/pdf` that need no key. */
import { Type } from 'typebox';
import type { HostedFiles } from '../chromium/load/load-settings.ts';
import {
  checkSize,
  parseData,
  parseRendering,
  parseSourceAssets,
  type Rendering,
  type RenderLimits,
} from '../render/request/render-request.ts';
import { equivalentOption } from '../render/request/schemas/equivalent-options.ts';
import { oneOf, option } from '../render/request/schemas/option.ts';
import { AnyObject, PdfOptions } from '../render/request/schemas/options-schema.ts';
import { AssetsSchema } from '../render/request/values/assets.ts';
import { ValidationErrors } from '../render/request/values/validation-errors.ts';
import { ENGINES, type EngineName } from '../templates/template.ts';
import { textErrors, validator } from '../validate.ts';

/** Maximum size of the document, before and after a template is filled or Markdown is converted. */
export const MAX_PLAYGROUND_HTML_BYTES = 524_288;
/** Maximum size of all assets together. */
const MAX_PLAYGROUND_ASSETS_BYTES = 2_097_152;
/** Large enough for the largest assets in base64, HTML, data and attachments. */
export const MAX_PLAYGROUND_BODY_BYTES = 4_194_304;
const MAX_TIMEOUT_MS = 10_000;

type PlaygroundSource =
  | { kind: 'html'; html: string }
  | { kind: 'markdown'; markdown: string }
  | { kind: 'template'; html: string; engine: EngineName; data: Record<string, unknown> };

/** Valid once built, like a `RenderRequest`. */
export interface PlaygroundRequest extends Rendering {
  source: PlaygroundSource;
  assets: HostedFiles | undefined;
}

const SOURCES = ['html', 'markdown', 'template'] as const;
const OF_TEMPLATE = ['engine', 'data'] as const;

export const PlaygroundBody = Type.Object(
  {
    html: option(Type.String(), {
      expected: 'a string of HTML',
      description: `A complete HTML document, at most ${MAX_PLAYGROUND_HTML_BYTES} bytes of UTF-8. Send exactly one of ${SOURCES.map((name) => `\`${name}\``).join(', ')}.`,
      contentMediaType: 'text/html',
      examples: ['<h1>Hello</h1>'],
    }),
    markdown: option(Type.String(), {
      expected: 'a string of Markdown',
      description: 'A document in Markdown, as in `POST /v1/pdf`. It and its HTML may be as large as `html`.',
      contentMediaType: 'text/markdown',
      examples: ['# Hello'],
    }),
    template: option(Type.String(), {
      expected: 'a string of HTML with placeholders',
      description: 'The HTML of a template, which is not stored. It and the resulting HTML may be as large as `html`.',
      contentMediaType: 'text/html',
      examples: ['<h1>Hello {{name}}</h1>'],
    }),
    engine: option(oneOf(ENGINES), {
      description: 'The engine that renders the template.',
      default: 'placeholders',
      examples: ['liquid'],
    }),
    data: option(AnyObject, {
      expected: 'an object',
      description: 'The values that the template inserts.',
      default: {},
      examples: [{ name: 'Ada' }],
    }),
    assets: Type.Optional(AssetsSchema),
    options: Type.Optional(PdfOptions),
  },
  {
    additionalProperties: false,
    $id: 'PlaygroundRequest',
    expected: 'a JSON object',
    'x-sources': { html: ['assets'], markdown: ['assets'], template: ['engine', 'data', 'assets'] },
  },
);

const checkBody = validator(PlaygroundBody, equivalentOption);

/** Lower limits of the service apply here too. */
export function playgroundLimits({ renderTimeoutMs, maxRenderTimeoutMs, maxAssetsBytes = 0, ...limits }: RenderLimits) {
  return {
    ...limits,
    maxAssetsBytes: Math.min(maxAssetsBytes, MAX_PLAYGROUND_ASSETS_BYTES),
    renderTimeoutMs: Math.min(renderTimeoutMs, MAX_TIMEOUT_MS),
    maxRenderTimeoutMs: Math.min(maxRenderTimeoutMs, MAX_TIMEOUT_MS),
  };
}

/** Throws `invalid_request` with all errors, or `content_too_large`. */
export function parsePlaygroundRequest(body: unknown, limits: RenderLimits): PlaygroundRequest {
  const checked = checkBody(body);
  const errors = new ValidationErrors();
  const { options } = checked;
  const assets = parseSourceAssets(checked, [], limits, errors);
  const request = {
    source: parseSource(checked, errors),
    assets,
    ...parseRendering(options ? { options } : {}, limits, errors, assets),
  };
  if (request.finish.signature) errors.add('options.signature', 'requires an API key, because certificates belong to keys');
  if (request.finish.letterhead && 'documentId' in request.finish.letterhead)
    errors.add('options.letterhead.document_id', 'requires an API key, because documents belong to keys: send the PDF as file');
  errors.throwIfAny();
  const { source } = request;
  checkSize(source.kind, source.kind === 'markdown' ? source.markdown : source.html, MAX_PLAYGROUND_HTML_BYTES);
  return request;
}

type Body = ReturnType<typeof checkBody>;

function parseSource(body: Body, errors: ValidationErrors): PlaygroundSource {
  const { html = '', markdown, template, engine = 'placeholders', data } = body;
  const [first, ...more] = SOURCES.filter((name) => body[name] !== undefined);
  for (const name of more) errors.add(name, `cannot be combined with ${first}: send exactly one of ${SOURCES.join(', ')}`);
  if (!first) errors.add('html', 'is required, or markdown or template in its place');
  for (const name of OF_TEMPLATE) if (body[name] !== undefined && template === undefined) errors.add(name, 'requires template');
  for (const name of SOURCES) errors.addAll(textErrors(name, body[name] ?? ''));
  if (template !== undefined) return { kind: 'template', html: template, engine, data: parseData(data, errors) };
  return markdown === undefined ? { kind: 'html', html } : { kind: 'markdown', markdown };
}
