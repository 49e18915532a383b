/** The schema of `POST /v1/pdf/assemble`. Keywords of the schema hold its documentation. */
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { EXTRACTED, EXTRACTED_BY_DEFAULT } from '../../../pdf/assemble/extract.ts';
import { PAGE_CHOICE_EXPECTED } from '../../../pdf/assemble/page-choice.ts';
import { ALL_PROFILES } from '../../../pdf/conformance/profiles.ts';
import { POSITIONS } from '../../../pdf/edit/embedded-page.ts';
import { type Bookmark, MAX_BOOKMARKS } from '../../../pdf/structure/outline.ts';
import { DocumentId, FileOf } from './file-schema.ts';
import { Attachment, Images, MAX_ATTACHMENTS, MAX_IMAGE, Metadata, Password } from './finish-schema.ts';
import { LENGTH, MARGIN } from './length-schema.ts';
import { flag, oneOf, option } from './option.ts';
import { Margin, PdfOptions, PdfRequestBody } from './options-schema.ts';
import { SIGNATURE_STEP } from './signature-schema.ts';

export const MAX_PARTS = 2_000;
export const MAX_STEPS = 50;
const MAX_TEXT = 2_000;

const CLOSED = { additionalProperties: false };
const { html, markdown, stylesheet, url, template_id, data, store, filename, metadata, assets, dry_run } =
  PdfRequestBody.properties;

const Pages = option(Type.String({ maxLength: 2_000 }), {
  $id: 'PageChoice',
  expected: PAGE_CHOICE_EXPECTED,
  description:
    'Pages, counted from 1: `1-3`, `7-`, `odd`, `even`, `first`, `last`, and `!4` for all others than page 4. They keep this order.',
  'x-default': 'all',
  examples: ['1-3, 7-'],
});
const PartSchema = Type.Object(
  {
    ...{ html, markdown, stylesheet, url, template_id, data },
    options: option(PdfOptions, { description: 'The options of a part that is rendered.' }),
    document_id: DocumentId,
    file: FileOf('A PDF'),
    pages: Pages,
    title: option(Type.String({ maxLength: 1_000 }), {
      description: 'The text of its bookmark.',
      'x-default': 'the name of the file, or the title of the document',
    }),
    password: option(Type.String({ minLength: 1, maxLength: 127 }), { description: 'Opens a PDF that is protected.' }),
  },
  { ...CLOSED, $id: 'AssemblyPart', expected: 'an object with one of html, markdown, url, template_id, document_id or file' },
);

const Offset = option(Type.Union([Type.Number(), Type.String({ maxLength: 64 })]), {
  expected: LENGTH,
  default: 0,
  'x-unit': 'px',
});

const DRAWN = {
  text: option(Type.String({ minLength: 1, maxLength: MAX_TEXT }), {
    description:
      'A text in any script. `{{page}}`, `{{pages}}`, `{{part_page}}`, `{{part_pages}}` and `{{title}}` are replaced on each page.',
    examples: ['{{page}} / {{pages}}'],
  }),
  html: option(Type.String({ minLength: 1, maxLength: MAX_IMAGE }), {
    description: 'Markup, with its own styles. Nothing is loaded, and no script runs. The same fields are replaced, and escaped.',
    contentMediaType: 'text/html',
  }),
  image: option(Type.String({ minLength: 1, maxLength: MAX_IMAGE }), {
    description: 'PNG, JPEG, GIF, WebP or SVG: the name of a file, base64, or a `data:` URL.',
  }),
  file: FileOf('A PDF, of which the first page is drawn'),
  document_id: DocumentId,
  pages: Pages,
  position: option(oneOf(POSITIONS), { default: 'center', examples: ['bottom-right'] }),
  offset: option(Type.Object({ x: Offset, y: Offset }, { ...CLOSED, $id: 'Offset' }), {
    description: 'Moves it to the right and down. Negative numbers move it to the left and up.',
    examples: [{ x: '-1cm', y: '-1cm' }],
  }),
  scale: option(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), {
    description: 'A factor of its own size.',
    'x-default': '1 for a text with `font_size`, for `html` and for a PDF; else as large as the page allows',
  }),
  fit: option(Type.Number({ exclusiveMinimum: 0, maximum: 1 }), {
    description: 'Makes it as large as this share of the page allows. Cannot be combined with `scale`.',
    examples: [0.5],
  }),
  rotate: option(Type.Number({ minimum: -360, maximum: 360 }), {
    description: 'Counterclockwise.',
    default: 0,
    'x-unit': 'degrees',
  }),
  opacity: option(Type.Number({ exclusiveMinimum: 0, maximum: 1 }), { default: 1, examples: [0.3] }),
  color: option(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', expected: 'a colour such as #cc0000' }), {
    description: 'Of the text.',
    default: '#000000',
    examples: ['#cc0000'],
  }),
  font_size: option(Type.Number({ minimum: 1, maximum: 1_000 }), { description: 'Of the text.', 'x-unit': 'pt' }),
  font: option(Type.String({ maxLength: 200, pattern: "^[\\w ,'-]+$", expected: 'names of fonts' }), {
    description: 'Names of fonts, as in CSS.',
    default: 'sans-serif',
  }),
};

