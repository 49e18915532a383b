/** The profiles of ISO 19005 (PDF/A) and ISO 14289 (PDF/UA) that a PDF can be made to conform to. */

const ARCHIVE_PROFILES = ['PDF/A-2b', 'PDF/A-2u', 'PDF/A-2a', 'PDF/A-3b', 'PDF/A-3u', 'PDF/A-3a', 'PDF/A-4', 'PDF/A-4f'] as const;
const ACCESSIBLE_PROFILES = ['PDF/UA-1', 'PDF/UA-2'] as const;
export const PROFILES = [...ARCHIVE_PROFILES, ...ACCESSIBLE_PROFILES] as const;
export type Profile = (typeof PROFILES)[number];
/** Those that only a PDF which exists is made to conform to: prints may be transparent, which PDF/A-1 forbids. */
export const ALL_PROFILES = ['PDF/A-1b', ...PROFILES] as const;
export type AnyProfile = (typeof ALL_PROFILES)[number];

/** Each level includes the requirements of those before it. */
const LEVELS = ['B', 'U', 'A'] as const;
/**
 * The conformance level of PDF/A: visual appearance (B), with Unicode text (U), with structure (A). Part 4 has none of these,
 * only F for embedded files.
 */
export type ArchiveLevel = (typeof LEVELS)[number] | 'F' | '';

/** The rank of a level among B, U and A; -1 for all others. */
export function levelRank(level: string): number {
  return (LEVELS as readonly string[]).indexOf(level);
}

export interface Claims {
  archive: { part: number; level: ArchiveLevel } | undefined;
  accessible: 1 | 2 | undefined;
}

/** What a report calls them. */
export const CLAIM_NAMES = { archive: 'the claim of PDF/A', accessible: 'the claim of PDF/UA' } as const;

export function toClaims(profiles: readonly AnyProfile[]): Claims {
  const [, part, level = ''] = /PDF\/A-(\d)(\w?)/.exec(profiles.join(' ')) ?? [];
  const accessible = ([1, 2] as const).find((number) => profiles.includes(`PDF/UA-${number}`));
  return {
    archive: part ? { part: Number(part), level: level.toUpperCase() as ArchiveLevel } : undefined,
    accessible,
  };
}

export const NO_CLAIMS: Claims = { archive: undefined, accessible: undefined };

/** Whether the claims include requirements for tags. */
export function claimsStructure({ archive, accessible }: Claims = NO_CLAIMS): boolean {
  return accessible !== undefined || archive?.level === 'A';
}

/** Whether the claims require PDF 2.0 (ISO 32000-2), which keeps its metadata only in XMP. */
export function isVersion2({ archive, accessible }: Claims): boolean {
  return archive?.part === 4 || accessible === 2;
}

/**
 * The clauses of ISO 19005-4 that correspond to those of parts 2 and 3. It has no levels for text and structure, and no
 * implementation limits.
 */
const CLAUSES_OF_PART_4: Record<string, string> = {
  '6.1.2': '6.1.2',
  '6.1.3': '6.1.3',
  '6.1.4': '6.1.4',
  '6.1.7.1': '6.1.6.1',
  '6.1.7.2': '6.1.6.2',
  '6.2.4.3': '6.2.4.3',
  '6.2.5': '6.2.5',
  '6.2.8': '6.2.7',
  '6.2.11.4.1': '6.2.10.4.1',
  '6.2.11.7.2': '6.2.10.7',
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

/** The clauses of ISO 19005-1. It does not know XFA forms. */
const CLAUSES_OF_PART_1: Record<string, string> = {
  '6.1.3': '6.1.3',
  '6.1.4': '6.1.4',
  '6.1.13': '6.1.12',
  '6.1.7.1': '6.1.7',
  '6.1.7.2': '6.1.10',
  '6.2.4.3': '6.2.3.3',
  '6.2.5': '6.2.8',
  '6.2.8': '6.2.4',
  '6.2.8.3': '6.1.10',
  '6.2.10': '6.4',
  '6.2.11.4.1': '6.3.4',
  '6.3.2': '6.5.3',
  '6.3.3': '6.9',
  '6.4.1': '6.9',
  '6.5.1': '6.6.1',
  '6.6.2.1': '6.7.2',
  '6.6.4': '6.7.11',
  '6.8': '6.1.11',
  '6.9': '6.1.13',
};

export interface RuleClauses {
  /** The clauses of ISO 14289-1 and ISO 14289-2, or of a standard that they refer to; empty if one of them has no such rule. */
  accessible?: readonly [part1: string, part2: string];
  /** The clause of ISO 19005-2 and -3 (PDF/A), which have the same numbers; for -4 see `CLAUSES_OF_PART_4`. */
  archive?: string;
  isOfPart4?: boolean;
}

/** The clauses of the claimed standards that state a rule; empty if none of them does. */
export function citeClauses(rule: RuleClauses, { archive, accessible }: Claims): string {
  return [accessibleClause(rule, accessible), archive ? archiveClause(rule, archive) : ''].filter(Boolean).join('; ');
}

/** Clause 6.7 is about structure, which level A requires, and 6.2.11.7 about text, which level U requires. */
function archiveClause(
  { archive: clause = '', isOfPart4 = false }: RuleClauses,
  claimed: NonNullable<Claims['archive']>,
): string {
  const own = claimed.part === 4 ? CLAUSES_OF_PART_4[clause] : claimed.part === 1 ? CLAUSES_OF_PART_1[clause] : clause;
  const needed = clause.startsWith('6.7.') ? 'A' : clause.startsWith('6.2.11.7') ? 'U' : 'B';
  const isClaimed = claimed.part === 4 || (!isOfPart4 && levelRank(claimed.level) >= levelRank(needed));
  return own && isClaimed ? `ISO 19005-${claimed.part}, ${own}` : '';
}

/** The clause in the claimed part; empty if none is claimed or the part has no such rule. */
function accessibleClause({ accessible: clauses }: RuleClauses, part: Claims['accessible']): string {
  const clause = part && clauses?.[part - 1];
  if (!clause) return '';
  return clause.startsWith('ISO') ? clause : `ISO 14289-${part}, ${clause}`;
}
