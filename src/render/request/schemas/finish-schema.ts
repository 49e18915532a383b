/** The schema of the options that change a PDF after it is printed. Keywords of the schema hold their documentation. */
import { Type } from 'typebox';
import { MAX_KEYWORD, MAX_KEYWORDS } from '../../../chromium/load/html/document-metadata.ts';
import { MAX_METADATA_TEXT } from '../../../in-page/contract/limits.ts';
import { INVOICE_PROFILES } from '../../../pdf/conformance/invoice-profiles.ts';
import { PROFILES } from '../../../pdf/conformance/profiles.ts';
import { PERMISSIONS, RELATIONSHIPS } from '../../../pdf/finish-settings.ts';
import { MEDIA_TYPE_NAME } from '../values/assets.ts';
import { flag, type Keywords, oneOf, option, YES_OR_NO } from './option.ts';
import { PageRanges } from './page-ranges-schema.ts';
import { SIGNATURE_OPTION } from './signature-schema.ts';

export const MAX_ATTACHMENTS = 100;
export const MAX_PASSWORD_BYTES = 127;
export const MAX_INVOICE_BYTES = 5_242_880;
const MAX_NAME = 200;
const MAX_CUSTOM = 50;
export const MAX_IMAGE = 4_194_304;
const CLOSED = { additionalProperties: false };

const MEDIA_TYPE = `^${MEDIA_TYPE_NAME}$`;
const TIME = 'a time such as 2026-01-31T12:00:00Z';
const PAGES = 'page ranges such as 1-3, 5, 8-';
const NONE = { 'x-default': 'none' };
const Text = (keywords: Keywords = NONE) => option(Type.String({ maxLength: MAX_METADATA_TEXT }), keywords);
const Time = (keywords: Keywords) =>
  option(Type.String({ maxLength: 64, 'x-format': 'date-time', expected: TIME }), {
    ...keywords,
    examples: ['2026-01-31T12:00:00Z'],
  });

export const Metadata = Type.Object(
  {
    title: Text({ 'x-default': "the document's own title" }),
    author: Text({ 'x-default': 'that of `<meta name="author">`' }),
    subject: Text({ 'x-default': 'that of `<meta name="description">`' }),
    keywords: option(
      Type.Union([
        Type.String({ maxLength: MAX_METADATA_TEXT }),
        Type.Array(Type.String({ maxLength: MAX_KEYWORD }), { maxItems: MAX_KEYWORDS }),
      ]),
      {
        'x-default': 'those of `<meta name="keywords">`',
        expected: `a string, or a list of at most ${MAX_KEYWORDS} strings of at most ${MAX_KEYWORD} characters`,
      },
    ),
    creator: Text({ description: 'The program that created the document.', default: 'Platen' }),
    creationDate: Time({ 'x-default': 'none, so that the same request gives the same bytes' }),
    modDate: Time(NONE),
    custom: option(Type.Record(Type.String(), Type.String({ maxLength: MAX_METADATA_TEXT }), { maxProperties: MAX_CUSTOM }), {
      ...NONE,
      expected: `an object of at most ${MAX_CUSTOM} names and their texts`,
      description:
        'Entries with names of your own, such as `Copyright`. Names have letters, digits, `_`, `-` and `.`, and begin with a letter.',
      examples: [{ Copyright: '2026 ACME Ltd' }],
    }),
  },
  { ...CLOSED, $id: 'PdfMetadata' },
);

const SECRET = { minLength: 1, maxLength: MAX_PASSWORD_BYTES };
const SECRET_EXPECTED = `a string of 1 to ${MAX_PASSWORD_BYTES} bytes of UTF-8`;
const Secret = Type.String({ ...SECRET, expected: SECRET_EXPECTED });
export const Password = Type.Union(
  [
    Type.String(SECRET),
    Type.Object(
      {
        user: option(Secret, {
          description: 'Password that opens the PDF with the listed `permissions`.',
          'x-default': 'none: the PDF opens without a password',
        }),
        owner: option(Secret, {
          description: 'Password that opens the PDF with all permissions and allows them to be changed.',
          'x-default': 'a password that nobody knows',
        }),
        permissions: option(Type.Array(oneOf(PERMISSIONS), { maxItems: PERMISSIONS.length }), {
          expected: `a list of some of ${PERMISSIONS.join(', ')}`,
          description: 'What a reader may do who opens the PDF with `user` or without a password.',
          'x-default': 'all',
        }),
      },
      CLOSED,
    ),
  ],
  { $id: 'Password', expected: `${SECRET_EXPECTED}, or an object {user, owner, permissions}` },
);

