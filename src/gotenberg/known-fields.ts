/** Which fields of Gotenberg a route reads, refuses or ignores: the name of a field and the kind of route in, the answer out. */

import { BULK_FIELDS } from './changes/bulk-stamps.ts';
import { STAGE_FIELDS, STAGE_ROUTE_FIELDS, type StageRoute } from './changes/stages.ts';
import { DOWNLOADS } from './downloads.ts';
import { PDF_FIELDS, SCREENSHOT_FIELDS, URL_FIELDS } from './fields.ts';
import { IMAGE_FIELDS, type ImageRoute } from './image-fields.ts';
import { ALL_GROUPS, fieldsOf, type Group } from './pdf-fields.ts';
import { type Field, type Fields, flag } from './read-field.ts';

export interface PdfRoute {
  /** The fields that it reads. */
  groups: readonly Group[];
  /** At least one of them must be sent. */
  required?: readonly string[];
  /** All of them must be sent. */
  requiresAll?: true;
  /** What is said if none of them is sent. Default: that the first is required. */
  whenMissing?: string;
  /** Whether its steps are those of `stages`. */
  hasStages?: true;
  /** The only stage, whose members are fields. */
  stage?: StageRoute;
  /** Whether its stamps are those of `stamps`. */
  isBulk?: true;
  isMerge?: true;
  /** A field that the route sets. */
  implied?: string;
  /** Whether it draws pages, and which fields say how. */
  images?: ImageRoute;
  /** What it sends of each file, as JSON. */
  reads?: 'metadata' | 'bookmarks' | 'attachments';
}

const NO_PASSWORD = "a 'userPassword' or 'ownerPassword' is required";
const NO_PROFILE = "either 'pdfa' or 'pdfua' form fields must be provided";

/** Routes of `/forms/pdfengines`, and of `/forms/pdf` in version 9. */
export const PDF_ROUTES = {
  merge: { groups: ALL_GROUPS.filter((group) => group !== 'split'), isMerge: true },
  split: { groups: ALL_GROUPS, required: ['splitMode', 'splitSpan'], requiresAll: true },
  rotate: { groups: ['rotation'], required: ['rotateAngle'] },
  watermark: { groups: ['watermarks'], required: ['watermarkSource'] },
  stamp: { groups: ['stamps'], required: ['stampSource'] },
  'stamp/bulk': { groups: ['stamps'], required: ['stamps'], isBulk: true },
  'metadata/write': { groups: ['metadata'], required: ['metadata'] },
  'metadata/read': { groups: [], reads: 'metadata' },
  'bookmarks/write': { groups: ['bookmarks'], required: ['bookmarks'] },
  'bookmarks/read': { groups: [], reads: 'bookmarks' },
  attachments: { groups: [], reads: 'attachments' },
  flatten: { groups: ['flattening'], implied: 'flatten' },
  encrypt: { groups: ['encryption'], required: ['userPassword', 'ownerPassword'], whenMissing: NO_PASSWORD },
  'add-password': { groups: ['encryption'], required: ['userPassword'] },
  embed: { groups: ['embeds'], required: ['embeds'] },
  'attachments/add': { groups: ['embeds'], required: ['attachments'] },
  'convert/image': { groups: [], images: 'convert/image' },
  render: { groups: [], images: 'render' },
  convert: { groups: ['conformance'], required: ['pdfa', 'pdfua'], whenMissing: NO_PROFILE },
  optimize: { groups: ['optimization'], implied: 'optimizeImages' },
  redact: { groups: [], required: ['regions'], stage: 'redact' },
  sign: { groups: [], required: ['certificate'], stage: 'sign' },
  remediate: { groups: [], required: ['profile'], stage: 'remediate' },
  'extract-text': { groups: [], stage: 'extract-text' },
  'extract-attachments': { groups: [], stage: 'extract-attachments' },
  pipe: { groups: [], required: ['stages'], hasStages: true },
} as const satisfies Readonly<Record<string, PdfRoute>>;

export type PdfRouteName = keyof typeof PDF_ROUTES;
export type RouteKind = 'pdf' | 'image' | PdfRouteName;

