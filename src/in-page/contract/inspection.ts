/** What the service asks about parts of a document that are missing, lost or without effect. */

/** Why a part is missing. The service explains each. */
export const MISSING_REASONS = ['base', 'file', 'scheme', 'image', 'font', 'late', 'sprite', 'xml', 'failed'] as const;
export type MissingReason = (typeof MISSING_REASONS)[number];

/** The URL of a part, as the document writes it or resolved, and alternative URLs, of which one would have been enough. */
export type MissingPart = [url: string, reason: MissingReason, others: string[]];

/** A style sheet: its text or its URL. In a shadow root or a frame (`isScoped`), rules for pages have no effect. */
export interface StyleSource {
  text?: string;
  href?: string;
  isScoped?: boolean;
}

/** What must be true of the document for a declaration to matter. */
export type EffectCheck = 'applies' | 'shown' | 'break' | 'counter' | 'content' | 'strings' | 'first-page' | 'rasterized';

/** A declaration that matters only in some documents. */
export interface EffectQuestion {
  check: EffectCheck;
  property: string;
  /** The media queries around it. */
  media: string[];
  /** The elements to which it applies. Empty for pages. */
  selector: string;
  /** The name of a page. */
  name?: string | undefined;
}

/** A declaration that matters: its index, the first element to which it applies, and their number. */
export interface Effect {
  index: number;
  /** Empty for pages. */
  element: string;
  count: number;
}

/** Content that a print leaves out. */
export interface LostContent {
  /** The first closed `details` element, and their number. */
  closed?: { element: string; count: number };
  /** Links whose URLs cannot be resolved, or name an element that is missing, as the document writes them. */
  links: Array<{ url: string; element: string }>;
}
