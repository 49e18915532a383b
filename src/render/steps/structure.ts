/** Reads the structure that a document states, which tags of the PDF are compared with and repaired by. */
import type { MissingGlyphs } from '../../chromium/glyphs/missing-glyphs.ts';
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { FinishSettings } from '../../pdf/finish-settings.ts';
import type { DocumentStructure } from '../../tag-structure.ts';
import type { FinishPlan } from '../request/finish-options.ts';
import type { PrintedDocument } from './printed-document.ts';

/** A repair of tags uses the structure of the document if it can be read; a claim of conformance requires it. */
export async function readStructure(
  document: LoadedDocument,
  { conformance, repairsTags }: FinishPlan,
): Promise<DocumentStructure | undefined> {
  if (conformance) return document.readStructure('demanded');
  return repairsTags ? document.readStructure('wanted') : undefined;
}

/** The structure for the finisher. Links to assets become relative again, as they are in the PDF. */
export function toStructureSettings(
  { structure, assetOrigin, settings }: PrintedDocument,
  missingGlyphs: MissingGlyphs[],
): FinishSettings['structure'] {
  if (!structure) return undefined;
  const isAsset = (target: string) => assetOrigin !== undefined && target.startsWith(`${assetOrigin}/`);
  const relative = (target: string) => (isAsset(target) ? target.slice(`${assetOrigin}/`.length) : target);
  const links = structure.links.map((link) => ({ ...link, target: relative(link.target) }));
  return {
    ...structure,
    links,
    isWhole: settings.pageRanges === '',
    missingGlyphs: missingGlyphs.map(({ characters }) => characters),
  };
}
