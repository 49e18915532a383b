/** The kinds of warnings in the report of a render, with what each means: for checks, and for the reference. */

interface Explanation {
  meaning: string;
  /** Members of the warning beside `kind` and `message`. */
  members: string;
}

export const WARNINGS = {
  resource_failed: {
    meaning:
      'An image, style sheet, script, font, frame or SVG sprite is missing: it did not arrive, arrived too late, has an error status, has an address that leads nowhere, or is not what it should be.',
    members: '`url`, and `status` or `net_error` where something was requested',
  },
  resource_refused: {
    meaning: 'A resource that may not be reached, or for which a limit of the render left no room.',
    members: '`url`',
  },
  host_refused: {
    meaning: 'Connections that were refused or cut off and belong to none of the resources above.',
    members: '`host`',
  },
  console_error: {
    meaning:
      'The document wrote an error to its console, or did not catch one; `message` is that error. Not collected with `waitUntil: domcontentloaded`.',
    members: '',
  },
  missing_glyphs: {
    meaning: 'No font has a glyph for some characters, which are printed as boxes.',
    members: '`script`, `characters`, `count`',
  },
  font_substituted: {
    meaning: 'A font the document names is not available, and another one takes its place.',
    members: '`family`',
  },
  content_clipped: {
    meaning:
      'The document is wider than the page, or a box cuts off text or images (`overflow`, `100vh`). Use wider paper, smaller margins, `landscape` or `scale`, or let the box grow in print.',
    members: '`pixels`, `side`; for a box also `element` and `count`',
  },
  content_shrunk: {
    meaning: 'The document is wider than the page and was scaled down to fit, by more than 2 %.',
    members: '`percent`',
  },
  unsupported_css: {
    meaning:
      'CSS that has no effect in Chromium, such as footnotes, `target-counter()`, `leader()`, running elements, or `hyphens: auto` in a language without a dictionary. Page sizes that only Platen knows, such as `A6`, are reported and take effect.',
    members: '`property`, `value`, `where`',
  },
  printed_early: {
    meaning: 'The document was not finished: a request was under way, it was still changing, or it said that it was not ready.',
    members: '`url` of a request',
  },
} as const satisfies Record<string, Explanation>;

export type WarningKind = keyof typeof WARNINGS;

export const WARNING_KINDS = Object.keys(WARNINGS) as WarningKind[];
