/** How the fields of a document are sent. */
import type { ElementLocation } from '../../tag-structure.ts';

/** Limits per document. A value with this number of characters fits into a string of PDF/A (ISO 19005-2, 6.1.13). */
export const FIELD_LIMITS = { fields: 2_000, options: 50_000, characters: 16_000 };

export interface PackedFields {
  /** Fields as JSON, with indexes in place of the texts of their styles, most of which are the same. */
  packed: string;
  styles: string[];
  /** Controls that are printed as they are. */
  printed: ElementLocation[];
}

export interface ExceededLimit {
  exceeded: keyof typeof FIELD_LIMITS;
}

export function isStyleText(name: string): boolean {
  return /^(?:css|box|before|after)$/.test(name);
}
