/**
 * Translates the rules of footnotes (css-gcpm-3, 2): declarations that Chromium drops in, rules for the elements that stand for calls,
 * markers and the area of footnotes out.
 */
import { type Declaration, ruleWithin } from './css-statements.ts';

const PSEUDO = /::footnote-(call|marker)\s*$/i;
const AREA = /^@footnote$/i;
const OF_NOTES = /^(?:float|footnote-display)$/;
const CALL = 'platen-call';
const MARKER = 'platen-marker';
const NOTES = 'platen-notes';

/** Whether an element becomes a footnote. */
export function makesFootnote({ property, value }: Declaration): boolean {
  return property === 'float' && /^footnote\b/i.test(value);
}

/** Whether each page counts its own footnotes. */
export function restartsFootnotes({ property, value, within }: Declaration): boolean {
  return property === 'counter-reset' && /(?<![\w-])footnote(?![\w-])/i.test(value) && /^@page$/i.test(within.at(-1) ?? '');
}

/** Whether footnotes stay with the lines of their calls: they are not divided as long as a page has room for all of them. */
export function keepsFootnotesWhole({ property, value }: Declaration): boolean {
  return property === 'footnote-policy' && /^(?:line|block)\b/i.test(value);
}

/** Whether a declaration limits the height of the area of footnotes, whose room is that of the footnotes. */
export function limitsFootnotes({ property, within }: Declaration): boolean {
  return /^(?:max-)?(?:height|block-size)$/.test(property) && AREA.test(within.at(-1) ?? '');
}

/** Returns undefined for a declaration that has nothing to do with footnotes. */
export function translateFootnote(declaration: Declaration): string | undefined {
  const { property, written } = declaration;
  const { value, within } = written;
  const block = within.at(-1) ?? '';
  if (property === '' || limitsFootnotes(declaration)) return undefined;
  if (AREA.test(block)) return ruleWithin(within.slice(0, -2), `${NOTES} { ${property}: ${value} }`);
  if (PSEUDO.test(block)) return ruleWithin(within.slice(0, -1), `${toSelectors(block)} { ${property}: ${value} }`);
  if (OF_NOTES.test(property)) return ruleWithin(within, `--platen-${property}: ${value}`);
  return undefined;
}

/** The call is before its footnote, and the marker is at the start of it. */
function toSelectors(block: string): string {
  const selectors = block.split(',').map((each) => {
    const kind = PSEUDO.exec(each)?.[1]?.toLowerCase();
    const note = each.replace(PSEUDO, '').trim();
    if (kind === 'call') return note ? `${CALL}:has(+ ${note})::before` : `${CALL}::before`;
    return note ? `${note} > ${MARKER}::before` : `${MARKER}::before`;
  });
  return selectors.join(', ');
}
