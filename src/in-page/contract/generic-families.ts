/** Names of families that every browser knows, which are no fonts. */
export const GENERIC_FAMILIES = [
  ...['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'math', 'emoji', 'fangsong', 'generic', '-apple-system'],
  ...['system-ui', 'ui-serif', 'ui-sans-serif', 'ui-monospace', 'ui-rounded', 'blinkmacsystemfont', '-webkit-body'],
];
