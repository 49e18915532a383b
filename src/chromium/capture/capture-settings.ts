/** Settings of a screenshot: the area of the document and the format. */
import type { Box } from '../../in-page/contract/questions.ts';

export const IMAGE_TYPES = ['png', 'jpeg', 'webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

export type CaptureArea =
  | { kind: 'document' }
  | { kind: 'viewport' }
  | { kind: 'clip'; clip: Box }
  | { kind: 'element'; selector: string };

export interface CaptureSettings {
  type: ImageType;
  /** The quality of JPEG and WebP, from 0 to 100. Chromium chooses if it is undefined. */
  quality: number | undefined;
  area: CaptureArea;
  /** Pixels of the image for each CSS pixel. */
  deviceScaleFactor: number;
}

/** An image and its properties. */
export interface CapturedImage {
  image: Buffer;
  /** The width in pixels. */
  width: number;
  height: number;
}
