/** The schema of the options about what depends on the pages of a document. Keywords of the schema hold their documentation. */
import { Type } from 'typebox';
import { option } from './option.ts';

const MAX_SELECTOR = 1_000;
const MAX_TITLE = 200;
const Selector = Type.String({ minLength: 1, maxLength: MAX_SELECTOR });
export const DEFAULT_CONTENTS = { selector: 'h1, h2, h3', title: '', depth: 3, place: '' };

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
