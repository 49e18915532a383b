/** Writes strings of CSS. */

/** A string as CSS writes it. */
export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[\n\r\f\0]/g, ' ')}"`;
}
