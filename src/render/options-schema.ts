/** The shape of `POST /v1/pdf`, with the words of its documentation. */
import { type Static, type TSchema, Type } from 'typebox';

export const MAX_HTML_BYTES = 5_242_880;

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

/** What is not listed here is refused like any unknown name. */
export const PdfOptions = Type.Object(
  {
    format: option(
      Type.String(),
      'one of A0 to A6, Letter, Legal, Tabloid, Ledger',
      'Paper format, in any case. Default: A4, or the `@page` size in the markup.',
      'Letter',
    ),
    width: Type.Optional(Length('Width of the paper; goes with `height` and replaces `format`.')),
    height: Type.Optional(Length('Height of the paper; goes with `width` and replaces `format`.')),
    landscape: option(Type.Boolean(), 'true or false', 'Turns the paper on its side. Default: false.', true),
    margin: Type.Optional(
      Type.Union([Type.Number({ minimum: 0 }), Type.String(), Margins], {
        description:
          'One length for all sides, or `{top, right, bottom, left}`. Default: 0.4in, or the `@page` margin in the markup; when sent, it wins over `@page`.',
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
      `A complete HTML document, at most ${MAX_HTML_BYTES} bytes of UTF-8. Exactly one of \`html\` and \`template_id\` is sent.`,
      '<h1>Hello</h1>',
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

function option<S extends TSchema>(schema: S, expected: string, description: string, example: unknown) {
  return Type.Optional({ ...schema, expected, description, examples: [example] } as S);
}
