/** What is done to a PDF after the browser has printed it: a plain value that can cross threads. Valid once built. */

/** What a reader of an encrypted PDF may allow. `print` is in any quality, `print_low` in low quality only. */
export const PERMISSIONS = [
  'print',
  'print_low',
  'copy',
  'modify',
  'annotate',
  'fill_forms',
  'assemble',
  'accessibility',
] as const;
export type PdfPermission = (typeof PERMISSIONS)[number];

/** A date of the metadata: year, month, day, hour, minute, second, and hours and minutes from UTC where it is not that. */
export const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-]\d\d):(\d\d))$/;

export interface FinishSettings {
  /** Whose it is: what nobody can guess of an encrypted PDF differs from one owner to the other. */
  boundary: string;
  /** Entries the caller gave; the document's own title is kept where none is given. Dates as RFC 3339. */
  metadata: Metadata;
  /** Object streams and a cross-reference stream. A PDF with a password has them in any case. */
  compress: boolean;
  /** Names differ from each other. `type` is a MIME type. */
  attachments: Attachment[];
  watermark: Watermark | undefined;
  password: Password | undefined;
}

export interface Metadata {
  title?: string;
  author?: string;
  subject?: string;
  keywords?: string[];
  creator?: string;
  creationDate?: string;
  modDate?: string;
}

export interface Attachment {
  name: string;
  type: string | undefined;
  description: string | undefined;
  content: Uint8Array;
}

export interface Watermark {
  /** A PDF of one square page without background and without tags, as Chromium printed it. */
  stamp: Buffer[];
  /** From 1, both ends included. Empty: all pages. */
  pages: Array<{ from: number; to: number }>;
  /** 0 to 1. */
  opacity: number;
  layer: 'over' | 'under';
}

/** Both as SASLprep leaves them, at most 127 bytes of UTF-8. */
export interface Password {
  user: string;
  /** Undefined: one that nobody knows, so that the permissions hold. */
  owner: string | undefined;
  /** Undefined: everything. */
  permissions: PdfPermission[] | undefined;
}

type Plan = Omit<FinishSettings, 'watermark' | 'boundary'> & { watermark: object | undefined };

/** Whether these settings change more of a PDF than `settleIdentity` does. */
export function needsFinishing({ metadata, compress, attachments, watermark, password }: Plan): boolean {
  const entries = Object.values(metadata).some((entry) => entry !== undefined);
  return entries || compress || attachments.length > 0 || watermark !== undefined || password !== undefined;
}
