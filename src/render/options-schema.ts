/** The shape of `POST /v1/pdf`, with the words of its documentation. */
import { type Static, type TSchema, Type } from 'typebox';
import { MAX_DOCUMENT_BYTES } from '../chromium/load/load-settings.ts';
import { AssetsSchema } from './assets.ts';
import { FINISH_OPTIONS } from './finish-schema.ts';
import { oneOf, option } from './option.ts';
import { WARNING_KINDS } from './report.ts';

export const MAX_HTML_BYTES = MAX_DOCUMENT_BYTES;

const LENGTH = 'a length: a number of CSS pixels, or a string such as 10mm, 2.5cm, 1in, 72pt, 96px';

const Length = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.String()], { description, expected: LENGTH, examples: ['10mm', 96] });

const Margins = Type.Object(
  {
    top: Type.Optional(Length('Default: 0.')),
    right: Type.Optional(Length('Default: 0.')),
    bottom: Type.Optional(Length('Default: 0.')),
    left: Type.Optional(Length('Default: 0.')),
  },
  { additionalProperties: false },
);

const WAIT_UNTIL = ['finished', 'load', 'domcontentloaded', 'networkidle0', 'networkidle2'] as const;
const ANIMATIONS = ['finish', 'run'] as const;
const MEDIA_TYPES = ['print', 'screen'] as const;
const COLOR_SCHEMES = ['light', 'dark'] as const;
const MAX_VIEWPORT = 16_384;
const MAX_TEMPLATE = 524_288;
const MAX_TAG = 1_048_576;
const MAX_STYLESHEET = 524_288;
const MAX_URL = 8_192;
export const URL_EXPECTED = 'an address that begins with https:// or http://';
const OF_TARGET = 'Goes with `url`, or with `baseUrl`.';

const Template = (where: string, example: string) =>
  option(
    Type.String({ maxLength: MAX_TEMPLATE }),
    `a string of HTML, at most ${MAX_TEMPLATE} characters`,
    `HTML printed ${where} the text of each page. Elements of the classes \`date\`, \`title\`, \`url\`, \`pageNumber\` and \`totalPages\` are filled in (\`url\` where the document came from one); styles stand in the template itself, images come by \`data:\` addresses, and nothing else is loaded (400 where it names an external address); scripts do not run. When \`margin\` is not sent, the margin grows so that nothing overlaps, unless an \`@page\` rule in the markup sets it. Default: none.`,
    example,
  );

const Content = Type.String({ maxLength: MAX_TAG });
const TagUrl = Type.String({ maxLength: MAX_URL });
const ScriptType = Type.Optional(Type.String({ maxLength: 64, description: 'For example `module`. Default: a classic script.' }));
const CLOSED = { additionalProperties: false };
const StyleTag = Type.Union([Type.Object({ content: Content }, CLOSED), Type.Object({ url: TagUrl }, CLOSED)]);
const ScriptTag = Type.Union([
  Type.Object({ content: Content, type: ScriptType }, CLOSED),
  Type.Object({ url: TagUrl, type: ScriptType }, CLOSED),
]);

const Tags = <T extends TSchema>(Tag: T, what: string, example: unknown) =>
  Type.Optional(
    Type.Union([Tag, Type.Array(Tag, { maxItems: 50 })], {
      expected: 'an object {content} or {url}, or a list of at most 50 such objects',
      description: `${what} added to the document once it has loaded, before anything else is waited for. Default: none.`,
      examples: [example],
    }),
  );

const Selector = Type.String({ minLength: 1, maxLength: 1_000 });
const Flag = Type.Optional(Type.Boolean());

const Cookie = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256 }),
    value: Type.String({ maxLength: 4_096 }),
    domain: Type.Optional(Type.String({ maxLength: 256, description: 'Default, and nothing else: the host it is sent to.' })),
    path: Type.Optional(Type.String({ maxLength: 1_024, description: 'Default: `/`.' })),
    expires: Type.Optional(Type.Number({ description: 'Seconds since 1970. Default, or -1: with the render.' })),
    httpOnly: Flag,
    secure: Flag,
    sameSite: Type.Optional(Type.Union([Type.Literal('Strict'), Type.Literal('Lax'), Type.Literal('None')])),
  },
  { additionalProperties: false },
);

