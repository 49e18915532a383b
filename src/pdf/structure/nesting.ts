/** The structure types that may be nested in each other (ISO/TS 32005, table 5), as far as Chromium writes them. */

/** Types that are transparent: their kids count as kids of their parent. */
export const TRANSPARENT: ReadonlySet<string> = new Set(['NonStruct', 'Div', 'Part']);
/** Types that have no content of their own. */
export const GROUPS: ReadonlySet<string> = new Set(['Document', 'Art', 'Sect', 'BlockQuote', 'Aside']);
/** Types of tables and lists, which hold only their own parts and no content. */
export const FRAMES: ReadonlySet<string> = new Set(['Table', 'THead', 'TBody', 'TFoot', 'TR', 'L', 'LI']);
/** Types that must be inside a paragraph or another element that holds text. */
export const INLINE: ReadonlySet<string> = new Set(['Span', 'Em', 'Strong', 'Quote', 'Ruby', 'Reference', 'BibEntry', 'Lbl']);
/** Types that can be inside a line of text; those that are not in `INLINE` can also be on their own. */
export const MAY_BE_INLINE: ReadonlySet<string> = new Set([
  ...['Link', 'Figure', 'Formula', 'Form', 'Code', 'Annot', 'FENote'],
  ...INLINE,
]);

const HEADINGS = 'H1 H2 H3 H4 H5 H6';
const BLOCKS = `Art Aside BlockQuote Caption Div Part P Sect ${HEADINGS}`;
const LINES = 'Span Em Strong Quote Ruby Reference BibEntry';

const FORBIDDEN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    Document: `Caption Lbl ${LINES}`,
    Art: `Art ${LINES}`,
    ...{ Sect: LINES, BlockQuote: `Aside ${LINES}`, Aside: `Aside ${LINES}` },
    P: BLOCKS,
    ...{ Span: `L Lbl Table ${BLOCKS}`, Em: `L Table ${BLOCKS}`, Strong: `L Table ${BLOCKS}`, Quote: `L Table ${BLOCKS}` },
    Code: `Code Figure Form Formula L Lbl P Quote Ruby Sect Table Art Aside BlockQuote Caption ${HEADINGS}`,
    ...Object.fromEntries(HEADINGS.split(' ').map((type) => [type, `L Table Div P Part Aside BlockQuote Caption ${HEADINGS}`])),
    ...{ TH: 'Aside BlockQuote Caption Part', TD: 'Aside BlockQuote Caption Part' },
    ...{ Lbl: `L Lbl Table ${BLOCKS}`, LBody: 'Lbl', Link: 'Link', Caption: 'Caption' },
    Form: `Art Aside BlockQuote P Sect Span Em Strong Quote Ruby Link Form Annot ${HEADINGS}`,
    Formula: 'Art Sect',
    ...{ RB: `L Lbl Table Code Figure Formula Ruby ${BLOCKS}`, RT: `L Lbl Table Code Figure Formula Ruby ${BLOCKS}` },
  }).map(([parent, kids]) => [parent, new Set(kids.split(' '))]),
);

/** Whether a type must not be in `context`, the type of the nearest ancestor that is not transparent. */
export function isForbidden(type: string, context: string): boolean {
  return FORBIDDEN.get(context)?.has(type) ?? false;
}

const GENERALIZED: ReadonlySet<string> = new Set(BLOCKS.split(' ').filter((type) => !/^H\d$/.test(type)));

/** A less specific type that is allowed in `context` in place of `type`; undefined if there is none. */
export function moreGeneralType(type: string, context: string): string | undefined {
  if (GENERALIZED.has(type)) return ['Div', 'NonStruct'].find((lesser) => !isForbidden(lesser, context));
  return INLINE.has(type) && type !== 'Ruby' ? 'NonStruct' : undefined;
}
