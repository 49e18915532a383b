/** The name of the destination to which the fragment of a URL leads, as Skia writes names (ISO 32000-1, 7.3.5). */
export function destinationName(fragment: string): string {
  return fragment.replace(
    /[^!-~]|[#%()<>[\]{}/]/g,
    (sign) => `#${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