export const Attachment = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'A file name without a folder. Names must be unique.',
    }),
    type: option(Type.String({ maxLength: 128, pattern: MEDIA_TYPE, expected: 'a media type such as text/csv' }), {
      description: 'The media type, such as `text/csv`.',
      default: 'application/octet-stream',
    }),
    content: Type.String({ contentEncoding: 'base64', expected: 'base64' }),
    description: option(Type.String({ maxLength: 1_000 }), {
      ...NONE,
      description: 'A description that PDF readers show beside the name.',
    }),
    relationship: option(oneOf(RELATIONSHIPS), {
      description:
        'What the file is to the document (`AFRelationship` of ISO 32000-2): the data that it shows, its source, and so on.',
      default: 'Unspecified',
    }),
  },
  { ...CLOSED, $id: 'Attachment' },
);

export const Images = Type.Object(
  {
    quality: option(Type.Integer({ minimum: 1, maximum: 100 }), {
      description:
        'Pictures that Chromium stores without loss, such as WebP, AVIF, PNG and CMYK, become JPEGs of this quality where that is smaller.',
      'x-default': 'none: they stay without loss',
    }),
    maxDpi: option(Type.Number({ minimum: 1, maximum: 10_000 }), {
      description:
        'Pictures with more pixels per inch on the paper are scaled down. JPEGs among them are encoded again, with `quality` or 90.',
      'x-unit': 'dpi',
      'x-default': 'none: all pixels are kept',
    }),
  },
  { ...CLOSED, $id: 'Images' },
);

const Watermark = Type.Object(
  {
    text: option(Type.String({ minLength: 1, maxLength: 200 }), {
      description: 'A text in any script; `\\n` begins a new line. Send either `text` or `image`.',
    }),
    image: option(Type.String({ minLength: 1, maxLength: MAX_IMAGE }), {
      expected: `an image as base64 or a data: URL, at most ${MAX_IMAGE} characters`,
      description: 'PNG, JPEG, GIF, WebP or SVG, as base64 or as a `data:` URL.',
      contentMediaType: 'image/*',
      contentEncoding: 'base64',
    }),
    opacity: option(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'Opacity, from 0 (invisible) to 1 (opaque).',
      default: 0.15,
    }),
    rotate: option(Type.Number({ minimum: -360, maximum: 360 }), {
      expected: 'a number of degrees from -360 to 360',
      description: 'Rotation, counter-clockwise.',
      'x-unit': '°',
      'x-default': '45 for a text, 0 for an image',
    }),
    color: option(Type.String({ pattern: '^#[0-9A-Fa-f]{3}(?:[0-9A-Fa-f]{3})?$' }), {
      expected: 'a colour such as #c00000',
      description: 'The colour of a text, as `#rgb` or `#rrggbb`. Cannot be combined with `image`.',
      default: '#000000',
    }),
    pages: option(PageRanges, {
      expected: PAGES,
      description: 'As `pageRanges`, counted in the finished PDF.',
      'x-default': 'all pages',
    }),
    layer: option(oneOf(['over', 'under']), {
      expected: 'over or under',
      description: 'Whether the watermark is over or under the content of the page, whose backgrounds can hide it.',
      default: 'over',
    }),
  },
  { ...CLOSED, $id: 'Watermark' },
);

const Profile = { ...oneOf(PROFILES), $id: 'ConformanceProfile' };
const PROFILES_EXPECTED = `one of ${PROFILES.join(', ')}, or a list of one profile of PDF/A and one of PDF/UA`;

