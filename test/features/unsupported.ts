/** What Platen cannot do, by the name of the feature, and why. A test fails when one of these begins to work. */
const ROOM = 'All pages have the room for notes that the page with the most of them needs';

export const UNSUPPORTED: Readonly<Record<string, string>> = {
  'a margin of `@page :nth(2)`':
    'Pages are counted when they have been laid out: rules by number change margin boxes and backgrounds',
  '`counter(page)` in the text': 'Use a margin box, or a reference',
  'numbers that begin again on each page': 'Notes are numbered in the order of the document',
  '`footnote-policy: line`: the line moves with its note': ROOM,
  'a long note goes on at the bottom of the next page': 'Notes have at most 60 % of their page',
  'a figure at the bottom of the page: `float: bottom`': 'Boxes float to the left and right only',
};
