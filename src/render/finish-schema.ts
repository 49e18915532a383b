/** The options that say what becomes of a PDF once it is printed, with the words of their documentation. */
import { Type } from 'typebox';
import { MAX_KEYWORD, MAX_KEYWORDS, MAX_TEXT } from '../chromium/stated-metadata.ts';
import { PERMISSIONS } from '../pdf/finish-settings.ts';
import { oneOf, option } from './option.ts';

export const MAX_ATTACHMENTS = 100;
export const MAX_PASSWORD_BYTES = 127;
const MAX_NAME = 200;
const MAX_IMAGE = 4_194_304;
const CLOSED = { additionalProperties: false };

const TIME = 'a time such as 2026-01-31T12:00:00Z';
const text = (maxLength: number) => ({ maxLength, expected: `a string of at most ${maxLength} characters` });
const Text = (description: string) => Type.Optional(Type.String({ ...text(MAX_TEXT), description }));
const Time = (description: string) =>
  Type.Optional(Type.String({ maxLength: 64, expected: TIME, description, examples: ['2026-01-31T12:00:00Z'] }));

const Metadata = Type.Object(
  {
    title: Text("Default: the document's own title."),
    author: Text('Default: that of `<meta name="author">`.'),
    subject: Text('Default: that of `<meta name="description">`.'),
    keywords: Type.Optional(
      Type.Union(
        [Type.String({ maxLength: MAX_TEXT }), Type.Array(Type.String({ maxLength: MAX_KEYWORD }), { maxItems: MAX_KEYWORDS })],
        {
          expected: `a string, or a list of at most ${MAX_KEYWORDS} strings of at most ${MAX_KEYWORD} characters`,
          description: 'Default: those of `<meta name="keywords">`.',
        },
      ),
    ),
    creator: Text('The program the document comes from. Default: Platen.'),
    creationDate: Time('Default: none, so that the same request gives the same bytes.'),
    modDate: Time('Default: none.'),
  },
  {
    ...CLOSED,
    expected: 'an object {title, author, subject, keywords, creator, creationDate, modDate}',
    description: `What the PDF tells of itself, in its Info dictionary and as XMP; texts of at most ${MAX_TEXT} characters. Default: the document's own title, and the author, description and keywords of its <meta> elements.`,
    examples: [{ title: 'Invoice 42', author: 'ACME Ltd', keywords: ['invoice', '2026'] }],
  },
);

const Permission = { ...oneOf(PERMISSIONS), expected: `one of ${PERMISSIONS.join(', ')}` };
const Secret = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD_BYTES,
  expected: `a string of 1 to ${MAX_PASSWORD_BYTES} bytes of UTF-8`,
});
const Password = Type.Union(
  [
    Secret,
    Type.Object(
      {
        user: Type.Optional(Secret),
        owner: Type.Optional(Secret),
        permissions: Type.Optional(Type.Array(Permission, { maxItems: PERMISSIONS.length })),
      },
      CLOSED,
    ),
  ],
  {
    expected: `a string, or an object {user, owner, permissions}; passwords have 1 to ${MAX_PASSWORD_BYTES} bytes of UTF-8, permissions are a list of ${PERMISSIONS.join(', ')}`,
    description: `Encrypts the PDF with AES-256. A string is the password to open it. \`user\` opens it with the \`permissions\` that are listed (not sent: all), \`owner\` with all; without \`user\` it opens without a password. Passwords are 1 to ${MAX_PASSWORD_BYTES} bytes of UTF-8; they are neither stored nor logged. Default: not encrypted.`,
    examples: ['s3cret', { user: 'reader', owner: 'editor', permissions: ['print', 'copy'] }],
  },
);

const Attachment = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_NAME, expected: `a string of 1 to ${MAX_NAME} characters` }),
    type: Type.Optional(
      Type.String({ ...text(128), description: 'Media type, such as text/csv. Default: application/octet-stream.' }),
    ),
    content: Type.String({ contentEncoding: 'base64', expected: 'base64' }),
    description: Type.Optional(Type.String({ ...text(1_000), description: 'Default: none.' })),
  },
  CLOSED,
);

const Watermark = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        expected: 'a string of 1 to 200 characters',
        description: 'In any script; `\\n` begins a new line.',
      }),
    ),
    image: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_IMAGE,
        expected: `an image as base64 or a data: address, at most ${MAX_IMAGE} characters`,
        description: 'PNG, JPEG, GIF, WebP or SVG: base64, or a `data:` address.',
      }),
    ),
    opacity: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, expected: 'a number from 0 to 1', description: 'Default: 0.15.' }),
    ),
    rotate: Type.Optional(
      Type.Number({
        minimum: -360,
        maximum: 360,
        expected: 'a number of degrees from -360 to 360',
        description: 'Degrees, counter-clockwise. Default: 45 for a text, 0 for an image.',
      }),
    ),
    color: Type.Optional(
      Type.String({
        maxLength: 7,
        expected: 'a colour such as #c00000',
        description: 'Of a text; goes not with `image`. Default: #000000.',
      }),
    ),
    pages: Type.Optional(
      Type.String({
        maxLength: 1_000,
        expected: 'page ranges such as 1-3, 5, 8-',
        description: 'Page ranges such as `1-3, 5, 8-`, counted in the PDF, after `pageRanges`. Default: all.',
      }),
    ),
    layer: Type.Optional(
      Type.Union([Type.Literal('over'), Type.Literal('under')], {
        expected: 'over or under',
        description: 'Above what the page shows, or below it. Default: over.',
      }),
    ),
  },
  {
    ...CLOSED,
    expected: 'an object {text | image, opacity, rotate, color, pages, layer}',
    description:
      'A text or an image across each page, as large as the page allows. An image that is to fill less of it holds its own empty border. Default: none.',
    examples: [{ text: 'DRAFT', opacity: 0.2 }],
  },
);

/** Members of `options`. */
export const FINISH_OPTIONS = {
  metadata: Type.Optional(Metadata),
  password: Type.Optional(Password),
  watermark: Type.Optional(Watermark),
  attachments: Type.Optional(
    Type.Array(Attachment, {
      maxItems: MAX_ATTACHMENTS,
      expected: `a list of at most ${MAX_ATTACHMENTS} objects {name, type, content, description}`,
      description:
        'Files inside the PDF. `name` is a file name without a folder, `content` is base64. All together they may be as large as a request. Default: none.',
      examples: [[{ name: 'data.csv', type: 'text/csv', content: 'YTtiCjE7Mgo=', description: 'The figures' }]],
    }),
  ),
  compress: option(
    Type.Boolean(),
    'true or false',
    'Packs the structure of the PDF into object streams, which makes tagged PDFs several times smaller. Goes not as `false` with `password`: what is encrypted is packed. Default: true where `tagged` or `outline` is, else false.',
    true,
  ),
};
