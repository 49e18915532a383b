/** What Platen cannot do, by the name of the feature, and why. A test fails when one of these begins to work. */
const BLANK = 'Chromium begins the next page, whichever side it is on';
const NTH = 'Chromium selects pages by `:first`, `:left` and `:right` only';
const ROOM = 'All pages have the room for notes that the page with the most of them needs';
const HYPHENS = 'Chromium hyphenates by dictionaries that the headless shell does not have';

export const UNSUPPORTED: Readonly<Record<string, string>> = {
  'a page as high as its content: `size: 300px auto`': 'Use the option [`singlePage`](pages.md#one-long-page)',
  '`bleed`: a larger sheet, with a box for the trimmed page': 'Chromium drops the declaration',
  '`marks: crop` outside of the trimmed page': 'Chromium drops the declaration',
  'two pseudo-classes: `@page :first:right`': 'Chromium drops the rule',
  'a list of selectors: `@page :first, :left`': 'Chromium drops the rule: write one for each selector',
  '`@page :blank`': BLANK,
  '`@page :nth(2)`': NTH,
  '`@page :nth(3n + 1)`': NTH,
  '`@page :nth(2 of chapter)`, in a group of pages': NTH,
  '`counter(page)` in the text': 'Use a margin box, or a reference',
  'numbers that begin again on each page': 'Notes are numbered in the order of the document',
  '`footnote-policy: line`: the line moves with its note': ROOM,
  'a long note goes on at the bottom of the next page': 'Notes have at most 60 % of their page',
  '`break-before: right`, with an empty page if it must be': BLANK,
  '`break-before: left`, with an empty page if it must be': BLANK,
  '`break-before: recto`, with an empty page if it must be': BLANK,
  '`break-before: verso`, with an empty page if it must be': BLANK,
  '`break-after: right`': BLANK,
  'a figure at the bottom of the page: `float: bottom`': 'Boxes float to the left and right only',
  '`hyphens: auto`': HYPHENS,
  '`hyphenate-limit-chars`': HYPHENS,
};
