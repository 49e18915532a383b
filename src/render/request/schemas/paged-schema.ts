/** The schema of the options about what depends on the pages of a document. Keywords of the schema hold their documentation. */
import { Type } from 'typebox';
import { option } from './option.ts';

const MAX_SELECTOR = 1_000;
const MAX_TITLE = 200;
const Selector = Type.String({ minLength: 1, maxLength: MAX_SELECTOR });
export const DEFAULT_CONTENTS = { selector: 'h1, h2, h3', title: '', depth: 3, place: '' };

const MAX_HEADER = 524_288;
const Markup = Type.String({ maxLength: MAX_HEADER, contentMediaType: 'text/html' });
const variant = (description: string) => Type.Optional(Type.String({ maxLength: MAX_HEADER, description }));
const HeaderSet = Type.Object(
  {
    all: variant('On other pages.'),
    first: variant('On the first.'),
    last: variant('On the last.'),
    left: variant('On even ones.'),
    right: variant('On odd ones.'),
    pages: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: MAX_HEADER }), { description: 'By the CSS property `page`.' }),
    ),
  },
  { additionalProperties: false, $id: 'HeaderSet' },
);
const Header = (description: string, example: unknown) =>
  option(Type.Union([Markup, HeaderSet]), {
    expected: `a string of HTML, at most ${MAX_HEADER} characters, or an object {all, first, last, left, right, pages}`,
    description,
    'x-default': 'none',
    examples: [example],
  });

export const HEADER_OPTION = Header(
  'HTML above the text of each page, with the styles of the document. The classes of `headerTemplate`, `sectionPage` and `sectionPages` are filled in. It must fit in the margin, unless that is `auto`.',
  { all: '<p>Page <span class="pageNumber"></span></p>', first: '' },
);
export const FOOTER_OPTION = Header('HTML below the text. Otherwise like `header`.', '<p class="title"></p>');

export const CONTENTS_OPTION = option(
  Type.Object(
    {
      selector: option(Selector, { description: 'Selects the headings.', default: DEFAULT_CONTENTS.selector }),
      title: option(Type.String({ maxLength: MAX_TITLE }), { description: 'The heading above it.', 'x-default': 'none' }),
      depth: option(Type.Integer({ minimum: 1, maximum: 6 }), {
        description: 'How many levels of headings are listed.',
        default: DEFAULT_CONTENTS.depth,
      }),
      place: option(Selector, {
        description: 'Selects the element at whose end it is placed.',
        'x-default': 'a page of its own before the document',
      }),
    },
    { additionalProperties: false, $id: 'Contents' },
  ),
  {
    expected: 'an object {selector, title, depth, place}',
    description:
      'Adds a table of contents with the page numbers of headings, which are links. It is a `nav` with the class `platen-toc`, and style sheets of the document apply to it. Documents that have one use `target-counter()` in their style sheets instead.',
    'x-default': 'none',
    examples: [{ title: 'Contents', depth: 2 }],
  },
);
