/** Finishes a printed PDF: plans in, the last bytes out, in a worker thread if there is anything to do. */
import type { Deadline } from '../../deadline.ts';
import { normalizeInfoDictionary, withMetadata } from '../../pdf/edit/normalize-info-dictionary.ts';
import { hasDuplicates } from '../../pdf/edit/remove-duplicates.ts';
import { type FinishSettings, needsFinishing, type SignaturePlaceholder } from '../../pdf/finish-settings.ts';
import { beyondTheEnd, parseRanges } from '../request/values/page-ranges.ts';
import type { Watermark } from '../request/watermark-options.ts';
import type { FinishQueue } from './finish-queue.ts';
import type { PrintedDocument } from './printed-document.ts';
import { completeSignature, type Signing } from './signing.ts';

export async function finishPdf(
  finishing: FinishQueue,
  { chunks, metadata: own }: PrintedDocument,
  settings: FinishSettings,
  signing: Signing | undefined,
  shareOf: string,
  deadline: Deadline,
): Promise<Buffer[]> {
  const metadata = { ...own, ...settings.metadata };
  const { signature } = settings;
  if (signature && signing) {
    const fill = async (pieces: Buffer[], hole: SignaturePlaceholder) =>
      signing.isTrial ? pieces : completeSignature(pieces, hole, signing, finishing, { owner: shareOf, deadline });
    return finishing.sign(shareOf, chunks, { ...settings, metadata, signature }, fill, deadline);
  }
  if (needsFinishing(settings) || hasDuplicates(chunks))
    return finishing.finish(shareOf, chunks, { ...settings, metadata }, deadline);
  normalizeInfoDictionary(chunks);
  return withMetadata(chunks, own);
}

/** Throws `print_failed` if the ranges name pages that the document does not have. */
export function layOutWatermark(
  watermark: Watermark | undefined,
  stamp: Buffer[] | undefined,
  pages: number,
): FinishSettings['watermark'] {
  if (!watermark || !stamp) return undefined;
  const error = beyondTheEnd('options.watermark.pages', watermark.pages, pages);
  if (error) throw error;
  const { opacity, layer, rotate } = watermark;
  return { stamp, pages: parseRanges(watermark.pages), opacity, layer, rotate };
}
