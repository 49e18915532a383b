/** Determines what a merged PDF can claim to conform to: what all parts claim in the metadata that Platen wrote into them. */
import { CLAIM_NAMES, type Claims, claimsStructure, levelRank, NO_CLAIMS } from '../conformance/profiles.ts';
import type { PartFacts } from '../edit/read-facts.ts';
import type { Dropped } from './merge-catalog.ts';

export function commonClaims(parts: readonly PartFacts[], isTagged: boolean): Claims | undefined {
  const archives = parts.flatMap(({ claims: { archive } }) => archive ?? []);
  const claims: Claims = {
    archive: parts.length > 0 && archives.length === parts.length ? commonArchive(archives) : undefined,
    accessible: commonPart(parts.map(({ claims: { accessible } }) => accessible)),
  };
  const holds = isTagged || !claimsStructure(claims);
  return holds && (claims.archive || claims.accessible) ? claims : undefined;
}

/** What parts claim and the whole does not, with the first part that is the reason. */
export function lostClaims(
  parts: ReadonlyArray<{ claims: Claims /** Whether it is known to hold. */; isTrusted: boolean }>,
  kept: Claims = NO_CLAIMS,
): Dropped[] {
  const lost = (['archive', 'accessible'] as const).flatMap((name): Dropped[] => {
    if (kept[name] || !parts.some(({ claims }) => claims[name])) return [];
    const what = CLAIM_NAMES[name];
    const part = parts.findIndex(({ claims, isTrusted }) => !isTrusted || !claims[name]);
    if (part < 0) return [{ what, why: 'what the parts claim excludes each other, or a part is not tagged as a whole' }];
    const isClaimed = parts[part]?.claims[name] !== undefined;
    return [
      {
        what,
        why: isClaimed ? 'this part was not printed here, so that its claim may be wrong' : 'this part does not claim it',
        part,
      },
    ];
  });
  return [...lost, ...changedArchive(parts, kept)];
}

/** Whether the whole claims another part or level of PDF/A than a part, with the first of these parts. */
function changedArchive(parts: ReadonlyArray<{ claims: Claims }>, { archive: kept }: Claims): Dropped[] {
  if (!kept) return [];
  const nameOf = ({ part, level }: NonNullable<Claims['archive']>) => `PDF/A-${part}${level.toLowerCase()}`;
  const names = parts.map(({ claims: { archive } }) => archive && nameOf(archive));
  const part = names.findIndex((name) => name && name !== nameOf(kept));
  if (part < 0) return [];
  return [
    { what: `the claim of ${names[part]}`, why: `the parts claim different profiles, and the whole ${nameOf(kept)}`, part },
  ];
}

/** PDF/UA-1 and PDF/UA-2 require different versions of PDF, so a file claims one only if all parts do. */
function commonPart([first, ...others]: Array<Claims['accessible']>): Claims['accessible'] {
  return others.every((part) => part === first) ? first : undefined;
}

/**
 * A PDF/A-2 file also conforms to PDF/A-3, and a file of level A also conforms to U and B. PDF/A-4 is not compatible with either.
 * Attached files are not merged, so the result is never PDF/A-4f.
 */
function commonArchive(archives: Array<NonNullable<Claims['archive']>>): Claims['archive'] {
  const parts = archives.map(({ part }) => part);
  if (parts.includes(4)) return parts.every((part) => part === 4) ? { part: 4, level: '' } : undefined;
  const [lowest] = archives.map(({ level }) => level).sort((one, other) => levelRank(one) - levelRank(other));
  return lowest !== undefined && levelRank(lowest) >= 0 ? { part: Math.max(...parts), level: lowest } : undefined;
}

const MAX_TITLE = 1_000;

/** The distinct titles of the parts, separated by semicolons and cut after about `MAX_TITLE` characters. */
export function commonTitle(parts: readonly PartFacts[]): string {
  let title = '';
  for (const next of new Set(parts.map((part) => part.title.trim()).filter(Boolean))) {
    if (title.length + next.length > MAX_TITLE) return title ? `${title}; …` : `${next.slice(0, MAX_TITLE)}…`;
    title = title ? `${title}; ${next}` : next;
  }
  return title;
}

/** The most frequent language of the parts; the first of them if several are equally frequent. */
export function commonLanguage(languages: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const language of languages.filter(Boolean)) counts.set(language, (counts.get(language) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0] ?? '';
}
