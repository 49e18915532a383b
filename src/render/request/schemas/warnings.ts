/** The kinds of warnings in the report of a render, with their meaning, for validation and for the reference. */

interface Explanation {
  meaning: string;
  /** Members of the warning beside `kind` and `message`. */
  members: string;
}

export const WARNINGS = {
  resource_failed: {
    meaning:
      'An image, style sheet, script, font, frame or SVG sprite is missing, because it did not arrive, arrived too late, had an error status, had a URL that cannot be resolved, or had content of the wrong type.',
    members: '`url`, and `status` or `net_error` if a request was sent',
  },
  resource_refused: {
    meaning: 'A resource was not loaded, because its URL is not allowed or a limit of the render was reached.',
    members: '`url`',
  },
  host_refused: {
    meaning: 'Connections to a host were refused or cut off, other than those for the resources above.',
    members: '`host`',
  },
  console_error: {
    meaning:
      'The document wrote an error to its console or did not catch an exception; `message` is that error. Not reported with `waitUntil: domcontentloaded`.',
    members: '',
  },
  missing_glyphs: {
    meaning: 'No font has a glyph for some characters, which are printed as boxes.',
    members: '`script`, `characters`, `count`',
  },
  font_substituted: {
    meaning: 'A font that the document names is not available, and another font was used.',
    members: '`family`',
  },
  content_clipped: {
    meaning:
      'The document is wider than the page, or a box cuts off text or images (`overflow`, `100vh`). Use wider paper, smaller margins, `landscape` or `fit: "width"`, or let the box grow in print. Of an assembly, the text of a stamp or a watermark extends beyond the edge of `pages`.',
    members:
      '`pixels`, `side`; `element`, the box or what is too wide; for a box also `count`, for the document `fitting_scale`; of an assembly `step` and `pages`',
  },
  content_shrunk: {
    meaning: 'The document is wider than the page and was scaled down to fit, by more than 2 %.',
    members: '`percent`, `element` (what is too wide), `fitting_scale`',
  },
  content_covered: {
    meaning:
      'A fixed box that is on every page, an absolutely positioned box, `headerTemplate` or `footerTemplate` covers text. The message has the margin or the room that would keep it clear. Boxes with a negative `z-index`, that are transparent or rotated, that belong to a component such as a button, or for which there is room, do not count. Of templates, the first 20 pages are checked.',
    members: '`element`, `pages`',
  },
  break_ignored: {
    meaning:
      'A forced page break has no effect in Chromium, because of the box that has it or of a box around it: a line break, an inline box, a float, columns, an item beside another in a flex or grid container. Or a break is where `break-inside: avoid` or `break-after: avoid` forbids it: in an inline box or one that is taller than a page, or after a float or an item of a grid.',
    members: '`element`, `pages`',
  },
  box_cut: {
    meaning:
      'A picture, `svg`, `canvas`, `iframe`, or a box in a line (`display: inline-block`) is taller than the page, which cuts it, or the end of a page cuts a diagram: a box with `role="img"`, or of fixed height with boxes placed in it.',
    members: '`element`, `pages`',
  },
  heading_alone: {
    meaning: 'A heading is at the end of a page, and its text begins on the next one.',
    members: '`element`, `pages`',
  },
  page_blank: {
    meaning: 'Pages of a document with several show nothing, or nothing but a border or background.',
    members: '`pages`',
  },
  pictures_large: {
    meaning:
      'Pictures take more than 4 MB, because Chromium stores all but JPEGs without loss. Use JPEGs, `images.quality` or `images.maxDpi`.',
    members: '`count`',
  },
  field_printed: {
    meaning:
      'With `forms: true`, a control is printed as it is and cannot be filled in: it, or a radio button of its set, is rotated, scaled, repeated on pages, in the top layer or in a shadow tree, or a style sheet selects what is changed for the print.',
    members: '`element`',
  },
  content_hidden: {
    meaning: 'A `details` element is closed, so that its content is not printed.',
    members: '`element`, `count`',
  },
  content_rasterized: {
    meaning:
      'The text of an element was printed as a picture, which cannot be searched or copied: it has a `filter`, `-webkit-box-reflect` or a perspective.',
    members: '`element`, `count`',
  },
  link_dropped: {
    meaning:
      'A link is not in the PDF, because its URL is relative and the document has no base, because it is not a URL, or because it leads to an element that the document does not have. The other parts of an assembly are other documents.',
    members: '`url`, `element`',
  },
  unsupported_css: {
    meaning:
      'CSS that has no effect in Chromium or only a part of it, such as a size that is not valid, table headers that are too high to be repeated, or `hyphens: auto` in a language without a dictionary. Page sizes that only Platen knows, such as `A6`, are reported and take effect.',
    members: '`property`, `value`, `where`; `element` if it applies to elements',
  },
  target_missing: {
    meaning:
      'Generated content refers to an element that the document does not have, with `target-counter()` or `target-text()`, and shows nothing for it.',
    members: '`url`, `element`',
  },
  printed_early: {
    meaning:
      'The document was printed before it was finished: a request was still running, it was still changing, or it had declared that it was not ready.',
    members: '`url` of a request',
  },
} as const satisfies Record<string, Explanation>;

export type WarningKind = keyof typeof WARNINGS;

export const WARNING_KINDS = Object.keys(WARNINGS) as WarningKind[];
