/** What of a loaded document a screenshot shows, and in which format. */

export const IMAGE_TYPES = ['png', 'jpeg', 'webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** In CSS pixels of the document, from its upper left corner. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type CaptureArea =
  | { kind: 'document' }
  | { kind: 'viewport' }
  | { kind: 'clip'; clip: Area }
  | { kind: 'element'; selector: string };

export interface CaptureSettings {
  type: ImageType;
  /** From 0 to 100, of JPEG and WebP; undefined leaves it to Chromium. */
  quality: number | undefined;
  area: CaptureArea;
  /** Pixels of the image for each CSS pixel. */
  deviceScaleFactor: number;
}

/** An image, and what is known of it. */
export interface CapturedImage {
  image: Buffer;
  /** Pixels. */
  width: number;
  height: number;
}
