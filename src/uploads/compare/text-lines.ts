/** Compares the texts of two pages: texts in, the lines that only one of them has out. */

const MAX_LINES = 20;
const MAX_CHARACTERS = 200;
/** PDFium writes U+FFFE for a hyphen at the end of a line. */
const BLANKS = /[\p{Cc}\p{Zs}\ufffe]+/gu;

/** The lines of a text without what nobody sees. */
export function cleanText(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.replace(BLANKS, ' ').trim())
    .filter(Boolean);
}

/** Each of the first lines that differ, shortened. A line that is there twice more often is listed twice. */
export function differingLines(before: readonly string[], after: readonly string[]): { removed: string[]; added: string[] } {
  return { removed: withoutLines(before, after), added: withoutLines(after, before) };
}

function withoutLines(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  const rest = lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
  return rest.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_CHARACTERS));
}
