/** Returns the selector of the elements of a nested rule, without pseudo-elements. `around` is that of the enclosing rule, or empty. */
export function elementSelector(selector: string, around: string): string {
  const nested = around && (selector.includes('&') ? selector.replaceAll('&', `:is(${around})`) : `:is(${around}) ${selector}`);
  const elements = (nested || selector).replace(/::?(?:before|after|marker|first-l(?:ine|etter)|backdrop|placeholder)\b/gi, '');
  return elements.replace(/(^|[\s,>+~(])(?=$|[,)])/g, '$1*');
}
