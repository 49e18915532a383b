/** The schema of `POST /v1/pdf`. Keywords of the schema hold its documentation. */
import { type Static, type TSchema, Type } from 'typebox';
import { MAX_DOCUMENT_BYTES } from '../../../chromium/load/load-settings.ts';
import { MAX_LAYOUT_ELEMENTS } from '../../../in-page/contract/limits.ts';
import { AssetsSchema } from '../values/assets.ts';
import { FORMAT_NAMES } from '../values/lengths.ts';
import { METADATA_MEANING, MetadataSchema } from '../values/metadata.ts';
import { DocumentId, FileOf } from './file-schema.ts';
import { FINISH_OPTIONS } from './finish-schema.ts';
import { FORMAT, HeightOrAuto, LENGTH, Length, MARGIN } from './length-schema.ts';
import { flag, oneOf, option, YES_OR_NO } from './option.ts';
import { PageRanges } from './page-ranges-schema.ts';
import { CONTENTS_OPTION, FOOTER_OPTION, HEADER_OPTION } from './paged-schema.ts';
import { WARNING_KINDS } from './warnings.ts';

export const MAX_HTML_BYTES = MAX_DOCUMENT_BYTES;

const CLOSED = { additionalProperties: false };

const side = option(Length, { default: 0, 'x-unit': 'px' });
const Margins = Type.Object({ top: side, right: side, bottom: side, left: side }, { ...CLOSED, $id: 'Margins' });
export const Margin = Type.Union([Type.Number({ minimum: 0 }), Type.String(), Margins]);

const WAIT_UNTIL = ['finished', 'load', 'domcontentloaded', 'networkidle0', 'networkidle2'] as const;
const ANIMATIONS = ['finish', 'run'] as const;
const MEDIA_TYPES = ['print', 'screen'] as const;
const COLOR_SCHEMES = ['light', 'dark'] as const;
const MAX_VIEWPORT = 16_384;
export const MAX_TEMPLATE = 524_288;
const MAX_TAG = 1_048_576;
const MAX_STYLESHEET = 524_288;
const MAX_URL = 8_192;
const MAX_TAGS = 50;
/** An object whose members are not validated. */
export const AnyObject = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true });
export const URL_EXPECTED = 'a URL that begins with https:// or http://';

const MILLISECONDS_FROM_1 = { expected: 'a whole number of milliseconds, at least 1', 'x-unit': 'ms' };

const Template = (description: string, example: string) =>
  option(Type.String({ maxLength: MAX_TEMPLATE }), {
    expected: `a string of HTML, at most ${MAX_TEMPLATE} characters; larger pictures and fonts are files in assets`,
    description,
    'x-default': 'none',
    contentMediaType: 'text/html',
    examples: [example],
  });

const STYLE = { maxLength: MAX_TAG, contentMediaType: 'text/css' };
const SCRIPT = { maxLength: MAX_TAG, contentMediaType: 'text/javascript' };
const TagUrl = Type.String({ maxLength: MAX_URL });
const ScriptType = option(Type.String({ maxLength: 64 }), {
  description: 'The `type` of the element, such as `module`.',
  'x-default': 'a classic script',
});
const StyleTag = Type.Union([Type.Object({ content: Type.String(STYLE) }, CLOSED), Type.Object({ url: TagUrl }, CLOSED)], {
  $id: 'StyleTag',
});
const ScriptTag = Type.Union(
  [
    Type.Object({ content: Type.String(SCRIPT), type: ScriptType }, CLOSED),
    Type.Object({ url: TagUrl, type: ScriptType }, CLOSED),
  ],
  { $id: 'ScriptTag' },
);

const Tags = <T extends TSchema>($id: string, Tag: T, description: string, example: unknown) =>
  option(Type.Union([Tag, Type.Array(Tag, { maxItems: MAX_TAGS })], { $id }), {
    expected: `an object {content} or {url}, or a list of at most ${MAX_TAGS} such objects`,
    description: `${description} One that cannot be loaded fails the render. The content security policy of the document does not apply.`,
    'x-default': 'none',
    examples: [example],
  });

const Selector = Type.String({ minLength: 1, maxLength: 1_000 });
const Flag = option(Type.Boolean(), { default: false });

