/**
 * The schema of `POST /v1/image`, without the options of `POST /v1/pdf` that belong to paper. Keywords of the schema hold its
 * documentation.
 */
import { type Static, Type } from 'typebox';
import { IMAGE_TYPES } from '../../../chromium/capture/capture-settings.ts';
import { flag, oneOf, option } from './option.ts';
import { PdfOptions, PdfRequestBody, SOURCES_WITH_FIELDS } from './options-schema.ts';

/** Options of `POST /v1/pdf` that control how a document is loaded, and have the same meaning for images. */
const OF_LOADING = [
  'colorScheme',
  'locale',
  'timezone',
  'addStyleTag',
  'addScriptTag',
  'waitUntil',
  'animations',
  'waitForSelector',
  'waitForFunction',
  'waitForTimeout',
  'resourceTimeout',
  'javascript',
  'userAgent',
  'baseUrl',
  'cookies',
  'extraHTTPHeaders',
  'authenticate',
  'failOnHttpStatus',
  'failOnResourceError',
  'failOnConsoleError',
  'failOnWarning',
  'timeout',
] as const;

const MAX_FACTOR = 4;
const MAX_CLIP = 32_767;
const { mediaType, viewport } = PdfOptions.properties;
const Coordinate = Type.Number({ minimum: 0, maximum: 1_000_000 });
const Length = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_CLIP,
  expected: `a number of CSS pixels above 0, at most ${MAX_CLIP}`,
});

export const ImageOptions = Type.Object(
  {
    type: option(oneOf(IMAGE_TYPES), {
      description: 'Format of the image.',
      default: 'png',
      examples: ['jpeg'],
    }),
    quality: option(Type.Integer({ minimum: 0, maximum: 100 }), {
      description: 'Quality of a JPEG or WebP image; cannot be combined with `type: png`.',
      default: 80,
      examples: [90],
    }),
    fullPage: option(Type.Boolean(), {
      description: 'Shows the whole document. `false` shows what the window shows.',
      'x-default': 'true, unless `clip` or `selector` is sent',
      examples: [false],
    }),
    clip: Type.Optional(
      Type.Object(
        { x: Coordinate, y: Coordinate, width: Length, height: Length },
        {
          additionalProperties: false,
          expected: 'an object {x, y, width, height} in CSS pixels',
          description:
            'Shows this part of the document, in CSS pixels from its corner. Cannot be combined with `selector` or `fullPage: true`.',
          examples: [{ x: 0, y: 0, width: 400, height: 300 }],
        },
      ),
    ),
    selector: option(Type.String({ minLength: 1, maxLength: 1_000 }), {
      expected: 'a CSS selector',
      description:
        'Shows the first element that matches (`print_failed` without one). Cannot be combined with `clip` or `fullPage: true`.',
      examples: ['#chart'],
    }),
    deviceScaleFactor: option(Type.Number({ minimum: 0.1, maximum: MAX_FACTOR }), {
      description: 'Pixels of the image for each CSS pixel.',
      default: 1,
      examples: [2],
    }),
    omitBackground: flag(false, 'Leaves transparent what the document does not paint. Cannot be combined with `type: jpeg`.'),
    mediaType: option(mediaType, {
      description: 'The CSS media type the document is shown for.',
      default: 'screen',
    }),
    viewport: option(viewport, {
      description: 'The window in which the document is laid out, in CSS pixels.',
      'x-default': '800 by 600',
    }),
    ...Type.Pick(PdfOptions, OF_LOADING).properties,
  },
  { additionalProperties: false, $id: 'ImageOptions', expected: 'an object' },
);

const { options: _options, conformance_report: _report, ...OF_DOCUMENT } = PdfRequestBody.properties;

export const ImageRequestBody = Type.Object(
  {
    ...OF_DOCUMENT,
    options: Type.Optional(ImageOptions),
  },
  { additionalProperties: false, $id: 'ImageRequest', expected: 'a JSON object', 'x-sources': SOURCES_WITH_FIELDS },
);

export type ImageRequestBody = Static<typeof ImageRequestBody>;
export type ImageOptions = Static<typeof ImageOptions>;
