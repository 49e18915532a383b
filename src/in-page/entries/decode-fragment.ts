/** Decodes the fragment of a URL. One that cannot be decoded stays as it is. */
export function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
