/** The settings for finishing a PDF after the browser has printed it: a validated, plain value that can be sent to a thread. */

import type { PrintedStructure } from '../stated.ts';
import type { Invoice } from './conformance/invoice-profiles.ts';
import type { Claims } from './conformance/profiles.ts';
import type { Forms } from './forms/forms.ts';

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
  /** What the PDF is to claim; undefined for nothing. */
  conformance?: Claims | undefined;
  /** Whether the tags of the PDF are mended as far as the document allows, also where no claim demands it. */
  mendsTags?: boolean;
  /** What the document says about its structure. A claim needs it; without it, tags stay as they are. */
  stated?: PrintedStructure | undefined;
  /** Only with a conformance that claims PDF/A-3. */
  invoice?: Invoice | undefined;
  /** Fields of the document that become fields of the PDF. */
  forms?: Forms | undefined;
  /** Always the last change. */
  signature?: SignatureField | undefined;
}

/** A field that is signed when the file is finished. */
export interface SignatureField {
  /** What assistive technology reads out. */
  description: string;
  /** Of whoever signs. */
  name: string;
  reason: string | undefined;
  location: string | undefined;
  contact: string | undefined;
  /** Milliseconds since 1970. */
  signedAt: number;
  /** Room for the signature. */
  reservedBytes: number;
  digest: 'sha256' | 'sha384' | 'sha512';
  /** Undefined for a field that is not to be seen. */
  visible: VisibleField | undefined;
}

export interface VisibleField {
  place: FieldPosition | FieldOfDocument;
  /** A PDF that Chromium printed, with one page of this size, without tags. */
  appearance: Buffer[];
}

/** Lengths are in points, from the upper left corner of the page. */
export interface FieldPosition {
  /** Counted from 1; -1 is the last one. */
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One of `forms`, which is signed. */
export interface FieldOfDocument {
  number: number;
}

/** The room for a signature in a finished PDF: from where on, and for how many hexadecimal digits. */
export interface SignatureHole {
  start: number;
  digits: number;
  /** Of everything around it. */
  digest: Uint8Array;
}

/** What is written after a signed PDF; certificates and answers are in DER. */
export interface ValidationUpdate {
  certificates: Uint8Array[];
  ocspResponses: Uint8Array[];
  lists: Uint8Array[];
  /** Room for a time stamp of the whole file; undefined for none. */
  timeStampBytes: number | undefined;
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

type Plan = Omit<FinishSettings, 'watermark' | 'boundary' | 'forms' | 'signature'> & {
  watermark: object | undefined;
  forms?: object | boolean | undefined;
  signature?: object | undefined;
};

/** Whether these settings change more of a PDF than `settleIdentity` does. */
export function needsFinishing(plan: Plan): boolean {
  const { metadata, compress, attachments, watermark, password, conformance, mendsTags, forms, signature } = plan;
  const entries = Object.values(metadata).some((entry) => entry !== undefined);
  return (
    entries ||
    compress ||
    attachments.length > 0 ||
    Boolean(forms || mendsTags) ||
    [watermark, password, conformance, signature].some((each) => each !== undefined)
  );
}
