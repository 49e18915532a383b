/**
 * Sets attributes for the print. CSS of the document can select them, and must not: the tagged PDF looks the same as any other. The
 * original values outlive a reading that is terminated, so that they can be restored.
 */
import { captureAppearance, looksSame } from '../../dom/appearance.ts';
import { read, readAttribute, writeAttribute } from '../../dom/nodes.ts';
import type { Root } from '../../dom/roots.ts';
import type { AnyRule } from '../../dom/rules.ts';

/** Elements times rules that select by such attributes. More would take long to compare. */
const MAX_COMPARISONS = 1_000_000;

/** An attribute to set, or to remove if the value is null. */
export interface AttributeChange {
  element: Element;
  name: string;
  value: string | null;
}

/** What attributes were before they were set, the last change first. */
let originals: AttributeChange[] = [];

export function keepAttributes(): void {
  originals = [];
}

/** Undoes what a reading has set that was terminated. */
export function restoreAttributes(): null {
  setAttributes(originals);
  originals = [];
  return null;
}

/**
 * Returns false, and leaves the attributes as they are, if the document would look different, or if that would take long to find out.
 * Until `keepAttributes`, all of them can be restored.
 */
export function setForPrint(changes: AttributeChange[], roots: Root[]): boolean {
  if (!changes.length) return true;
  const count = countSelectors(roots.flatMap((root) => [...read(root, 'styleSheets'), ...read(root, 'adoptedStyleSheets')]));
  const before = count ? captureAppearance(roots) : undefined;
  if (count && (!before || before.elements.length * count > MAX_COMPARISONS)) return false;
  const earlier = originals;
  const own = changes.map(({ element, name }) => ({ element, name, value: readAttribute(element, name) }));
  originals = [...own, ...earlier];
  setAttributes(changes);
  if (!before || looksSame(before, captureAppearance(roots))) return true;
  setAttributes(own);
  originals = earlier;
  return false;
}

/** Counts the rules that select by such attributes. A style sheet of another origin, which cannot be read, counts as one. */
function countSelectors(rules: Iterable<CSSStyleSheet | CSSRule>): number {
  let count = 0;
  for (const rule of rules as Iterable<Partial<AnyRule>>) {
    if ([rule.selectorText, rule.start, rule.end].some((selector) => /\[(?:role|aria-)/i.test(selector ?? ''))) count++;
    try {
      count += countSelectors((rule.styleSheet ?? rule).cssRules ?? []);
    } catch {
      count++;
    }
  }
  return count;
}

function setAttributes(changes: AttributeChange[]): void {
  for (const { element, name, value } of changes) writeAttribute(element, name, value);
}
