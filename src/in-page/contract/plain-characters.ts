/** Characters that need no check, as ranges of a regular expression: letters, signs and punctuation of European text. */
export const plainCharacters =
  '\\u0000-\\u036f\\u0370-\\u0377\\u037a-\\u037f\\u0384-\\u03ff\\u0400-\\u0527\\u1e00-\\u1eff\\u2000-\\u2026\\u2028-\\u2033\\u2039\\u203a\\u2044\\u2060-\\u206f\\u2074\\u207f\\u20ac\\u2116\\u2122\\ufe00-\\ufe0f\\ufeff\\ufffd';