const PDF_ROUTE_ENTRIES = Object.entries(PDF_ROUTES) as Array<[PdfRouteName, PdfRoute]>;
const OF_ALL_ROUTES: Fields = { downloadFrom: DOWNLOADS };
/** Fields of merging alone. */
const MERGE_FIELDS: Fields = { autoIndexBookmarks: flag(), titleBookmarks: flag() };

function fieldsOfRoute({ groups, isMerge, isBulk, hasStages, stage, images }: PdfRoute): Fields {
  if (isBulk) return { ...OF_ALL_ROUTES, ...BULK_FIELDS };
  const own = {
    ...(isMerge && MERGE_FIELDS),
    ...(hasStages && STAGE_FIELDS),
    ...(stage && STAGE_ROUTE_FIELDS[stage]),
    ...(images && IMAGE_FIELDS[images]),
  };
  return { ...OF_ALL_ROUTES, ...fieldsOf(groups), ...own };
}

export const FIELDS: Readonly<Record<RouteKind, Fields>> = {
  pdf: { ...OF_ALL_ROUTES, ...PDF_FIELDS, ...URL_FIELDS, ...STAGE_FIELDS },
  image: { ...OF_ALL_ROUTES, ...SCREENSHOT_FIELDS, ...URL_FIELDS },
  ...(Object.fromEntries(PDF_ROUTE_ENTRIES.map(([name, route]) => [name, fieldsOfRoute(route)])) as Record<PdfRouteName, Fields>),
};

type FileMember = 'embeds' | 'watermark' | 'stamp' | 'invoices';
type FileFields = Readonly<Record<string, FileMember>>;

const FILES_OF: Partial<Record<Group, FileFields>> = {
  embeds: { embeds: 'embeds', attachments: 'embeds' },
  watermarks: { watermark: 'watermark', watermarks: 'watermark' },
  stamps: { stamp: 'stamp', stamps: 'stamp' },
};

function filesOf(groups: readonly Group[]): FileFields {
  return Object.assign({}, ...groups.map((group) => FILES_OF[group]));
}

/** Parts that are files, by the kind of route, and the member of the form that gets them. */
export const FILES: Readonly<Record<RouteKind, FileFields>> = {
  pdf: { ...filesOf(ALL_GROUPS), facturxXml: 'invoices' },
  image: {},
  ...(Object.fromEntries(PDF_ROUTE_ENTRIES.map(([name, { groups }]) => [name, filesOf(groups)])) as Record<
    PdfRouteName,
    FileFields
  >),
};

const OF_ALL = ['archives'];
const INVOICES = ['facturxXml', 'facturxConformanceLevel', 'facturxDocumentType', 'facturxVersion'];

/** Fields that the routes of Gotenberg read and those of this server do not support. */
export const UNSUPPORTED: Readonly<Record<RouteKind, readonly string[]>> = {
  pdf: [...OF_ALL, 'resetFormFields'],
  image: [...OF_ALL, 'stages'],
  ...(Object.fromEntries(PDF_ROUTE_ENTRIES.map(([name]) => [name, OF_ALL])) as Record<PdfRouteName, string[]>),
  merge: [...OF_ALL, ...INVOICES, 'resetFormFields', 'stages'],
};

export function findKnownField(name: string, target: RouteKind): Field | undefined {
  return Object.hasOwn(FIELDS[target], name) ? FIELDS[target][name] : undefined;
}

export function fileMember(name: string, target: RouteKind): FileMember | undefined {
  return Object.hasOwn(FILES[target], name) ? FILES[target][name] : undefined;
}

/** Whether the route of Gotenberg reads the field and this server does not. */
export function isUnsupported(name: string, target: RouteKind): boolean {
  return !findKnownField(name, target) && (UNSUPPORTED[target].includes(name) || (target === 'pdf' && /^native[A-Z]/.test(name)));
}

/** Whether only other routes of Gotenberg read the field. Clients send it to every route, and Gotenberg ignores it. */
export function isOfOtherRoute(name: string, target: RouteKind): boolean {
  const isOf = (kind: RouteKind) => findKnownField(name, kind) || fileMember(name, kind) || isUnsupported(name, kind);
  const isOfOffice = name === 'merge';
  return !isOf(target) && (isOfOffice || (Object.keys(FIELDS) as RouteKind[]).some(isOf));
}
