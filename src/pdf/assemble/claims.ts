/** Withdraws what a PDF claims to conform to, where a step may have broken it. */
import { CLAIM_NAMES, type Claims } from '../conformance/profiles.ts';
import { toFacts } from '../edit/metadata.ts';
import { readPartFacts } from '../edit/read-facts.ts';
import { type DocumentFacts, xmpStream } from '../edit/xmp.ts';
import { readInformation } from './information.ts';
import type { OpenDocument } from './open-document.ts';

const [ARCHIVE, ACCESSIBLE] = ['archive', 'accessible'] as const;

/** What steps may break, by their names. Others break nothing. */
const BROKEN: Readonly<Record<string, ReadonlyArray<keyof Claims>>> = {
  encrypt: [ARCHIVE],
  letterhead: [ARCHIVE],
  attach: [ARCHIVE],
  fill: [ARCHIVE, ACCESSIBLE],
  flatten: [ARCHIVE, ACCESSIBLE],
  compose: [ARCHIVE, ACCESSIBLE],
  redact: [ARCHIVE, ACCESSIBLE],
};

/** The claims that a step may break. What Chromium printed for it breaks nothing; `draws` tells whether it draws something else. */
export function brokenClaims(name: string, draws: boolean, claims: Claims): Array<keyof Claims> {
  const { archive } = claims;
  const mayHaveFiles = name === 'attach' && (archive?.part === 3 || archive?.level === 'F');
  const broken = draws ? [ARCHIVE] : (BROKEN[name] ?? []);
  return mayHaveFiles ? [] : broken.filter((each) => claims[each]);
}

/** Call it after a step. `draws` is as for `brokenClaims`. */
export function withdrawClaims(document: OpenDocument, name: string, draws = false): void {
  if (!draws && !BROKEN[name]) return;
  const { claims } = readPartFacts(document.pdf.pdf);
  const withdrawn = brokenClaims(name, draws, claims);
  if (!withdrawn.length) return;
  for (const each of withdrawn)
    document.dropped.push({
      what: CLAIM_NAMES[each],
      why: `the step ${draws ? 'stamp or watermark' : name} may have broken it`,
    });
  const left = { ...claims, ...Object.fromEntries(withdrawn.map((each) => [each, undefined])) };
  writeXmp(document, toFacts(readInformation(document.pdf), undefined), left);
}

/** Replaces the XMP packet. */
export function writeXmp({ pdf }: OpenDocument, facts: DocumentFacts, claims: Claims): void {
  const claimed = claims.archive || claims.accessible ? claims : undefined;
  pdf.catalog.set('Metadata', pdf.add(xmpStream(facts, claimed)));
}