const Drawing = Type.Object(DRAWN, { ...CLOSED, $id: 'Drawing' });
const Draw = (description: string) =>
  option(Drawing, {
    description,
    expected: 'an object with one of text, html, image, file or document_id',
    examples: [{ text: 'PAID', position: 'top-right', font_size: 24 }],
  });

const MAX_VALUE = 16_000;
const Value = Type.Union([Type.String({ maxLength: MAX_VALUE }), Type.Boolean(), Type.Array(Type.String({ maxLength: 1_000 }))], {
  expected: `a text of at most ${MAX_VALUE} characters, true, false, or a list of texts`,
});

const Fields = Type.Record(Type.String(), Value, { expected: 'an object of names of fields and their values' });

/** Bookmarks below others, in so many levels. */
const LEVELS = 3;
const Item = ($id: string, more: Record<string, TSchema>) =>
  Type.Object(
    {
      title: Type.String({ maxLength: 1_000 }),
      page: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
      part: option(Type.Integer({ minimum: 0 }), {
        description: 'The part in which `page` is counted, from 0.',
        'x-default': '`page` is counted in the whole',
      }),
      ...more,
    },
    { ...CLOSED, $id },
  );

function bookmarkSchema(levels: number): TSchema {
  const $id = `BookmarkOfLevel${LEVELS - levels + 1}`;
  if (levels === 1) return Item($id, {});
  return Item($id, { children: Type.Optional(Type.Array(bookmarkSchema(levels - 1), { maxItems: MAX_BOOKMARKS })) });
}

const BookmarkSchema = Type.Unsafe<Bookmark>(bookmarkSchema(LEVELS));

const AnyProfile = { ...oneOf(ALL_PROFILES), $id: 'AnyProfile' };
const Points = Type.Number({ minimum: 0, maximum: 20_000, 'x-unit': 'pt' });
const Side = Type.Number({ exclusiveMinimum: 0, maximum: 20_000, 'x-unit': 'pt' });
const Box = Type.Object(
  {
    page: Type.Integer({
      minimum: -1,
      not: { const: 0 },
      expected: 'the number of a page, or -1 for the last one',
      description: 'Counted from 1. -1 is the last one.',
    }),
    x: { ...Points, description: 'Distance from the left edge of the page as it is shown, in points.' },
    y: { ...Points, description: 'Distance from its upper edge, or with `origin` from its lower edge.' },
    width: Side,
    height: Side,
  },
  { ...CLOSED, $id: 'RedactedBox' },
);
const MAX_WANTED = 500;
const wanted = (maxLength: number) => Type.Array(Type.String({ minLength: 1, maxLength }), { minItems: 1, maxItems: MAX_WANTED });
const Redact = Type.Object(
  {
    texts: option(wanted(1_000), {
      description: 'Texts, also if they are divided between lines or fonts. White space stands for any white space.',
      examples: [['Ada Lovelace']],
    }),
    expressions: option(wanted(1_000), {
      description: 'Expressions in the syntax of [RE2](https://github.com/google/re2/wiki/Syntax).',
      examples: [['[A-Z]{2}\\d{20}']],
    }),
    ignore_case: flag(false, 'Whether upper and lower case are the same.'),
    boxes: option(Type.Array(Box, { minItems: 1, maxItems: 10_000 }), {
      description:
        'Areas of pages. Text and annotations that they touch, paths inside of them and pixels under them are removed.',
      examples: [[{ page: 1, x: 72, y: 144, width: 200, height: 20 }]],
    }),
    origin: option(oneOf(['top-left', 'bottom-left']), {
      description:
        'The corner of the page as it is shown from which boxes are measured, and which of their corners `x` and `y` name.',
      default: 'top-left',
      examples: ['bottom-left'],
    }),
    color: option(Type.String({ pattern: '^(?:#[0-9a-fA-F]{6}|none)$', expected: 'a colour such as #cc0000, or none' }), {
      description: 'Of what is painted where something was removed. `none` paints nothing.',
      default: '#000000',
      examples: ['#808080'],
    }),
    drop_attachments: flag(
      false,
      'Removes all attachments. Without it, those in which something is found are removed, and the step is refused if one is no text.',
    ),
  },
  { ...CLOSED, $id: 'RedactStep' },
);

