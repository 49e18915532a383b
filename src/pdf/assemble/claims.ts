/** Withdraws what a PDF claims to conform to, where a step may have broken it. */
import { PdfName, PdfStream } from '@libpdf/core';
import type { Claims } from '../conformance/profiles.ts';
import { toFacts } from '../edit/metadata.ts';
import { xmpPacket } from '../edit/xmp.ts';
import { readPartFacts } from '../merge/merge-claims.ts';
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
};

/** Call it after a step. What Chromium printed for it breaks nothing; `draws` tells whether it has drawn something else. */
export function withdrawClaims(document: OpenDocument, name: string, draws = false): void {
  const { claims } = readPartFacts(document.pdf.pdf);
  const { archive } = claims;
  const mayHaveFiles = name === 'attach' && (archive?.part === 3 || archive?.level === 'F');
  const broken = draws ? [ARCHIVE] : mayHaveFiles ? [] : (BROKEN[name] ?? []);
  const withdrawn = broken.filter((each) => claims[each]);
  if (!withdrawn.length) return;
  for (const each of withdrawn)
    document.dropped.push({
      what: each === ARCHIVE ? 'the claim of PDF/A' : 'the claim of PDF/UA',
      why: `the step ${draws ? 'stamp or watermark' : name} may have broken it`,
    });
  writeClaims(document, { ...claims, ...Object.fromEntries(withdrawn.map((each) => [each, undefined])) });
}

/** Replaces the XMP packet. */
function writeClaims({ pdf }: OpenDocument, claims: Claims): void {
  const left = claims.archive || claims.accessible ? claims : undefined;
  const packet = Buffer.from(xmpPacket(toFacts(readInformation(pdf), undefined), left));
  const entries = { Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') };
  pdf.catalog.set('Metadata', pdf.add(PdfStream.fromDict(entries, packet)));
}
