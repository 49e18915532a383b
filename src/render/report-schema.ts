/** The report of a render, as the API describes it and as the record of a stored document has it. */
import { type Static, Type } from 'typebox';
import { oneOf, option } from './request/schemas/option.ts';
import type { WarningKind } from './request/schemas/warnings.ts';

const WarningSchema = Type.Object(
  {
    kind: Type.Unsafe<WarningKind>({ type: 'string', description: 'One of `options.failOnWarning`.' }),
    /** Explanation for people. Programs use `kind`. */
    message: Type.String(),
    /** Address of the missing resource, or of the link. */
    url: Type.Optional(Type.String()),
    /** `host:port` of connections that were refused or cut off. */
    host: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer()),
    net_error: option(Type.String(), {
      description: "Chromium's name of the network error.",
      examples: ['ERR_NAME_NOT_RESOLVED'],
    }),
    pixels: option(Type.Integer(), { description: 'Number of CSS pixels that are cut off.' }),
    side: option(oneOf(['left', 'right', 'bottom']), { description: 'The side at which content is cut off.' }),
    element: option(Type.String(), {
      description: 'The element that the warning is about: the first or the worst. Absent if it is the page itself.',
      examples: ['div.main'],
    }),
    pages: option(Type.Array(Type.Integer()), { description: 'Pages that the warning is about, from 1.' }),
    percent: option(Type.Integer(), {
      description: 'Scale, in percent, at which the document was printed to fit.',
      examples: [72],
    }),
    fitting_scale: option(Type.Number(), {
      description: 'The option `scale` with which the document is neither cut off nor scaled down further.',
      examples: [0.71],
    }),
    property: option(Type.String(), { description: 'CSS property that has no effect.', examples: ['float'] }),
    value: option(Type.String(), { examples: ['footnote'] }),
    where: option(Type.String(), { description: 'URL of the style sheet, or `style` for one in the document.' }),
    script: option(Type.String(), { description: 'Script of the characters that have no glyph.', examples: ['Tibetan'] }),
    characters: option(Type.String(), { description: 'The first of these characters, at most 10 different ones.' }),
    count: option(Type.Integer(), { description: 'How many characters, boxes or other elements the warning is about.' }),
    family: option(Type.String(), { description: 'The font that was replaced.' }),
    part: option(Type.Integer(), { description: 'The part of an assembly, from 0.' }),
    step: option(Type.Integer(), { description: 'The step of an assembly, from 0.' }),
  },
  { $id: 'Warning' },
);

const BREAK_CAUSES = ['forced', 'avoided', 'does_not_fit', 'monolithic', 'widows'] as const;

const Fragment = Type.Object(
  {
    page: Type.Integer({ description: 'The page of the PDF, from 1.' }),
    x: Type.Number({ description: 'Points from the left edge of the page.' }),
    y: Type.Number({ description: 'Points from the top edge of the page.' }),
    width: Type.Number(),
    height: Type.Number(),
    break_before: Type.Union([oneOf(BREAK_CAUSES), Type.Null()], {
      description:
        'Why a page break is before the fragment; null if there is none. `forced`: `break-before`, `break-after` or a page name demands it. `avoided`: `break-inside`, `break-before` or `break-after: avoid` keeps together what follows. `monolithic`: what follows cannot be divided, such as a picture. `widows`: a line more would fit, but `orphans` or `widows` keeps lines together. `does_not_fit`: the page was full.',
    }),
  },
  { $id: 'LayoutFragment' },
);

const Located = Type.Object(
  {
    selector: Type.String(),
    index: Type.Integer({ description: 'The number of the element among those that the selector selects, from 0.' }),
    fragments: Type.Array(Fragment, {
      description: 'A box for each page that the element is on. Empty for an element that is not shown.',
    }),
    part: option(Type.Integer(), { description: 'The part of an assembly, from 0, in whose print the pages count.' }),
  },
  { $id: 'LocatedElement' },
);

const Host = Type.String({ examples: ['fonts.example.com:443'] });

export const REPORT_SCHEMA = Type.Object(
  {
    network: Type.Object(
      {
        requests: Type.Integer(),
        bytes: Type.Integer({ description: 'Bytes received, as they were transferred: compressed and encrypted.' }),
        contacted: Type.Array(Host, { description: 'Hosts that were contacted, at most 100.' }),
        /** The list does not say whether anything listens there. */
        refused: Type.Array(Host, { description: 'Hosts to which connections were refused or cut off, at most 100.' }),
      },
      { $id: 'NetworkUse' },
    ),
    warnings: Type.Array(WarningSchema, { description: 'Warnings, at most 100 of each kind.' }),
    layout: option(Type.Array(Located), { description: 'Where the elements are that `options.layout` selects.' }),
    dropped: option(
      Type.Array(
        Type.Object(
          {
            what: Type.String(),
            why: Type.String(),
            part: option(Type.Integer(), { description: 'From 0. Absent if it is of the whole.' }),
          },
          { $id: 'Dropped' },
        ),
      ),
      { description: 'What an assembly could not keep.' },
    ),
    warning_count: Type.Integer({ description: 'Number of all warnings, also sent as Platen-Warnings.' }),
    timings: Type.Object(
      { queue: Type.Number(), load: Type.Number(), print: Type.Number(), finish: Type.Number() },
      { $id: 'Timings', description: 'Milliseconds spent in each phase.' },
    ),
  },
  { $id: 'Report', description: 'Network use, warnings and timings of the render. Not part of lists.' },
);

export type LocatedElement = Static<typeof Located>;
export type Warning = Static<typeof WarningSchema>;
export type RenderReport = Static<typeof REPORT_SCHEMA>;