const Invoice = Type.Object(
  {
    xml: Type.String({
      expected: 'a string of XML',
      description: `A UN/CEFACT Cross Industry Invoice, at most ${MAX_INVOICE_BYTES} bytes of UTF-8, without a document type declaration.`,
      contentMediaType: 'text/xml',
    }),
    profile: {
      ...oneOf(INVOICE_PROFILES),
      $id: 'InvoiceProfile',
      description: 'The profile whose guideline the XML names.',
    },
  },
  { ...CLOSED, $id: 'Invoice' },
);

/** Members of `options`. */
export const FINISH_OPTIONS = {
  conformance: option(
    Type.Union([{ ...Profile, expected: PROFILES_EXPECTED }, Type.Array(Profile, { minItems: 1, maxItems: 2 })]),
    {
      expected: PROFILES_EXPECTED,
      description:
        'Writes a PDF that conforms to PDF/A, PDF/UA, or both, or fails with `not_conformant`. Cannot be combined with `password`; attachments need PDF/A-3 or PDF/A-4f.',
      'x-default': 'none',
      examples: ['PDF/A-3b', ['PDF/A-3a', 'PDF/UA-1']],
    },
  ),
  forms: flag(
    false,
    'Turns the controls of the document into form fields: text fields, checkboxes, radio buttons, lists, and signature fields (`data-signature-field`). At most 2,000.',
  ),
  invoice: option(Invoice, {
    expected: 'an object {xml, profile}',
    description:
      'Embeds an electronic invoice (Factur-X or ZUGFeRD). It is PDF/A-3b unless `conformance` names another profile of PDF/A-3. Other XML fails with `invoice_invalid`. Cannot be combined with `password`.',
    'x-default': 'none',
    examples: [{ xml: '<rsm:CrossIndustryInvoice ...', profile: 'EN 16931' }],
  }),
  metadata: option(Metadata, {
    expected: 'an object {title, author, subject, keywords, creator, creationDate, modDate, custom}',
    description: `Metadata of the PDF. Texts have at most ${MAX_METADATA_TEXT} characters.`,
    'x-default': "the document's own title and `<meta>` elements",
    examples: [{ title: 'Invoice 42', author: 'ACME Ltd', keywords: ['invoice', '2026'] }],
  }),
  password: option(Password, {
    description: `Encrypts the PDF with AES-256. A string is the password that opens it. Passwords have 1 to ${MAX_PASSWORD_BYTES} bytes of UTF-8.`,
    'x-default': 'not encrypted',
    examples: ['s3cret', { user: 'reader', owner: 'editor', permissions: ['print', 'copy'] }],
  }),
  watermark: option(Watermark, {
    expected: 'an object {text | image, opacity, rotate, color, pages, layer}',
    description: 'A text or an image across each page, as large as the page allows.',
    'x-default': 'none',
    examples: [{ text: 'DRAFT', opacity: 0.2 }],
  }),
  images: option(Images, {
    expected: 'an object {quality, maxDpi}',
    description: 'Makes the PDF smaller by changing its pictures. Transparency stays without loss.',
    'x-default': 'pictures stay as they are',
    examples: [{ quality: 80, maxDpi: 200 }],
  }),
  attachments: option(Type.Array(Attachment, { maxItems: MAX_ATTACHMENTS }), {
    expected: `a list of at most ${MAX_ATTACHMENTS} objects {name, type, content, description, relationship}`,
    description: 'Files to attach to the PDF. Their total size is limited by the size of a request.',
    default: [],
    examples: [[{ name: 'data.csv', type: 'text/csv', content: 'YTtiCjE7Mgo=', description: 'The figures' }]],
  }),
  signature: SIGNATURE_OPTION,
  compress: option(Type.Boolean(), {
    expected: YES_OR_NO,
    description:
      'Makes the PDF smaller without a change to its pages, text and tags. With `false`, it stays as large as Chromium writes it. Cannot be `false` with `password`.',
    'x-default': 'true, except for a PDF of less than 10 kB that no other option changes',
    examples: [false],
  }),
};