/** What is not listed here is refused like any unknown name. */
export const PdfOptions = Type.Object(
  {
    format: option(
      Type.String(),
      'one of A0 to A6, Letter, Legal, Tabloid, Ledger',
      'Paper format, in any case; when sent, it wins over every `@page` size, those of named pages too. Default: A4, or the `@page` size in the markup.',
      'Letter',
    ),
    width: Type.Optional(
      Length(
        'Width of the paper; goes with `height`, or with `singlePage` alone, and replaces `format`. Default: that of the format.',
      ),
    ),
    height: Type.Optional(Length('Height of the paper; goes with `width` and replaces `format`. Default: that of the format.')),
    landscape: option(
      Type.Boolean(),
      'true or false',
      'Turns the paper on its side; an `@page` size in the markup wins, unless `format`, `width` or `height` is sent. Default: false.',
      true,
    ),
    margin: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.String(), Margins], {
        description:
          'One length for all sides, or `{top, right, bottom, left}`. Default: 0.4in, or the `@page` margin in the markup; when sent, it wins over every `@page` margin.',
        expected: `${LENGTH}; or an object of such lengths`,
        examples: ['20mm'],
      }),
    ),
    printBackground: option(Type.Boolean(), 'true or false', 'Prints background colours and images. Default: true.', false),
    scale: option(Type.Number({ minimum: 0.1, maximum: 2 }), 'a number from 0.1 to 2', 'Scale of the content. Default: 1.', 0.8),
    pageRanges: option(
      Type.String({ maxLength: 1_000 }),
      'page ranges such as 1-3, 5, 8-',
      'Pages to keep. Default: all.',
      '1-3, 5',
    ),
    preferCSSPageSize: option(
      Type.Boolean(),
      'true or false',
      'Whether an `@page` size in the markup wins. Default: true, unless `format`, `width` or `height` is sent.',
      true,
    ),
    tagged: option(Type.Boolean(), 'true or false', 'Writes a tagged, accessible PDF; larger and slower. Default: false.', true),
    outline: option(
      Type.Boolean(),
      'true or false',
      'Writes bookmarks from the headings, which makes the PDF a tagged one. Default: false.',
      true,
    ),
    omitBackground: option(
      Type.Boolean(),
      'true or false',
      'Leaves the page itself transparent where the document paints nothing. Default: false.',
      true,
    ),
    singlePage: option(
      Type.Boolean(),
      'true or false',
      'Prints the whole document on one page as high as it is, at most 200 inches. Goes not with `height` and `pageRanges`. Default: false.',
      true,
    ),
    headerTemplate: Template('above', '<span style="margin: auto"><span class="title"></span></span>'),
    footerTemplate: Template(
      'below',
      '<span style="margin: auto"><span class="pageNumber"></span> / <span class="totalPages"></span></span>',
    ),
    mediaType: option(
      oneOf(MEDIA_TYPES),
      `one of ${MEDIA_TYPES.join(', ')}`,
      'The CSS media the document is printed for. Default: print.',
      'screen',
    ),
    colorScheme: option(
      oneOf(COLOR_SCHEMES),
      `one of ${COLOR_SCHEMES.join(', ')}`,
      'What `prefers-color-scheme` answers. Default: light.',
      'dark',
    ),
    viewport: Type.Optional(
      Type.Object(
        {
          width: Type.Integer({ minimum: 1, maximum: MAX_VIEWPORT }),
          height: Type.Integer({ minimum: 1, maximum: MAX_VIEWPORT }),
          deviceScaleFactor: Type.Optional(Type.Number({ minimum: 0.1, maximum: 10, description: 'Default: 1.' })),
        },
        {
          additionalProperties: false,
          expected: `an object {width, height, deviceScaleFactor}: whole numbers of pixels from 1 to ${MAX_VIEWPORT}, and a factor from 0.1 to 10`,
          description:
            'The window in which the document is loaded and its scripts run, in CSS pixels; what is printed is laid out for the paper. Default: 800 by 600.',
          examples: [{ width: 1280, height: 800 }],
        },
      ),
    ),
    locale: option(
      Type.String({ maxLength: 64 }),
      'a language tag such as de-AT',
      'The language of the reader: `navigator.language`, number and date formats of scripts, Accept-Language. Default: en-US.',
      'de-AT',
    ),
    timezone: option(
      Type.String({ maxLength: 64 }),
      'a time zone such as Europe/Vienna',
      'The time zone of scripts, by its name in the IANA database. Default: that of the server.',
      'Europe/Vienna',
    ),
    addStyleTag: Tags(StyleTag, 'Style sheets', { content: 'h1 { color: navy }' }),
    addScriptTag: Tags(ScriptTag, 'Scripts', { url: 'https://example.com/chart.js' }),
    waitUntil: option(
      oneOf(WAIT_UNTIL),
      `one of ${WAIT_UNTIL.join(', ')}`,
      'When the document counts as loaded: `finished` when, after `load`, the requests of its scripts have ended, it has stopped changing and it says that it is ready (`window.platenReady`, `PagedPolyfill`, `MathJax.startup.promise`, `document.fonts`), at most 5 seconds after something new happened, with a warning; `load` when its images, styles, scripts and frames have come; `domcontentloaded` when its markup has; `networkidle0` and `networkidle2` when for half a second no, or at most two, requests were under way. Default: finished. Fonts and images are awaited in any case but `domcontentloaded`.',
      'networkidle0',
    ),
    animations: option(
      oneOf(ANIMATIONS),
      `one of ${ANIMATIONS.join(', ')}`,
      '`finish`: before the print, clocks and timers of the document are run forward by 3 seconds, animations that end are finished, those that do not show their first frame, whatever waits to be scrolled to is shown, and `prefers-reduced-motion` is `reduce`. `run`: the document is printed as it is at that moment. Default: finish.',
      'run',
    ),
    waitForSelector: Type.Optional(
      Type.Union([Selector, Type.Object({ selector: Selector, visible: Flag, hidden: Flag }, { additionalProperties: false })], {
        expected: 'a CSS selector, or an object {selector, visible, hidden}',
        description:
          'Waits until an element that matches is in the document; with `visible: true` until one can be seen, with `hidden: true` until none can. Default: none.',
        examples: ['#chart.ready', { selector: '.spinner', hidden: true }],
      }),
    ),
    waitForFunction: option(
      Type.String({ maxLength: 10_000 }),
      'a JavaScript expression, or a function, of at most 10000 characters',
      'Waits until this expression, or what this function returns, is truthy in the document. An exception fails the render at once (422 wait_failed). Default: none.',
      'window.chartsAreDrawn === true',
    ),
    waitForTimeout: option(
      Type.Integer({ minimum: 0 }),
      'a whole number of milliseconds, at least 0',
      'Waits so many milliseconds after `load`, `waitForSelector` and `waitForFunction`; what `finished` waits for, fonts and images are awaited after that. Default: 0.',
      500,
    ),
    resourceTimeout: option(
      Type.Integer({ minimum: 1 }),
      'a whole number of milliseconds, at least 1',
      'Time for each image, style, script, font and frame in milliseconds; what takes longer is left out, with a warning. Default: set by the operator, 10000 unless changed.',
      3_000,
    ),
    javascript: option(Type.Boolean(), 'true or false', 'Whether scripts of the document run. Default: true.', false),
    userAgent: option(
      Type.String({ minLength: 1, maxLength: 500 }),
      'a string of 1 to 500 printable ASCII characters',
      'The User-Agent the document and its parts are asked for with. Default: that of the browser.',
      'ReportPrinter/2.0',
    ),
    baseUrl: option(
      Type.String({ maxLength: MAX_URL }),
      URL_EXPECTED,
      'Where relative addresses in `html` or a template start from; a `<base>` in the markup wins. Default: none, so that relative addresses lead nowhere.',
      'https://example.com/reports/',
    ),
    cookies: Type.Optional(
      Type.Array(Cookie, {
        maxItems: 100,
        expected: 'a list of at most 100 cookies {name, value}',
        description: `Cookies, sent to the origin of \`url\` or \`baseUrl\` only. ${OF_TARGET} Default: none.`,
        examples: [[{ name: 'session', value: 'abc123' }]],
      }),
    ),
    extraHTTPHeaders: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), {
        expected: 'an object of header names and their values',
        description: `At most 50 headers, sent to the origin of \`url\` or \`baseUrl\` only, not to what it redirects to elsewhere. ${OF_TARGET} Default: none.`,
        examples: [{ Authorization: 'Bearer abc123' }],
      }),
    ),
    authenticate: Type.Optional(
      Type.Object(
        { username: Type.String({ maxLength: 1_000 }), password: Type.String({ maxLength: 1_000 }) },
        {
          additionalProperties: false,
          expected: 'an object {username, password}',
          description: `Answers the origin of \`url\` or \`baseUrl\`, and no other, when it asks for a name and password (HTTP Basic, Digest). ${OF_TARGET} Default: none.`,
          examples: [{ username: 'ada', password: 'secret' }],
        },
      ),
    ),
    failOnHttpStatus: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { maxItems: 500 })], {
        expected: 'true, false, or a list of HTTP statuses',
        description:
          'Which statuses fail the render. Default: 400 and above, of the document at `url` (422 navigation_failed). `true`: also of any image, style, script, font or frame (422 render_gate_failed). A list: these, of anything, besides. `false`: none; pages of errors are printed.',
        examples: [true, [404, 410]],
      }),
    ),
    failOnResourceError: option(
      Type.Boolean(),
      'true or false',
      'Whether an image, style, script, font or frame that is missing, for whatever reason, fails the render (422 render_gate_failed). Default: false, with a warning.',
      true,
    ),
    failOnConsoleError: option(
      Type.Boolean(),
      'true or false',
      'Whether an error the document writes to its console, or does not catch, fails the render (422 render_gate_failed). Default: false.',
      true,
    ),
    ...FINISH_OPTIONS,
    failOnWarning: option(
      Type.Array(oneOf(WARNING_KINDS), { maxItems: WARNING_KINDS.length }),
      `a list of ${WARNING_KINDS.join(', ')}`,
      'Kinds of warnings that fail the render (422 render_gate_failed). Default: none.',
      ['resource_failed'],
    ),
    timeout: option(
      Type.Integer({ minimum: 1 }),
      'a whole number of milliseconds, at least 1',
      'Time for the whole render in milliseconds, waiting included. Default: set by the operator, 30000 unless changed.',
      10_000,
    ),
  },
  { additionalProperties: false, expected: 'an object' },
);

