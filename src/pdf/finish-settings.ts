/** The settings for finishing a PDF after the browser has printed it: a validated, plain value that can be sent to a thread. */

import type { PrintedStructure } from '../tag-structure.ts';
import type { Invoice } from './conformance/invoice-profiles.ts';
import type { Claims } from './conformance/profiles.ts';
import type { Forms } from './forms/forms.ts';
import type { Bookmark } from './paged/bookmarks.ts';
import type { PageLabel } from './paged/page-labels.ts';

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

/**
 * A date in the metadata. Captures year, month, day, hour, minute, second, and the UTC offset in hours and minutes if it is not
 * `Z`.
 */
export const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-]\d\d):(\d\d))$/;

/** The name of a letterhead in the resources of pages. What it has is as small as possible already. */
export const LETTERHEAD = 'PlatenLetterhead';

export interface FinishSettings {
  /** The isolation boundary of the owner. Keys of encrypted PDFs differ between boundaries. */
  boundary: string;
  /** Entries from the caller. Without a title, the title of the document is kept. Dates are in RFC 3339. */
  metadata: PdfMetadata;
  /** Whether to make the PDF smaller without a change to its pages. A PDF with a password always is. */
  compress: boolean;
  /** Names are unique. `type` is a media type. */
  attachments: Attachment[];
  letterhead?: Letterhead | undefined;
  watermark: PageStamp | undefined;
  /** The label of each page. */
  labels?: PageLabel[] | undefined;
  /** Bookmarks in place of those that Chromium has written. */
  bookmarks?: Bookmark[] | undefined;
  images?: ImageSettings | undefined;
  password: Password | undefined;
  printersMarks?: PrintersMarks | undefined;
  /** Whether to join words that were hyphenated, so that they can be searched and copied. */
  joinsWords?: boolean;
  /** The conformance that the PDF claims; undefined for none. */
  conformance?: Claims | undefined;
  /** Whether to repair the tags as far as the document allows, even if the PDF claims no conformance. */
  repairsTags?: boolean;
  /** The structure that the document states. Required to claim conformance; without it, the tags stay as they are. */
  structure?: PrintedStructure | undefined;
  /** Requires a claim of PDF/A-3. */
  invoice?: Invoice | undefined;
  forms?: Forms | undefined;
  /** The signature field, which is always added last. */
  signature?: SignatureField | undefined;
}

/** A signature field. The signature is inserted after the file has been finished. */
export interface SignatureField {
  /** The text that assistive technology reads out. */
  description: string;
  name: string;
  reason: string | undefined;
  location: string | undefined;
  contact: string | undefined;
  /** Milliseconds since 1970. */
  signedAt: number;
  reservedBytes: number;
  digest: 'sha256' | 'sha384' | 'sha512';
  /** Undefined for an invisible signature. */
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

/** A signature field of the document, by its number in `forms`. */
export interface FieldOfDocument {
  number: number;
}

/** The placeholder for a signature in a finished PDF: its offset, and its length in hexadecimal digits. */
export interface SignaturePlaceholder {
  start: number;
  digits: number;
  /** The digest of the file without the placeholder. */
  digest: Uint8Array;
}

/** Validation data to append to a signed PDF. Certificates, OCSP responses and CRLs are in DER. */
export interface ValidationUpdate {
  certificates: Uint8Array[];
  ocspResponses: Uint8Array[];
  crls: Uint8Array[];
  /** The number of bytes to reserve for a document time stamp; undefined for none. */
  timeStampBytes: number | undefined;
}

export interface PdfMetadata {
  title?: string;
  author?: string;
  subject?: string;
  keywords?: string[];
  creator?: string;
  creationDate?: string;
  modDate?: string;
  /** Entries with other names. `Producer` replaces ours. */
  custom?: Record<string, string>;
}

/** What an attachment is to the document (ISO 32000-2, 7.11.3). */
export const RELATIONSHIPS = ['Source', 'Data', 'Alternative', 'Supplement', 'Unspecified'] as const;

export interface Attachment {
  name: string;
  type: string | undefined;
  description: string | undefined;
  content: Uint8Array;
  relationship?: (typeof RELATIONSHIPS)[number] | undefined;
}

/** How images may be changed. At least one of the settings is there. */
export interface ImageSettings {
  /** The quality of JPEGs, 1 to 100, that replace images stored without loss. */
  quality?: number;
  /** Images with more pixels per inch are scaled down. */
  maxDpi?: number;
}

/** What to add around pages, which include their bleed. */
export interface PrintersMarks {
  /** In points. */
  bleed: number;
  crop: boolean;
  cross: boolean;
}

/** What is drawn under pages, made of a PDF of any program. */
export interface Letterhead {
  /** Numbered from 1, with references to one another. A stream has its data beside its text. */
  objects: Array<{ text: string; data: Uint8Array | undefined }>;
  /** The form XObject of each page, which is one of the objects, and how far it is turned clockwise, in degrees. */
  pages: Array<{ form: number; box: Record<'x' | 'y' | 'width' | 'height', number>; turn: number }>;
  bytes: number;
}

export interface PageStamp {
  /** A PDF that Chromium printed, with one page without background and tags. */
  stamp: Buffer[];
  /** The counterclockwise rotation of the stamp in degrees. */
  rotate: number;
  /** Page ranges, counted from 1 and inclusive. Empty for all pages. */
  pages: Array<{ from: number; to: number }>;
  /** 0 to 1. */
  opacity: number;
  layer: 'over' | 'under';
}

/** Passwords that SASLprep does not change, of at most 127 bytes of UTF-8. */
export interface Password {
  user: string;
  /** Undefined for a random password that nobody knows, so that nobody can change the permissions. */
  owner: string | undefined;
  /** Undefined to allow everything. */
  permissions: PdfPermission[] | undefined;
}

type Plan = Pick<FinishSettings, 'metadata' | 'attachments'> & Partial<Record<keyof FinishSettings, unknown>>;

const CHANGES = [
  ...(['watermark', 'labels', 'bookmarks', 'images', 'password', 'conformance', 'repairsTags'] as const),
  ...(['printersMarks', 'joinsWords', 'forms', 'signature'] as const),
];

/** Whether these settings change more of a PDF than its size. */
export function needsFinishing(plan: Plan): boolean {
  const hasMetadata = Object.values(plan.metadata).some((entry) => entry !== undefined);
  return hasMetadata || plan.attachments.length > 0 || CHANGES.some((name) => Boolean(plan[name]));
}
