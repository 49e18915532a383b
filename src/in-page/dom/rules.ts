/** Reads the rules of style sheets. */

/** A rule of any kind, with the members that only some kinds have. */
export interface AnyRule extends Omit<CSSRule, 'type'> {
  type: number;
  href?: string;
  media?: MediaList;
  selectorText?: string;
  /** The name of a margin box. */
  name?: string;
  /** The selectors of `@scope`. */
  start?: string | null;
  end?: string | null;
  style?: CSSStyleDeclaration;
  styleSheet?: CSSStyleSheet | null;
  cssRules?: CSSRuleList;
}

/** The values of `CSSRule.type`. */
export const RULE_TYPES = { style: 1, fontFace: 5, page: 6, marginBox: 9 } as const;

/** Yields the rules of a sheet, those in them, and those of imported sheets. Throws if a sheet has another origin. */
export function* allRules(sheet: { cssRules: CSSRuleList }): Generator<AnyRule> {
  for (const rule of listRules(sheet)) {
    yield rule;
    const { styleSheet, cssRules } = rule;
    if (styleSheet) yield* allRules(styleSheet);
    else if (cssRules?.length) yield* allRules({ cssRules });
  }
}

/** Throws if the sheet has another origin. */
export function listRules({ cssRules }: { cssRules: CSSRuleList }): Iterable<AnyRule> {
  return cssRules as Iterable<CSSRule> as Iterable<AnyRule>;
}

/** Returns no rules if the sheet is disabled or has another origin. */
export function openRules(sheet: CSSStyleSheet): Iterable<AnyRule> {
  try {
    return sheet.disabled ? [] : listRules(sheet);
  } catch {
    return [];
  }
}
