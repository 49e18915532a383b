/** Which fields of Gotenberg a route reads, refuses or ignores: the name of a field and the kind of route in, the answer out. */
import { type Field, type Fields, MERGE_FIELDS, PDF_FIELDS, SCREENSHOT_FIELDS, URL_FIELDS } from './fields.ts';

export type RouteKind = 'pdf' | 'image' | 'merge';

export const FIELDS: Readonly<Record<RouteKind, Fields>> = {
  pdf: { ...PDF_FIELDS, ...URL_FIELDS },
  image: { ...SCREENSHOT_FIELDS, ...URL_FIELDS },
  merge: MERGE_FIELDS,
};

/** Parts that are files, by the kind of route, and the member of the form that gets them. */
export const FILES: Readonly<Record<RouteKind, Readonly<Record<string, 'embeds' | 'marks' | 'invoices'>>>> = {
  pdf: { embeds: 'embeds', watermark: 'marks', stamp: 'marks', facturxXml: 'invoices' },
  image: {},
  merge: { embeds: 'embeds' },
};
const OF_ALL = ['stages', 'archives', 'downloadFrom'];
const OF_PAGES = ['ignoreResourceHttpStatusDomains'];
const OF_PDFS = ['bookmarks', 'optimizeImages', 'imageQuality', 'resetFormFields', 'rotateAngle', 'rotatePages'];
const MARKS = ['Source', 'Expression', 'Pages', 'Options', ''].flatMap((part) => [`watermark${part}`, `stamp${part}`]);
const INVOICES = ['facturxXml', 'facturxConformanceLevel', 'facturxDocumentType', 'facturxVersion'];

/** Fields that the routes of Gotenberg read and those of this server do not support. */
export const UNSUPPORTED: Readonly<Record<RouteKind, readonly string[]>> = {
  pdf: [...OF_ALL, ...OF_PAGES, ...OF_PDFS, 'splitMode', 'splitSpan', 'splitUnify'],
  image: [...OF_ALL, ...OF_PAGES],
  merge: [...OF_ALL, ...OF_PDFS, ...MARKS, ...INVOICES, 'pdfa', 'pdfua', 'titleBookmarks'],
};
export function findKnownField(name: string, target: RouteKind): Field | undefined {
  return Object.hasOwn(FIELDS[target], name) ? FIELDS[target][name] : undefined;
}

export function fileMember(name: string, target: RouteKind): 'embeds' | 'marks' | 'invoices' | undefined {
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