export const FILENAME = 'a name without / and \\ and control characters, at most 200 characters';

export const PdfRequestBody = Type.Object(
  {
    html: option(
      Type.String(),
      'a string of HTML',
      `A complete HTML document, at most ${MAX_HTML_BYTES} bytes of UTF-8. Exactly one of \`html\`, \`markdown\`, \`url\` and \`template_id\` is sent.`,
      '<h1>Hello</h1>',
    ),
    markdown: option(
      Type.String(),
      'a string of Markdown',
      `A document in Markdown: CommonMark with tables and strikethrough; HTML in it is kept. At most ${MAX_HTML_BYTES} bytes of UTF-8, as text and as the HTML it becomes.`,
      '# Hello',
    ),
    stylesheet: option(
      Type.String({ maxLength: MAX_STYLESHEET }),
      `a string of CSS, at most ${MAX_STYLESHEET} characters`,
      'The style sheet of a `markdown` document. It replaces the default one, and may be empty. To add to the default one instead, use `options.addStyleTag`, or a `<style>` in the Markdown. Default: a style sheet for print.',
      'body { font: 11pt/1.5 serif }',
    ),
    url: option(
      Type.String({ maxLength: MAX_URL }),
      URL_EXPECTED,
      `The address of an HTML document of at most ${MAX_HTML_BYTES} bytes, which the service fetches itself. Redirects are followed. A name and password in it are sent as by \`authenticate\`.`,
      'https://example.com/',
    ),
    template_id: option(
      Type.String({ maxLength: 64 }),
      'the id of a template, tpl_...',
      'A stored template of the same key. Filled with `data` it may have as many bytes as `html`.',
      'tpl_0123456789ABCDEFGHIJKL',
    ),
    data: option(Type.Unknown(), 'an object', 'What the template is filled with. Default: an empty object.', {
      customer: { name: 'Ada' },
    }),
    assets: Type.Optional(AssetsSchema),
    options: Type.Optional(PdfOptions),
    store: option(
      Type.Boolean(),
      'true or false',
      'Stores the PDF and answers 201 with its record. `false` keeps one call out of the storing an account has switched on for all. Default: as the account says, with the PDF as the reply.',
      true,
    ),
    filename: option(
      Type.String(),
      FILENAME,
      'The name a browser saves the PDF under. Default: none, or the id of the stored document.',
      'invoice-42.pdf',
    ),
  },
  { additionalProperties: false, expected: 'a JSON object' },
);

export type PdfRequestBody = Static<typeof PdfRequestBody>;
export type PdfOptions = Static<typeof PdfOptions>;
