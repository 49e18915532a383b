/** Characters whose shapes depend on the language or that stand among such, as ranges of a regular expression with the flag `u`. */
export const cjkCharacters =
  '\\u1100-\\u11ff\\u2e80-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff00-\\uffef\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3ffff}';
