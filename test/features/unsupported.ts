/** What Platen cannot do, by the name of the feature, and why. A test fails when one of these begins to work. */
const ROOM = 'All pages have the same room for notes, which the first print chooses';

export const UNSUPPORTED: Readonly<Record<string, string>> = {
  '`footnote-policy: line`: the line moves with its note': ROOM,
  'a figure at the bottom of the page: `float: bottom`': 'Boxes float to the left and right only',
};
