/** Finishes a printed PDF: plans in, the last bytes out, in a worker thread if there is anything to do. */
import type { Content } from '../../chromium/load/load-settings.ts';
import { Deadline } from '../../deadline.ts';
import { ServiceError } from '../../errors.ts';
import { withLetterhead } from '../../pdf/edit/letterhead.ts';
import { normalizeInfoDictionary, withMetadata } from '../../pdf/edit/normalize-info-dictionary.ts';
import { type FinishSettings, needsFinishing, type SignaturePlaceholder } from '../../pdf/finish-settings.ts';
import type { FinishPlan } from '../request/finish-options.ts';
import { beyondTheEnd, parseRanges } from '../request/values/page-ranges.ts';
import type { Watermark } from '../request/watermark-options.ts';
import { type FinishQueue, totalLength } from './finish-queue.ts';
import type { PrintedDocument } from './printed-document.ts';
import { completeSignature, type Signing } from './signing.ts';

/** By default, a smaller or larger PDF that needs no other change stays as it is. See docs/decisions/0098-small-files.md. */
const [MIN_COMPRESSED_BYTES, MAX_COMPRESSED_BYTES] = [10_000, 67_108_864];

/** Documents with as many characters may have a PDF that is compressed, for which a thread is started meanwhile. */
const MIN_SOURCE_CHARACTERS = 3_000;

type Settings = Omit<FinishSettings, 'compress'> & Pick<FinishPlan, 'compress'>;

export async function finishPdf(
  finishing: FinishQueue,
  { chunks, metadata: own }: PrintedDocument,
  { compress, ...others }: Settings,
  signing: Signing | undefined,
  shareOf: string,
  deadline: Deadline,
): Promise<Buffer[]> {
  const metadata = { ...own, ...others.metadata };
  const settings = { ...others, metadata, compress: compress ?? true };
  const { signature } = settings;
  if (signature && signing) {
    const fill = async (pieces: Buffer[], hole: SignaturePlaceholder) =>
      signing.isTrial ? pieces : completeSignature(pieces, hole, signing, finishing, { owner: shareOf, deadline });
    return finishing.sign(shareOf, chunks, { ...settings, signature }, fill, deadline);
  }
  if (needsFinishing(others)) return finishing.finish(shareOf, chunks, settings, deadline);
  normalizeInfoDictionary(chunks);
  const { letterhead } = others;
  const printed = withMetadata(chunks, own);
  const draw = () => (letterhead ? [withLetterhead(Buffer.concat(printed), letterhead)] : printed);
  if (compress) return finishing.compress(shareOf, printed, deadline, letterhead);
  if (compress === false || !isWorthCompressing(printed)) return draw();
  const bytes = totalLength(printed);
  const areHere = () => totalLength(printed) === bytes; // threads take them
  using patience = new Deadline(deadline.remainingMs, deadline.signal);
  const giveUp = () => areHere() && patience.end(new ServiceError('queue_full', 'no thread has compressed the PDF in time'));
  const timer = setTimeout(giveUp, deadline.remainingMs / 2);
  try {
    return await finishing.compress(shareOf, printed, patience, letterhead);
  } catch (error) {
    deadline.throwIfOver();
    if (!areHere()) throw error;
    return draw(); // nobody has asked for a smaller PDF
  } finally {
    clearTimeout(timer);
  }
}

/** Prepares what finishing takes. Throws `queue_full` if the PDF must be finished and would have no room. */
export function expectPdf(finishing: FinishQueue, finish: FinishPlan, content: Content, shareOf: string): void {
  if (finish.compress || needsFinishing(finish)) finishing.expect(shareOf);
  else if (finish.compress === undefined && (content.kind === 'url' || content.html.length >= MIN_SOURCE_CHARACTERS))
    finishing.prepareToCompress();
}

function isWorthCompressing(printed: Buffer[]): boolean {
  const bytes = totalLength(printed);
  return bytes >= MIN_COMPRESSED_BYTES && bytes <= MAX_COMPRESSED_BYTES;
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