/** RFC 6265, 4.1.1. */
export const COOKIE_PATTERNS = {
  name: "^[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$",
  value: '^[ !#-+\\--:<-~]*$|^"[!#-+\\--:<-\\[\\]-~]*"$',
  path: '^/[ -:<-~]*$',
} as const;

const Cookie = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256, 'x-pattern': COOKIE_PATTERNS.name }),
    value: Type.String({ maxLength: 4_096, 'x-pattern': COOKIE_PATTERNS.value }),
    domain: option(Type.String({ maxLength: 256 }), {
      description: 'No other host is valid.',
      'x-default': 'the host of `url` or `baseUrl`',
    }),
    path: option(Type.String({ maxLength: 1_024, 'x-pattern': COOKIE_PATTERNS.path }), { default: '/' }),
    expires: option(Type.Number(), {
      description: 'Seconds since 1970; `-1` lets the cookie end with the render.',
      default: -1,
      'x-unit': 's',
    }),
    httpOnly: Flag,
    secure: Flag,
    sameSite: option(oneOf(['Strict', 'Lax', 'None']), {
      'x-default': "the browser's default for cookies",
    }),
  },
  { ...CLOSED, $id: 'Cookie' },
);

const HttpStatus = Type.Integer({ minimum: 100, maximum: 599, expected: 'a whole number from 100 to 599' });

const OF_TARGET = 'Requires `url` or `baseUrl`.';

