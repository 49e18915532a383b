/** What Platen cannot do, by the name of the feature, and why. A test fails when one of these begins to work. */
const ROOM = 'All pages have the same room for notes, which the first print chooses';

export const UNSUPPORTED: Readonly<Record<string, string>> = {
  'a margin of `@page :nth(2)`':
    'Pages are counted when they have been laid out: rules by number change margin boxes and backgrounds',
  '`counter(page)` in the text': 'Use a margin box, or a reference',
  '`footnote-policy: line`: the line moves with its note': ROOM,
  'a figure at the bottom of the page: `float: bottom`': 'Boxes float to the left and right only',
};
