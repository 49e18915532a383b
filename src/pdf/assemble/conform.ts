/** The step that makes a PDF conform to profiles, or is refused with the rules that the PDF breaks. */
import { PDF } from '@libpdf/core';
import { ServiceError } from '../../errors.ts';
import { findForbidden } from '../archive/forbidden-content.ts';
import { makeConformant } from '../archive/make-conformant.ts';
import { type AnyProfile, type Claims, isVersion2, toClaims } from '../conformance/profiles.ts';
import { toFacts } from '../edit/metadata.ts';
import { readPartFacts } from '../edit/read-facts.ts';
import { validatePdf } from '../validate/validate.ts';
import { readInformation } from './information.ts';
import type { AssembledFile, OpenDocument } from './open-document.ts';

export interface ConformStep {
  profiles: AnyProfile[];
}

/** What the PDF claims besides stays, if both can hold. Throws `not_conformant`. */
export function conform({ pdf }: Pick<OpenDocument, 'pdf'>, { profiles }: ConformStep): void {
  const { claims: own, title } = readPartFacts(pdf.pdf);
  const claims = join(toClaims(profiles), own);
  makeConformant(pdf, claims, toFacts(readInformation(pdf), title || undefined));
  refuse(findForbidden(pdf, claims));
}

function join(asked: Claims, own: Claims): Claims {
  const joined = { archive: asked.archive ?? own.archive, accessible: asked.accessible ?? own.accessible };
  const isPossible = !joined.archive || !joined.accessible || (joined.archive.part === 4) === (joined.accessible === 2);
  return isPossible && isVersion2(joined) === isVersion2(asked) ? joined : asked;
}

/** Throws `not_conformant` for a written PDF that breaks a rule. */
export async function requireConformance(content: Uint8Array, { profiles }: ConformStep): Promise<void> {
  refuse((await validatePdf(content, profiles)).violations);
}

function refuse(violations: ReadonlyArray<{ rule: string; message: string }>): void {
  const [first, ...more] = violations;
  if (!first) return;
  const others = more.length ? ` And ${more.length} more.` : '';
  throw new ServiceError('not_conformant', `${first.rule}: ${first.message}${others}`, { members: { violations } });
}

/** A PDF that conforms as it is. Undefined for another, and for one that cannot be read. */
export async function alreadyConformant(content: Uint8Array, { profiles }: ConformStep): Promise<AssembledFile | undefined> {
  try {
    await requireConformance(content, { profiles });
    return { content, pages: (await PDF.load(content)).getPageCount() };
  } catch {
    return undefined;
  }
}
