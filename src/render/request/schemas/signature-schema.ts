/** The schema of the option `signature`. Keywords of the schema hold its documentation. */
import { Type } from 'typebox';
import { Length } from './length-schema.ts';
import { oneOf, option } from './option.ts';

export const LEVELS = ['B-B', 'B-T', 'B-LT', 'B-LTA'] as const;

const MAX_TEXT = 200;
const MAX_NAME = 1_000;
const MAX_HTML = 262_144;
const MAX_PAGE = 50_000;
const CLOSED = { additionalProperties: false };
const NONE = { 'x-default': 'none' };

const Text = (description: string) =>
  option(Type.String({ minLength: 1, maxLength: MAX_TEXT }), {
    ...NONE,
    description,
  });
const length = (description: string) => ({ ...Length, description });

const html = option(Type.String({ $id: 'SignatureHtml', maxLength: MAX_HTML }), {
  expected: `a string of HTML, at most ${MAX_HTML} characters`,
  description: 'What the field shows, as a document of its size. Nothing is loaded and no script runs.',
  'x-default': 'the name in the certificate, the time and the reason',
  contentMediaType: 'text/html',
});
const Position = Type.Object(
  {
    page: option(Type.Integer({ minimum: -1, maximum: MAX_PAGE, not: { const: 0 } }), {
      expected: 'a whole number from 1, or -1 for the last page',
      description: 'The page that shows the signature, counted in the finished PDF. -1 is the last one.',
      default: 1,
    }),
    x: length('Distance from the left edge of the page.'),
    y: length('Distance from the upper edge of the page.'),
    width: length('At least 0.25 in.'),
    height: length('At least 0.25 in.'),
    html,
  },
  { ...CLOSED, $id: 'SignatureField' },
);
const NamedPlace = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAX_NAME,
      description: 'The name of a `data-signature-field` in the document. Needs `forms`.',
    }),
    html,
  },
  { ...CLOSED, $id: 'SignaturePlace' },
);
const Field = Type.Union([Position, NamedPlace]);

const SIGNED = {
  certificate: Type.String({
    maxLength: 64,
    expected: 'the id of a certificate, cert_...',
    description: 'The id of a stored certificate of the same API key (see `POST /v1/certificates`).',
    examples: ['cert_0123456789ABCDEFGHIJKL'],
  }),
  level: option(oneOf(LEVELS), {
    description:
      'The level of PAdES (ETSI EN 319 142-1). `B-T` adds a time stamp (`PLATEN_TSA_URL`), `B-LT` also the revocation data of the issuers, `B-LTA` also a time stamp of that data.',
    default: 'B-B',
  }),
  reason: Text('Why the document is signed.'),
  location: Text('Where it is signed.'),
  contact: Text('How to contact the signer.'),
  field: option(Field, {
    expected: 'an object {page, x, y, width, height, html} or {name, html}',
    description: 'Where the signature is shown.',
    'x-default': 'the signature is not shown',
  }),
};

const Signature = Type.Object(SIGNED, { ...CLOSED, $id: 'Signature' });

/** The signature of a PDF that exists, which has no places for one. */
export const SIGNATURE_STEP = Type.Object(
  {
    ...SIGNED,
    field: option(Position, {
      expected: 'an object {page, x, y, width, height, html}',
      description: 'Where the signature is shown.',
      'x-default': 'the signature is not shown',
    }),
  },
  { ...CLOSED, $id: 'SignStep' },
);

export const SIGNATURE_OPTION = option(Signature, {
  expected: 'an object {certificate, level, reason, location, contact, field}',
  description: 'Signs the PDF (PAdES) with a stored certificate. Cannot be combined with `password`.',
  ...NONE,
  examples: [{ certificate: 'cert_0123456789ABCDEFGHIJKL', level: 'B-T', reason: 'Approved' }],
});
