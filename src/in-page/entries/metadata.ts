/** Reads metadata for the PDF from `<meta name="author|description|keywords">`. */
import { MAX_METADATA_ELEMENTS, MAX_METADATA_TEXT } from '../contract/limits.ts';
import type { StatedMetadata } from '../contract/questions.ts';
import { selectIn } from '../dom/roots.ts';

const NAMES = ['author', 'description', 'keywords'];

export function readMetadata(): StatedMetadata {
  try {
    const selector = NAMES.map((name) => `meta[name="${name}" i]`).join();
    const found = [...selectIn<HTMLMetaElement>(document, selector)].slice(0, MAX_METADATA_ELEMENTS);
    return found.map(({ name, content }) => [name.toLowerCase(), content.slice(0, MAX_METADATA_TEXT)]);
  } catch {
    return [];
  }
}