/** Members that are not listed here are rejected as unknown. */
export const PdfOptions = Type.Object(
  {
    format: option(Type.String(), {
      expected: FORMAT,
      description:
        'Paper format, in upper or lower case. All are portrait except Ledger; `A4 landscape` and `A4-L` are like `landscape: true`. It overrides every `@page` size, including those of named pages. Cannot be combined with `width` or `height`.',
      'x-values': FORMAT_NAMES,
      'x-default': 'A4, or the `@page` size in the markup',
      examples: ['Letter'],
    }),
    width: option(Length, {
      expected: LENGTH,
      description: 'Width of the paper, 1px to 200in. Requires `height`, unless `singlePage` is set. Replaces `format`.',
      'x-unit': 'px',
      'x-default': 'the width of the format',
      examples: ['10mm', 96],
    }),
    height: option(HeightOrAuto, {
      expected: `${LENGTH}; or "auto"`,
      description: 'Height of the paper, 1px to 200in. Requires `width`. Replaces `format`. `auto` is like `singlePage: true`.',
      'x-unit': 'px',
      'x-default': 'the height of the format',
      examples: ['10mm', 96, 'auto'],
    }),
    landscape: flag(false, 'Turns the paper on its side, but not an `@page` size, unless `format`, `width` or `height` is sent.'),
    margin: option(Margin, {
      expected: MARGIN,
      description:
        'One length for all sides, two to four lengths in the order of CSS, or `{top, right, bottom, left}`, where a side that is left out is 0. It overrides every `@page` margin. With `auto`, the upper and lower margins are those that `header` and `footer` need.',
      'x-unit': 'px',
      'x-default': '0.4in, or the `@page` margin in the markup',
      examples: ['20mm', '10mm 15mm', 'auto', { top: '3cm', bottom: '1in' }],
    }),
    printBackground: flag(true, 'Prints background colours and images.'),
    scale: option(Type.Number({ minimum: 0.1, maximum: 2 }), {
      expected: 'a number from 0.1 to 2',
      description: 'Scale of the content. The paper and its margins keep their size.',
      default: 1,
      examples: [0.8],
    }),
    pageRanges: option(PageRanges, {
      expected: 'page ranges such as 1-3, 5, 8-',
      description:
        'Pages to keep: `3`, `1-3`, `8-` (to the end), `-2` (from the first), separated by commas. Pages keep their order and numbers. A range past the last page fails with `print_failed`.',
      'x-default': 'all pages',
      examples: ['1-3, 5'],
    }),
    preferCSSPageSize: option(Type.Boolean(), {
      expected: YES_OR_NO,
      description: 'Whether an `@page` size in the markup overrides `format`, `width` and `height`.',
      'x-default': 'true, unless `format`, `width` or `height` is sent',
      examples: [true],
    }),
    tagged: flag(false, 'Writes a tagged PDF, which is larger. Cannot be `false` when `outline` is `true`.'),
    outline: flag(false, 'Writes bookmarks from the headings. The PDF is then tagged as well.'),
    omitBackground: flag(false, 'Leaves the page transparent where the document paints nothing.'),
    singlePage: flag(
      false,
      'Prints the document on one page as high as its content, at most 200 inches (`print_failed` beyond). Page breaks and `@page` sizes and margins are ignored. Cannot be combined with `height` or `pageRanges`.',
    ),
    fit: option(oneOf(['width']), {
      description:
        'With `width`, a document that is wider than its page is scaled down as far as it must be, at least to 7 %. Without it, Chromium scales it down to two thirds at most, and cuts off the rest. `content_shrunk` reports the scale.',
      'x-default': 'down to two thirds',
      examples: ['width'],
    }),
    headerTemplate: Template(
      `HTML printed above the text of each page. Elements with the class \`date\`, \`title\`, \`url\`, \`pageNumber\` or \`totalPages\` are filled in. It has its own styles, and shows images and fonts that are \`data:\` URLs or files in \`assets\`. Scripts do not run, and external resources are refused. Without \`margin\`, the margin grows so that nothing overlaps, unless an \`@page\` rule sets it.`,
      '<span style="margin: auto"><span class="title"></span></span>',
    ),
    footerTemplate: Template(
      'HTML printed below the text of each page. Otherwise like `headerTemplate`.',
      '<span style="margin: auto"><span class="pageNumber"></span> / <span class="totalPages"></span></span>',
    ),
    header: HEADER_OPTION,
    footer: FOOTER_OPTION,
    toc: CONTENTS_OPTION,
    mediaType: option(oneOf(MEDIA_TYPES), {
      description: 'The CSS media type the document is printed for.',
      default: 'print',
      examples: ['screen'],
    }),
    colorScheme: option(oneOf(COLOR_SCHEMES), {
      $id: 'ColorScheme',
      description: 'The value of `prefers-color-scheme`.',
      default: 'light',
      examples: ['dark'],
    }),
    viewport: option(
      Type.Object(
        {
          width: Type.Integer({ minimum: 1, maximum: MAX_VIEWPORT, 'x-unit': 'px' }),
          height: Type.Integer({ minimum: 1, maximum: MAX_VIEWPORT, 'x-unit': 'px' }),
          deviceScaleFactor: option(Type.Number({ minimum: 0.1, maximum: 10 }), { default: 1 }),
        },
        { ...CLOSED, $id: 'Viewport' },
      ),
      {
        expected: 'an object {width, height, deviceScaleFactor}',
        description:
          'The window in which the document is loaded and its scripts run, in CSS pixels. It does not change the layout of the print: for a design of W pixels, send `scale` = 96 × (paper width − left and right margin, in inches) ÷ W.',
        'x-default': 'as wide as the page between its margins, 600 high, with `devicePixelRatio` 2',
        examples: [{ width: 1280, height: 800 }],
      },
    ),
    locale: option(Type.String({ $id: 'Locale', maxLength: 64 }), {
      expected: 'a language tag such as de-AT',
      description:
        'The language of the reader, for `navigator.language`, the formatting of numbers and dates in scripts, and `Accept-Language`.',
      default: 'en-US',
      examples: ['de-AT'],
    }),
    timezone: option(Type.String({ $id: 'Timezone', maxLength: 64 }), {
      expected: 'a time zone such as Europe/Vienna',
      description:
        'The time zone of scripts and of `date` in headers and footers, by its name in the IANA database, not an offset.',
      'x-default': 'the time zone of the server',
      examples: ['Europe/Vienna'],
    }),
    addStyleTag: Tags(
      'AddStyleTag',
      StyleTag,
      'Style sheets to add once the document has loaded, before anything else is waited for.',
      { content: 'h1 { color: navy }' },
    ),
    addScriptTag: Tags(
      'AddScriptTag',
      ScriptTag,
      'Scripts to add once the document has loaded, after the style sheets. Cannot be combined with `javascript: false`.',
      { url: 'https://example.com/chart.js' },
    ),
    waitUntil: option(oneOf(WAIT_UNTIL), {
      $id: 'WaitUntil',
      description:
        'When the document counts as loaded. `domcontentloaded`: its markup is parsed. `load`: its images, styles, scripts and frames have loaded. `networkidle0` and `networkidle2`: for half a second there were no requests, or at most two. `finished`: after `load`, the requests of its scripts have ended, it no longer changes, and it says that it is ready (`window.platenReady`, `PagedPolyfill`, `MathJax.startup.promise`, `document.fonts`); this ends at most 5 seconds after the last event, with a warning. Fonts and images are awaited in every case except `domcontentloaded`.',
      default: 'finished',
      examples: ['networkidle0'],
    }),
    animations: option(oneOf(ANIMATIONS), {
      $id: 'Animations',
      description:
        '`finish`: before printing, clocks and timers are run forward by 3 seconds, animations that end are finished, endless ones show their first frame, content that appears on scrolling is shown, and `prefers-reduced-motion` is `reduce`. `run`: the document is printed as it is.',
      default: 'finish',
      examples: ['run'],
    }),
    waitForSelector: option(Type.Union([Selector, Type.Object({ selector: Selector, visible: Flag, hidden: Flag }, CLOSED)]), {
      $id: 'WaitForSelector',
      expected: 'a CSS selector, or an object {selector, visible, hidden}',
      description:
        'Waits until a matching element exists; with `visible: true` until one is visible, with `hidden: true` until none is.',
      'x-default': 'none',
      examples: ['#chart.ready', { selector: '.spinner', hidden: true }],
    }),
    waitForFunction: option(Type.String({ $id: 'WaitForFunction', minLength: 1, maxLength: 10_000 }), {
      expected: 'a JavaScript expression, or a function, of at most 10000 characters',
      description:
        'Waits until this expression, or the result of this function or promise, is truthy in the document. An exception fails the render with `wait_failed`. It works with `javascript: false`, too.',
      'x-default': 'none',
      contentMediaType: 'text/javascript',
      examples: ['window.chartsAreDrawn === true'],
    }),
    waitForTimeout: option(Type.Integer({ $id: 'WaitForTimeout', minimum: 0 }), {
      expected: 'a whole number of milliseconds, at least 0',
      description: 'Waits this long after `load`, `waitForSelector` and `waitForFunction`, before `finished`, fonts and images.',
      default: 0,
      'x-unit': 'ms',
      examples: [500],
    }),
    resourceTimeout: option(Type.Integer({ $id: 'ResourceTimeout', minimum: 1 }), {
      ...MILLISECONDS_FROM_1,
      description:
        'Time for each image, style sheet, script, font and frame. A resource that takes longer is left out, with a warning.',
      'x-default': 'set by `PLATEN_RESOURCE_TIMEOUT_SECONDS`, 10000 unless changed',
      examples: [3_000],
    }),
    javascript: flag(true, 'Whether scripts of the document run. `<noscript>` is shown when they do not.', { $id: 'Javascript' }),
    userAgent: option(Type.String({ $id: 'UserAgent', minLength: 1, maxLength: 500, pattern: '^[ -~]*$' }), {
      expected: 'a string of 1 to 500 printable ASCII characters',
      description: 'The `User-Agent` of requests, and `navigator.userAgent`.',
      'x-default': 'the user agent of the browser',
      examples: ['ReportPrinter/2.0'],
    }),
    baseUrl: option(Type.String({ $id: 'BaseUrl', maxLength: MAX_URL }), {
      expected: URL_EXPECTED,
      description:
        'The base of relative URLs in `html` or a template, unless the markup has a `<base>`. It must not contain a name and password, and cannot be combined with `url`.',
      'x-default': 'none; relative URLs then cannot be loaded',
      examples: ['https://example.com/reports/'],
    }),
    cookies: option(Type.Array(Cookie, { $id: 'Cookies', maxItems: 100 }), {
      expected: 'a list of at most 100 cookies {name, value}',
      description: `Cookies for the origin of \`url\` or \`baseUrl\`, and for no other. ${OF_TARGET}`,
      'x-default': 'none',
      examples: [[{ name: 'session', value: 'abc123' }]],
    }),
    extraHTTPHeaders: option(Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), CLOSED), {
      $id: 'ExtraHTTPHeaders',
      expected: 'an object of header names and their values',
      description: `At most 50 headers for requests to the origin of \`url\` or \`baseUrl\`, and to no other. Headers of the connection, such as \`Host\`, \`Content-Length\`, \`Proxy-*\` and \`Sec-*\`, are rejected. ${OF_TARGET}`,
      'x-default': 'none',
      examples: [{ Authorization: 'Bearer abc123' }],
    }),
    authenticate: option(
      Type.Object({ username: Type.String({ maxLength: 1_000 }), password: Type.String({ maxLength: 1_000 }) }, CLOSED),
      {
        $id: 'Authenticate',
        expected: 'an object {username, password}',
        description: `Name and password for the origin of \`url\` or \`baseUrl\` alone (HTTP Basic or Digest). Cannot be combined with those in \`url\`. ${OF_TARGET}`,
        'x-default': 'none',
        examples: [{ username: 'ada', password: 'secret' }],
      },
    ),
    failOnHttpStatus: option(Type.Union([Type.Boolean(), Type.Array(HttpStatus, { maxItems: 500 })]), {
      $id: 'FailOnHttpStatus',
      expected: 'true, false, or a list of HTTP statuses',
      description:
        'Which statuses fail the render. `true`: 400 and above, of the document (`navigation_failed`) and of any resource (`render_gate_failed`). A list: these statuses of any resource, and 400 and above of the document. `false`: none, so that error pages are printed.',
      'x-default': '400 and above, of the document at `url`',
      examples: [true, [404, 410]],
    }),
    failOnResourceError: flag(
      false,
      'Whether a missing image, style sheet, script, font or frame fails the render (`render_gate_failed`).',
      { $id: 'FailOnResourceError' },
    ),
    failOnConsoleError: flag(
      false,
      'Whether `console.error`, a failed `console.assert`, an uncaught exception or over 1,000 messages fail the render (`render_gate_failed`).',
      { $id: 'FailOnConsoleError' },
    ),
    layout: option(Type.Array(Selector, { maxItems: 100 }), {
      expected: 'a list of at most 100 CSS selectors',
      description: `Reports where elements are on the pages of the PDF, as \`layout\` of the report: a box in points for each page that an element is on, and why a page break is before it. The selectors select at most ${MAX_LAYOUT_ELEMENTS} elements.`,
      'x-default': 'none',
      examples: [['h2', '#total']],
    }),
    letterhead: option(
      Type.Object(
        {
          file: FileOf('A PDF'),
          document_id: DocumentId,
          margin: option(Margin, {
            expected: MARGIN,
            description: 'The room that the letterhead needs, as `options.margin`, with which it cannot be combined.',
            'x-unit': 'px',
            'x-default': 'that of the document',
            examples: ['60mm 25mm 30mm'],
          }),
        },
        { ...CLOSED, $id: 'Letterhead' },
      ),
      {
        expected: 'an object {file | document_id, margin}',
        description:
          'A PDF under the pages: its first page under the first, and so on, and its last page also under all that follow. A profile of PDF/A fails with `not_conformant` if the letterhead breaks it.',
        'x-default': 'none',
        examples: [{ document_id: 'doc_0123456789ABCDEFGHIJKL', margin: '60mm 25mm 30mm' }],
      },
    ),
    ...FINISH_OPTIONS,
    failOnWarning: option(Type.Array(oneOf(WARNING_KINDS), { maxItems: WARNING_KINDS.length }), {
      $id: 'FailOnWarning',
      expected: `a list of ${WARNING_KINDS.join(', ')}`,
      description: 'Kinds of warnings that fail the render (`render_gate_failed`).',
      default: [],
      examples: [['resource_failed']],
    }),
    timeout: option(Type.Integer({ $id: 'Timeout', minimum: 1 }), {
      ...MILLISECONDS_FROM_1,
      description: 'Time for the whole render, including waiting; at most `PLATEN_MAX_RENDER_TIMEOUT_MS`.',
      'x-default': 'set by `PLATEN_RENDER_TIMEOUT_MS`, 30000 unless changed',
      examples: [10_000],
    }),
  },
  { ...CLOSED, $id: 'PdfOptions', expected: 'an object' },
);