export const StepSchema = Type.Object(
  {
    select: option(Type.Object({ pages: Pages }, { ...CLOSED, $id: 'SelectStep' }), {
      description: 'Keeps pages, in the given order.',
      examples: [{ pages: '1-3, last' }],
    }),
    rotate: option(Type.Object({ angle: oneOfNumbers([90, 180, 270]), pages: Pages }, { ...CLOSED, $id: 'RotateStep' }), {
      description: 'Turns pages clockwise.',
      examples: [{ angle: 90, pages: 'odd' }],
    }),
    stamp: Draw('Draws something over pages.'),
    watermark: Draw('Draws something under the content of pages.'),
    letterhead: option(
      Type.Object(
        {
          ...{ file: FileOf('A PDF'), document_id: DocumentId, pages: Pages },
          margin: option(Margin, {
            expected: MARGIN,
            description: 'The room that it needs: the margin of all parts that are rendered and have none of their own.',
            'x-unit': 'px',
            'x-default': 'that of the parts',
            examples: ['60mm 25mm 30mm'],
          }),
        },
        { ...CLOSED, $id: 'LetterheadStep' },
      ),
      {
        description:
          'Puts pages on a letterhead: its first page is under the first page, its last page also under all that follow.',
        examples: [{ file: 'letterhead.pdf', margin: '60mm 25mm 30mm' }],
      },
    ),
    bookmarks: option(
      Type.Object(
        {
          mode: option(oneOf(['parts', 'keep', 'none']), {
            description: '`parts`: one for each part, with its own below it. `keep`: those of the parts. `none`: no bookmarks.',
            'x-default': '`parts` for several parts, `keep` for one',
          }),
          items: option(Type.Array(BookmarkSchema, { maxItems: MAX_BOOKMARKS }), {
            description: 'These bookmarks. With `keep`, each has a `part`, and other parts keep their own.',
          }),
        },
        { ...CLOSED, $id: 'BookmarksStep' },
      ),
      { description: 'Writes the bookmarks.', examples: [{ items: [{ title: 'Invoice', page: 1 }] }] },
    ),
    metadata: option(Metadata, { description: 'Writes entries of the metadata. Others stay.', examples: [{ title: 'Offer' }] }),
    attach: option(
      Type.Object(
        { files: Type.Array(Attachment, { minItems: 1, maxItems: MAX_ATTACHMENTS }) },
        { ...CLOSED, $id: 'AttachStep' },
      ),
      {
        description: 'Attaches files.',
      },
    ),
    fill: option(Type.Object({ fields: Fields }, { ...CLOSED, $id: 'FillStep' }), {
      description: 'Fills form fields by their names.',
      examples: [{ fields: { name: 'Ada', agreed: true } }],
    }),
    flatten: option(
      Type.Object(
        { annotations: flag(false, 'Whether annotations become content as well. Links stay.') },
        { ...CLOSED, $id: 'FlattenStep' },
      ),
      {
        description: 'Makes form fields part of the pages.',
        examples: [{}],
      },
    ),
    compose: option(
      Type.Object(
        {
          per_sheet: option(oneOfNumbers([2, 4]), { description: 'The number of pages on a sheet.', default: 2 }),
          booklet: flag(false, 'Orders two pages on a sheet as in a booklet that is printed on both sides and folded.'),
        },
        { ...CLOSED, $id: 'ComposeStep' },
      ),
      {
        description:
          'Puts several pages on each sheet, which has the size of the first page. Only their content is kept, and bookmarks.',
        examples: [{ booklet: true }],
      },
    ),
    optimize: option(Images, {
      description:
        'Makes the PDF smaller; without members, without a change that can be seen. `quality` holds for JPEGs as well.',
      examples: [{}],
    }),
    redact: option(Redact, {
      description:
        'Removes texts and areas from everything: pages, annotations, form fields, metadata, bookmarks, tags, attachments and images. Refused if they would still be there, or if a part of the PDF cannot be read.',
      expected: 'an object with at least one of texts, expressions, boxes',
      examples: [{ texts: ['Ada Lovelace'], expressions: ['\\d{3}-\\d{2}-\\d{4}'] }],
    }),
    decrypt: option(Type.Object({}, { ...CLOSED, $id: 'DecryptStep' }), {
      description:
        'Tells that parts are meant to lose their passwords and restrictions, so that `dropped` does not report it. A part without them stays as it is.',
      examples: [{}],
    }),
    encrypt: option(Password, {
      description: 'Protects the PDF, as `options.password` does. Must be the last step but `split`.',
    }),
    conform: option(
      Type.Object(
        {
          profile: {
            ...Type.Union([AnyProfile, Type.Array(AnyProfile, { minItems: 1, maxItems: 2 })]),
            expected: `one of ${ALL_PROFILES.join(', ')}, or a list of one of PDF/A and one of PDF/UA`,
          },
        },
        { ...CLOSED, $id: 'ConformStep' },
      ),
      {
        description:
          'Makes the PDF conform, or fails with `not_conformant` and the rules that it breaks. Adds metadata, an output intent and identifiers, but no fonts, tags and descriptions. Only `sign` and `split` can follow.',
        examples: [{ profile: 'PDF/A-2b' }],
      },
    ),
    sign: option(SIGNATURE_STEP, {
      description:
        'Signs the PDF (PAdES) with a stored certificate, as `options.signature` does. Only other signatures can follow. A PDF that is signed already keeps its signatures, if no other step is before.',
      expected: 'an object {certificate, level, reason, location, contact, field}',
      examples: [{ certificate: 'cert_0123456789ABCDEFGHIJKL', reason: 'Approved' }],
    }),
    split: option(
      Type.Object(
        {
          every: option(Type.Integer({ minimum: 1 }), { description: 'The number of pages of each PDF.' }),
          ranges: option(Type.Array(Type.String({ maxLength: 2_000 }), { minItems: 1, maxItems: 5_000 }), {
            description: 'The pages of each PDF.',
          }),
          at: option(oneOf(['bookmarks']), { description: 'A PDF begins at each bookmark of the first level.' }),
          max_bytes: option(Type.Integer({ minimum: 1 }), {
            description:
              'Each PDF has as many pages as it can have without being larger. A page that alone is larger is a PDF of its own, and reported in `dropped`.',
            examples: [10_000_000],
          }),
        },
        { ...CLOSED, $id: 'SplitStep', expected: 'an object with one of every, ranges, at, max_bytes' },
      ),
      { description: 'Makes several PDFs, which are sent as a ZIP archive. Must be the last step.', examples: [{ every: 1 }] },
    ),
    extract: option(
      Type.Object(
        { what: option(Type.Array(oneOf(EXTRACTED), { minItems: 1 }), { default: EXTRACTED_BY_DEFAULT }) },
        { ...CLOSED, $id: 'ExtractStep' },
      ),
      {
        description: 'Sends what the PDF holds, as JSON. Must be the last step.',
        examples: [{ what: ['text', 'metadata'] }],
      },
    ),
  },
  { ...CLOSED, $id: 'AssemblyStep', expected: 'an object with one step' },
);

