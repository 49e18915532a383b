/** Reads metadata for the PDF from `<meta name="author|description|keywords">`. */
import { MAX_METADATA_ELEMENTS, MAX_METADATA_TEXT } from '../contract/limits.ts';
import type { StatedMetadata } from '../contract/questions.ts';

const NAMES = ['author', 'description', 'keywords'];

export function readMetadata(): StatedMetadata {
  try {
    const selector = NAMES.map((name) => `meta[name="${name}" i]`).join();
    // The method is taken from the prototype, because an element with the name of the method would hide it.
    const found = [...Document.prototype.querySelectorAll.call(document, selector)].slice(0, MAX_METADATA_ELEMENTS);
    return (found as HTMLMetaElement[]).map(({ name, content }) => [name.toLowerCase(), content.slice(0, MAX_METADATA_TEXT)]);
  } catch {
    return [];
  }
}