export const FILENAME = 'a name without / and \\ and control characters, at most 200 characters';

export const TEMPLATE_ID = 'the id of a template, tpl_..., which @latest, @published or a version such as @7 may follow';

/** Each source, and the fields that only some sources have. */
export const SOURCES_WITH_FIELDS = {
  html: ['assets'],
  markdown: ['stylesheet', 'assets'],
  url: [],
  template_id: ['data', 'assets'],
};

export const PdfRequestBody = Type.Object(
  {
    html: option(Type.String({ $id: 'Html' }), {
      expected: 'a string of HTML',
      description: `A complete HTML document, at most ${MAX_HTML_BYTES} bytes of UTF-8.`,
      contentMediaType: 'text/html',
      examples: ['<h1>Hello</h1>'],
    }),
    markdown: option(Type.String({ $id: 'Markdown' }), {
      expected: 'a string of Markdown',
      description: `A document in Markdown: CommonMark with tables and strikethrough; HTML is kept. At most ${MAX_HTML_BYTES} bytes of UTF-8, also as HTML.`,
      contentMediaType: 'text/markdown',
      examples: ['# Hello'],
    }),
    stylesheet: option(Type.String({ $id: 'Stylesheet', maxLength: MAX_STYLESHEET }), {
      expected: `a string of CSS, at most ${MAX_STYLESHEET} characters`,
      description:
        'The style sheet of a `markdown` document, in place of the default one. To add to that one, use `options.addStyleTag` or a `<style>` in the Markdown.',
      'x-default': 'a style sheet for print',
      contentMediaType: 'text/css',
      examples: ['body { font: 11pt/1.5 serif }'],
    }),
    url: option(Type.String({ $id: 'Url', maxLength: MAX_URL }), {
      expected: URL_EXPECTED,
      description: `The URL of an HTML document of at most ${MAX_HTML_BYTES} bytes, which the service fetches itself. Redirects are followed. A name and password in the URL are used as \`authenticate\`.`,
      examples: ['https://example.com/'],
    }),
    template_id: option(Type.String({ $id: 'TemplateId', maxLength: 64 }), {
      expected: TEMPLATE_ID,
      description:
        'A stored template of the same key, or one that its account shares: `tpl_...`, `tpl_...@7` for version 7, `tpl_...@published` for the version that its owner published. Without a version, and with `@latest`, the current one. Filled with `data`, it may have as many bytes as `html`.',
      examples: ['tpl_0123456789ABCDEFGHIJKL'],
    }),
    data: option(AnyObject, {
      $id: 'Data',
      description: 'The values the template is filled with. Requires `template_id`.',
      default: {},
      examples: [{ customer: { name: 'Ada' } }],
    }),
    assets: Type.Optional(AssetsSchema),
    options: Type.Optional(PdfOptions),
    store: option(Type.Boolean({ $id: 'Store' }), {
      description:
        'Stores the result and answers 201 with its record. `false` exempts one call when the account stores every result.',
      'x-default': '`auto_store` of the account',
      examples: [true],
    }),
    metadata: option(MetadataSchema, {
      $id: 'DocumentMetadata',
      description: `${METADATA_MEANING} Properties of the PDF itself are \`options.metadata\`. Default: none.`,
    }),
    conformance_report: flag(false, 'Returns the violations of `options.conformance` instead of a PDF, without a charge.', {
      $id: 'ConformanceReportField',
    }),
    dry_run: flag(
      false,
      'Renders and charges nothing, and reports what would happen: problems, data that the template lacks or does not use, the allowance, and which URLs are allowed.',
      { $id: 'DryRun' },
    ),
    filename: option(Type.String({ $id: 'Filename' }), {
      expected: FILENAME,
      description: 'The name under which a browser saves the result.',
      'x-default': 'none, or the id of the stored document',
      examples: ['invoice-42.pdf'],
    }),
  },
  { ...CLOSED, $id: 'PdfRequest', expected: 'a JSON object', 'x-sources': SOURCES_WITH_FIELDS },
);

export type PdfRequestBody = Static<typeof PdfRequestBody>;
export type PdfOptions = Static<typeof PdfOptions>;
