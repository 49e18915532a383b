/** Which fields of Gotenberg a route reads, refuses or ignores: the name of a field and the kind of route in, the answer out. */
import { type Field, type Fields, MERGE_FIELDS, PDF_FIELDS, SCREENSHOT_FIELDS, URL_FIELDS } from './fields.ts';

/** The result of a route: a PDF, an image or a merged PDF. */
export type RouteKind = 'pdf' | 'image' | 'merge';

const FIELDS: Readonly<Record<RouteKind, Fields>> = {
  pdf: { ...PDF_FIELDS, ...URL_FIELDS },
  image: { ...SCREENSHOT_FIELDS, ...URL_FIELDS },
  merge: MERGE_FIELDS,
};

/** The name of the parts that hold attachments. */
export const EMBEDS = 'embeds';
const OF_ALL = 'stages|archives|downloadFrom';
const OF_PAGES = 'ignoreResourceHttpStatusDomains';
const OF_PDFS = 'bookmarks|embedsMetadata|optimizeImages|resetFormFields\\w*|facturx\\w*|watermark\\w*|stamp\\w*|rotate\\w*';

/** Fields that the routes of Gotenberg read and those of this server do not support. */
const UNSUPPORTED: Readonly<Record<RouteKind, RegExp>> = {
  pdf: new RegExp(`^(?:${OF_ALL}|${OF_PAGES}|${OF_PDFS}|split(?:Mode|Span|Unify)|native\\w+)$`),
  image: new RegExp(`^(?:${OF_ALL}|${OF_PAGES})$`),
  merge: new RegExp(`^(?:${OF_ALL}|${OF_PDFS}|pdfa|pdfua)$`),
};
/** A field of LibreOffice. */
const OF_OFFICE = 'merge';

export function fieldNamed(name: string, target: RouteKind): Field | undefined {
  return Object.hasOwn(FIELDS[target], name) ? FIELDS[target][name] : undefined;
}

export function fieldNames(target: RouteKind): string[] {
  return Object.keys(FIELDS[target]);
}

/** Whether the route of Gotenberg reads the field and this server does not. */
export function isUnsupported(name: string, target: RouteKind): boolean {
  return !fieldNamed(name, target) && UNSUPPORTED[target].test(name);
}

/** Whether only other routes of Gotenberg read the field. Clients send it to every route, and Gotenberg ignores it. */
export function isOfOtherRoute(name: string, target: RouteKind): boolean {
  if (fieldNamed(name, target) || isUnsupported(name, target)) return false;
  if (name === EMBEDS) return target === 'image';
  return name === OF_OFFICE || targets.some((other) => fieldNamed(name, other) || UNSUPPORTED[other].test(name));
}

const targets = Object.keys(FIELDS) as RouteKind[];
