/** The profiles of ISO 19005 (PDF/A) and ISO 14289 (PDF/UA) that a PDF can be made to conform to. */

export const ARCHIVE_PROFILES = [
  'PDF/A-2b',
  'PDF/A-2u',
  'PDF/A-2a',
  'PDF/A-3b',
  'PDF/A-3u',
  'PDF/A-3a',
  'PDF/A-4',
  'PDF/A-4f',
] as const;
export const ACCESSIBLE_PROFILES = ['PDF/UA-1', 'PDF/UA-2'] as const;
export const PROFILES = [...ARCHIVE_PROFILES, ...ACCESSIBLE_PROFILES] as const;
export type Profile = (typeof PROFILES)[number];

/** Each promises all that those before it do. */
const LEVELS = ['B', 'U', 'A'] as const;
/**
 * A level of PDF/A: the appearance (B), with text (U), with structure (A). Part 4 has none of them, and F for files that are attached.
 */
export type ArchiveLevel = (typeof LEVELS)[number] | 'F' | '';

/** Its place among the levels of which each promises more; -1 for all others. */
export function rankOf(level: string): number {
  return (LEVELS as readonly string[]).indexOf(level);
}

/** What a PDF says that it conforms to. */
export interface Claims {
  /** The part of PDF/A and its level. */
  archive: { part: number; level: ArchiveLevel } | undefined;
  /** The part of PDF/UA. */
  accessible: 1 | 2 | undefined;
}

export function claimsOf(profiles: readonly Profile[]): Claims {
  const [, part, level = ''] = /PDF\/A-(\d)(\w?)/.exec(profiles.join(' ')) ?? [];
  const accessible = ([1, 2] as const).find((number) => profiles.includes(`PDF/UA-${number}`));
  return {
    archive: part ? { part: Number(part), level: level.toUpperCase() as ArchiveLevel } : undefined,
    accessible,
  };
}

export const NO_CLAIMS: Claims = { archive: undefined, accessible: undefined };

/** Whether the tags are a part of what is claimed. */
export function claimsStructure({ archive, accessible }: Claims = NO_CLAIMS): boolean {
  return accessible !== undefined || archive?.level === 'A';
}

/** Whether the text of every glyph is a part of it. */
export function claimsText({ archive, accessible }: Claims): boolean {
  return accessible !== undefined || archive?.level === 'A' || archive?.level === 'U';
}

/** Whether it is a PDF 2.0 (ISO 32000-2), which has its metadata in XMP alone. */
export function isVersion2({ archive, accessible }: Claims): boolean {
  return archive?.part === 4 || accessible === 2;
}

/** Where ISO 19005-4 has what parts 2 and 3 say. It has no levels for text and structure, and no limits of numbers and lengths. */
const CLAUSES_OF_PART_4: Record<string, string> = {
  '6.1.2': '6.1.2',
  '6.1.3': '6.1.3',
  '6.2.4.3': '6.2.4.3',
  '6.2.11.4.1': '6.2.10.4.1',
  '6.2.11.8': '6.2.10.9',
  '6.3.2': '6.3.2',
  '6.3.3': '6.3.3',
  '6.4.1': '6.4.1',
  '6.4.2': '6.4.2',
  '6.5.1': '6.6.1',
  '6.6.2.1': '6.7.2.1',
  '6.6.4': '6.7.3',
  '6.8': '6.9',
};

/** Of a clause of ISO 19005-3, in the part that is claimed; empty where that says nothing of the kind. */
export function archiveClause(clause: string | undefined, part: number): string {
  const own = part === 4 ? CLAUSES_OF_PART_4[clause ?? ''] : clause;
  return own ? `ISO 19005-${part}, ${own}` : '';
}

/** Of ISO 14289-1 and of ISO 14289-2, or of a standard that they refer to; empty where one says nothing of the kind. */
export type AccessibleClauses = readonly [part1: string, part2: string];

/** In the part that is claimed; empty where none is. */
export function accessibleClause(clauses: AccessibleClauses | undefined, part: Claims['accessible']): string {
  const clause = part && clauses?.[part - 1];
  if (!clause) return '';
  return clause.startsWith('ISO') ? clause : `ISO 14289-${part}, ${clause}`;
}
