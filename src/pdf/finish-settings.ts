/** The settings for finishing a PDF after the browser has printed it: a validated, plain value that can be sent to a thread. */

import type { Claims } from './conformance/profiles.ts';
import type { StatedStructure } from './conformance/stated-structure.ts';

/** The permissions of an encrypted PDF. `print` allows any quality, `print_low` only low quality. */
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

/** A date of the metadata: year, month, day, hour, minute, second, and the offset from UTC in hours and minutes if there is one. */
export const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-]\d\d):(\d\d))$/;

export interface FinishSettings {
  /** The isolation boundary of the owner. Keys of encrypted PDFs differ between boundaries. */
  boundary: string;
  /** Entries from the caller. Without a title, the title of the document is kept. Dates are in RFC 3339. */
  metadata: Metadata;
  /** Whether to write object streams and a cross-reference stream. A PDF with a password always has them. */
  compress: boolean;
  /** Names are unique. `type` is a media type. */
  attachments: Attachment[];
  watermark: Watermark | undefined;
  password: Password | undefined;
  conformance?: Conformance | undefined;
}

/** What the PDF is to claim, and what the document says that it can be claimed for. */
export interface Conformance {
  claims: Claims;
  stated: StatedStructure;
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
  /** A PDF that Chromium printed, with one square page without background and tags. */
  stamp: Buffer[];
  /** Page ranges, counted from 1 and inclusive. Empty for all pages. */
  pages: Array<{ from: number; to: number }>;
  /** 0 to 1. */
  opacity: number;
  layer: 'over' | 'under';
}

/** Passwords, unchanged by SASLprep and at most 127 bytes of UTF-8. */
export interface Password {
  user: string;
  /** Undefined for a random password that nobody knows, so that nobody can change the permissions. */
  owner: string | undefined;
  /** Undefined to allow everything. */
  permissions: PdfPermission[] | undefined;
}

type Plan = Omit<FinishSettings, 'watermark' | 'boundary' | 'conformance'> & {
  watermark: object | undefined;
  conformance?: object | undefined;
};

/** Whether these settings change more of a PDF than `settleIdentity` does. */
export function needsFinishing({ metadata, compress, attachments, watermark, password, conformance }: Plan): boolean {
  const entries = Object.values(metadata).some((entry) => entry !== undefined);
  return entries || compress || attachments.length > 0 || [watermark, password, conformance].some((each) => each !== undefined);
}
