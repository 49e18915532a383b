/** What Platen cannot do, by the name of the feature, and why. A test fails when one of these begins to work. */
const BLANK = 'Chromium begins the next page, whichever side it is on';
const NTH = 'Chromium selects pages by `:first`, `:left` and `:right` only';
const RUNNING =
  'Margin boxes of Chromium have text and pictures, and no elements: use [`headerTemplate`](pages.md#headers-and-footers)';
const NOTES = 'The layout of Chromium has no footnotes';
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
  '`@page chapter:first` on the first page of each group': 'In Chromium, `:first` is the first page of the document',
  '`counter(page)` in the text': 'Use a margin box, or a reference',
  '`position: running()` and `element()`': RUNNING,
  '`element()`: the first of the page': RUNNING,
  '`element(…, start)`': RUNNING,
  '`element(…, last)`': RUNNING,
  '`element(…, first-except)`': RUNNING,
  'the styles and children of a running element': RUNNING,
  'page numbers in a running element': RUNNING,
  '`float: footnote`: at the bottom of the page': NOTES,
  'the number of the note, in the text and before the note': NOTES,
  '`::footnote-call` with a style and content of its own': NOTES,
  '`::footnote-marker` with content of its own': NOTES,
  'numbers that begin again on each page': NOTES,
  'the area of the notes: `@footnote`': NOTES,
  '`footnote-display: inline`': NOTES,
  '`footnote-policy: line`: the line moves with its note': NOTES,
  '`footnote-policy: block`: the paragraph moves with its note': NOTES,
  'a long note goes on at the bottom of the next page': NOTES,
  '`break-before: right`, with an empty page if it must be': BLANK,
  '`break-before: left`, with an empty page if it must be': BLANK,
  '`break-before: recto`, with an empty page if it must be': BLANK,
  '`break-before: verso`, with an empty page if it must be': BLANK,
  '`break-after: right`': BLANK,
  'a figure at the bottom of the page: `float: bottom`': 'Boxes float to the left and right only',
  '`bookmark-state: closed`': 'All bookmarks are open',
  '`hyphens: auto`': HYPHENS,
  '`hyphenate-limit-chars`': HYPHENS,
};
