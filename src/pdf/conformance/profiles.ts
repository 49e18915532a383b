/** The profiles of ISO 19005 (PDF/A) and ISO 14289 (PDF/UA) that a PDF can be made to conform to. */

export const ARCHIVE_PROFILES = ['PDF/A-2b', 'PDF/A-2u', 'PDF/A-2a', 'PDF/A-3b', 'PDF/A-3u', 'PDF/A-3a'] as const;
export const ACCESSIBLE_PROFILES = ['PDF/UA-1'] as const;
export const PROFILES = [...ARCHIVE_PROFILES, ...ACCESSIBLE_PROFILES] as const;
export type Profile = (typeof PROFILES)[number];

/** What a PDF says that it conforms to. */
export interface Claims {
  /** The part of PDF/A and its level: the appearance (B), with text (U), with structure (A). */
  archive: { part: number; level: 'A' | 'B' | 'U' } | undefined;
  /** PDF/UA-1. */
  accessible: boolean;
}

export function claimsOf(profiles: readonly Profile[]): Claims {
  const [, part, level] = /PDF\/A-(\d)(\w)/.exec(profiles.join(' ')) ?? [];
  return {
    archive: level ? { part: Number(part), level: level.toUpperCase() as 'A' | 'B' | 'U' } : undefined,
    accessible: profiles.includes('PDF/UA-1'),
  };
}

/** Whether the tags are a part of what is claimed. */
export function claimsStructure({ archive, accessible }: Claims): boolean {
  return accessible || archive?.level === 'A';
}

/** Whether the text of every glyph is a part of it. */
export function claimsText({ archive, accessible }: Claims): boolean {
  return accessible || (archive !== undefined && archive.level !== 'B');
}