function oneOfNumbers<const T extends readonly number[]>(numbers: T): TUnsafe<T[number]> {
  const choices = numbers.map((each) => Type.Literal(each));
  return Type.Union(choices, { expected: `one of ${numbers.join(', ')}` }) as TSchema as TUnsafe<T[number]>;
}

export const AssemblyBody = Type.Object(
  {
    parts: {
      ...Type.Array(PartSchema, { minItems: 1, maxItems: MAX_PARTS }),
      expected: `a list of 1 to ${MAX_PARTS} parts`,
      description: 'What the PDF consists of, in this order.',
    },
    steps: option(Type.Array(StepSchema, { maxItems: MAX_STEPS }), {
      expected: `a list of at most ${MAX_STEPS} steps`,
      description: 'What is done with the whole, in this order.',
      default: [],
    }),
    options: option(PdfOptions, { description: 'Options of all parts that are rendered. Those of a part replace them.' }),
    drop_signatures: flag(false, 'Removes signatures of parts, which an assembly would break.'),
    ...{ assets, store, filename, metadata, dry_run },
  },
  { ...CLOSED, $id: 'AssemblyBody', expected: 'a JSON object' },
);

export type AssemblyBody = Static<typeof AssemblyBody>;
export type GivenPart = Static<typeof PartSchema>;
export type GivenStep = Static<typeof StepSchema>;
export type GivenDraw = NonNullable<GivenStep['stamp']>;
