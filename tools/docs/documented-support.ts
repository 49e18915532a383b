/** What the documentation of tools that are not run here says about the CSS of print, by subject, with the page that says it. */
export interface Documented {
  vivliostyle?: string;
  prince?: string;
  gotenberg?: string;
}

const VIVLIOSTYLE =
  'https://github.com/vivliostyle/vivliostyle.js/blob/0b4c3a9d60313afeb6a3d9caee74eaf24504383e/docs/supported-css-features.md';
const PRINCE = 'https://www.princexml.com/doc/';

const listed = (text: string) => `[${text}](${VIVLIOSTYLE})`;
const told = (text: string, path: string) => `[${text}](${PRINCE}${path})`;

/** A subject or tool that is missing is not stated, as far as these pages go. */
export const DOCUMENTED: Readonly<Record<string, Documented>> = {
  'Size, margins and background of pages': {
    vivliostyle: listed('`size` with the names of A, B, C and JIS-B sizes; `bleed` and `marks` in `@page` without a selector'),
    prince: `${told('page size, trimming marks', '11/paged')}, ${told('`bleed`', '10/properties')}`,
  },
  'Selecting pages': {
    vivliostyle: listed('`:first`, `:left`, `:right`, `:recto`, `:verso`, `:blank`, `:nth(An+B of name)`, named pages'),
    prince: `${told('`:first`, `:left`, `:right`, named pages with breaks around them', '11/advanced-paged')}, ${told('since version 16 `:first-of-group`', 'paged/#selecting-pages')}`,
  },
  'Margin boxes': {
    vivliostyle: listed('all sixteen'),
    prince: told('page regions with generated content', 'paged'),
    gotenberg: '[files `header.html` and `footer.html`](https://gotenberg.dev/docs/6.x/html)',
  },
  'Page numbers': {
    vivliostyle: listed('`page` and `pages`, `counter-set`'),
    prince: told('`counter(page)`, which `counter-reset` of an element begins again', '7.1/page-numbers'),
  },
  'Named strings': {
    vivliostyle: listed('`string-set`, `string()`, `content()`'),
    prince: told('`string-set`', 'gen-content'),
  },
  'Running elements': {
    vivliostyle: listed('`position: running()`, `element()`'),
    prince: told('`element()`, and `flow()` of its own', '9.0/properties/content'),
  },
  'References to other pages': {
    vivliostyle: listed('`target-counter()`, `target-counters()`, `target-text()`'),
    prince: told('`target-counter()`, and `target-content()` of its own', '9.0/cross-references'),
  },
  Leaders: { vivliostyle: listed('`leader()`'), prince: told('`leader()` of a text', 'gen-content') },
  Footnotes: {
    vivliostyle: listed(
      '`::footnote-call`, `::footnote-marker`, `@footnote`, `footnote-display`, `footnote-policy: auto | line`',
    ),
    prince: told('`float: footnote`, `::footnote-call`, counters that begin again', '9.0/footnotes'),
  },
  Breaks: {
    vivliostyle: listed('`break-*`, `orphans`, `widows`, `box-decoration-break`, `margin-break`, page floats'),
    prince: told('floats to the top and the bottom of the page', 'paged'),
  },
  Tables: { prince: told('running headers and footers', '11/paged') },
  Bookmarks: { prince: told('`bookmark-level`, `bookmark-label`, `bookmark-state`', '10/properties') },
  Text: { vivliostyle: listed('`hyphens`, by the browser') },
};
