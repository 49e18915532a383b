/** Parses the body of `POST /v1/image` to a request that is valid once built, like a `RenderRequest`. */
import type { CaptureArea, CaptureSettings } from '../../chromium/capture/capture-settings.ts';
import { DEFAULT_WINDOW } from '../../chromium/devtools/emulation.ts';
import { type FieldError, invalidRequest } from '../../errors.ts';
import { validator } from '../../validate.ts';
import { checkSourceSize, parseSourceRequest, type RenderLimits, type SourceRequest } from './render-request.ts';
import { ImageOptions, ImageRequestBody } from './schemas/image-schema.ts';
import { PdfOptions } from './schemas/options-schema.ts';
import type { UploadedFile } from './values/assets.ts';
import { ValidationErrors } from './values/validation-errors.ts';

export interface ImageRequest extends SourceRequest {
  capture: CaptureSettings;
}

const DEFAULT_QUALITY = 80;
const PDF_ONLY = Object.keys(PdfOptions.properties).filter((name) => !(name in ImageOptions.properties));

const checkBody = validator(ImageRequestBody);

/** `uploaded` are assets sent in addition to the body. Throws `invalid_request` with all errors, or `content_too_large`. */
export function parseImageRequest(given: unknown, limits: RenderLimits, uploaded: readonly UploadedFile[] = []): ImageRequest {
  refusePdfOptions(given);
  const checked = checkBody(given);
  const { options = {} } = checked;
  const errors = new ValidationErrors();
  const capture = parseCapture(options, errors);
  const body = { ...checked, options: loadingOptions(options, capture) };
  const request = { ...parseSourceRequest(body, uploaded, limits, errors), capture };
  errors.throwIfAny();
  checkSourceSize(request.source);
  return request;
}

/** Options of PDFs, with the option of images that has the same purpose. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...{ format: 'type', width: 'viewport', height: 'viewport', scale: 'deviceScaleFactor', singlePage: 'fullPage' },
};

/** Rejects options that only exist for PDFs with an error of their own, for callers that change from PDF to image. */
function refusePdfOptions(body: unknown): void {
  const { options } = Object(body) as Record<string, unknown>;
  const errors: FieldError[] = PDF_ONLY.filter((name) => isSent(Object(options)[name])).map((name) => ({
    path: `options.${name}`,
    message: `is an option for PDFs, not for images${Object.hasOwn(INSTEAD, name) ? `; use options.${INSTEAD[name]}` : ''}`,
  }));
  if (errors.length) throw invalidRequest(errors);
}

/** Null counts as not sent. */
function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function loadingOptions({ mediaType = 'screen', viewport, ...options }: ImageOptions, { deviceScaleFactor }: CaptureSettings) {
  return { ...options, mediaType, viewport: { ...DEFAULT_WINDOW, ...viewport, deviceScaleFactor } };
}

function parseCapture(options: ImageOptions, errors: ValidationErrors): CaptureSettings {
  const { type = 'png', quality, omitBackground, viewport, deviceScaleFactor } = options;
  if (type === 'png' && quality !== undefined)
    errors.add('options.quality', 'cannot be combined with options.type: png, which has no quality setting; send jpeg or webp');
  if (type === 'jpeg' && omitBackground)
    errors.add(
      'options.omitBackground',
      'cannot be combined with options.type: jpeg, which has no transparency; send png or webp',
    );
  if (deviceScaleFactor !== undefined && viewport?.deviceScaleFactor !== undefined)
    errors.add('options.deviceScaleFactor', 'cannot be combined with options.viewport.deviceScaleFactor: send it once');
  return {
    type,
    quality: type === 'png' ? undefined : (quality ?? DEFAULT_QUALITY),
    area: parseArea(options, errors),
    deviceScaleFactor: deviceScaleFactor ?? viewport?.deviceScaleFactor ?? 1,
  };
}

function parseArea({ fullPage, clip, selector }: ImageOptions, errors: ValidationErrors): CaptureArea {
  if (clip && selector !== undefined) errors.add('options.selector', 'cannot be combined with options.clip');
  if (fullPage && (clip || selector !== undefined))
    errors.add('options.fullPage', `cannot be combined with options.${clip ? 'clip' : 'selector'}`);
  if (clip) return { kind: 'clip', clip };
  if (selector !== undefined) return { kind: 'element', selector };
  return { kind: fullPage === false ? 'viewport' : 'document' };
}
