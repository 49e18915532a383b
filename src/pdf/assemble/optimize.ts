/** The step that makes a PDF smaller. Without settings for images, nothing changes that can be seen; `quality` applies to JPEGs as well. */
import { compressStreams } from '../compress/compress-streams.ts';
import type { ImageSettings } from '../finish-settings.ts';
import { shrinkImages } from '../images/shrink-images.ts';
import type { OpenDocument } from './open-document.ts';

export type OptimizeStep = ImageSettings;

export async function optimize({ pdf }: OpenDocument, images: OptimizeStep): Promise<void> {
  if (Object.keys(images).length) await shrinkImages(pdf, images, true);
  compressStreams(
    pdf,
    pdf.pages().map(({ page }) => page),
    (ref, stream) => pdf.change(ref, stream),
  );
}
