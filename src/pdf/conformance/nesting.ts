/** Which structure types may stand in which (ISO/TS 32005, table 5), as far as Chromium writes them. */

/** They count as what they stand in. */
const TRANSPARENT: ReadonlySet<string> = new Set(['NonStruct', 'Div', 'Part']);
/** Content does not belong to them itself. */
export const GROUPS: ReadonlySet<string> = new Set(['Document', 'Art', 'Sect', 'BlockQuote', 'Aside']);
/** They hold elements of their own kind, and no content. */
export const FRAMES: ReadonlySet<string> = new Set(['Table', 'THead', 'TBody', 'TFoot', 'TR', 'L', 'LI']);
/** What must be in a paragraph, or in something else that holds text. */
export const INLINE: ReadonlySet<string> = new Set(['Span', 'Em', 'Strong', 'Quote', 'Ruby', 'Reference', 'BibEntry', 'Lbl']);
/** What can be in a line of text, or stand by itself. */
export const IN_LINE: ReadonlySet<string> = new Set(['Link', 'Figure', 'Formula', 'Form', 'Code', 'Annot', ...INLINE]);

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

export function isTransparent(type: string): boolean {
  return TRANSPARENT.has(type);
}

/** Whether an element can stand where all that is around it, up to something that counts, is `context`. */
export function isForbidden(type: string, context: string): boolean {
  return FORBIDDEN.get(context)?.has(type) ?? false;
}

const LESSENED: ReadonlySet<string> = new Set(BLOCKS.split(' ').filter((type) => !/^H\d$/.test(type)));

/** What says less than a type, and may stand where it may not; undefined where there is nothing. */
export function lesserType(type: string, context: string): string | undefined {
  if (LESSENED.has(type)) return ['Div', 'NonStruct'].find((lesser) => !isForbidden(lesser, context));
  return INLINE.has(type) && type !== 'Ruby' ? 'NonStruct' : undefined;
}
