/** Reads what a PDF has beside its pages: destinations, links, the outline and attachments. */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A name, or an array as the PDF has it. */
export type RawDestination = string | unknown[];

export interface Destination {
  /** Counted from 0. */
  page: number;
  /** How far below the top of the page, as a share of its height. */
  part: number;
}

/** `url` has a scheme that is safe to open. */
export type Target = { url: string } | { destination: RawDestination };

/** The box in shares of the page. */
export interface PageLink {
  target: Target;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface OutlineEntry {
  title: string;
  target: Target | undefined;
  entries: OutlineEntry[];
}

export interface Attachment {
  filename: string;
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Entries below this depth are left out, and so are those after this number. */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 2_000;

export async function findDestination(pdf: PDFDocumentProxy, raw: RawDestination): Promise<Destination | undefined> {
  const array = typeof raw === 'string' ? await pdf.getDestination(raw) : raw;
  if (!array) return undefined;
  const [place, kind, left, top] = array as [unknown, { name?: string } | undefined, number | null, number | null];
  const page =
    typeof place === 'number' ? place : await pdf.getPageIndex(place as Parameters<PDFDocumentProxy['getPageIndex']>[0]);
  const viewport = (await pdf.getPage(page + 1)).getViewport({ scale: 1 });
  const y = kind?.name === 'XYZ' ? top : kind?.name === 'FitH' ? left : null;
  const [, below = 0] = y === null ? [] : (viewport.convertToViewportPoint(0, y) as [number, number]);
  return { page, part: Math.max(0, below / viewport.height) };
}

export async function linksOf(page: PDFPageProxy): Promise<PageLink[]> {
  const viewport = page.getViewport({ scale: 1 });
  const annotations = (await page.getAnnotations()) as Array<
    { subtype: string; rect: [number, number, number, number] } & RawTarget
  >;
  return annotations.flatMap((annotation) => {
    const target = annotation.subtype === 'Link' ? toTarget(annotation) : undefined;
    if (!target) return [];
    const [left, bottom, right, top] = annotation.rect;
    const corners = [viewport.convertToViewportPoint(left, bottom), viewport.convertToViewportPoint(right, top)] as [
      number,
      number,
    ][];
    const [xs, ys] = [corners.map(([x]) => x / viewport.width), corners.map(([, y]) => y / viewport.height)];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    return [{ target, left: x, top: y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }];
  });
}

export async function outlineOf(pdf: PDFDocumentProxy): Promise<OutlineEntry[]> {
  let left = MAX_ENTRIES;
  const read = (nodes: RawNode[], depth: number): OutlineEntry[] =>
    nodes.flatMap((node) => {
      left -= 1;
      if (left < 0) return [];
      return [{ title: node.title, target: toTarget(node), entries: depth < MAX_DEPTH ? read(node.items, depth + 1) : [] }];
    });
  return read(((await pdf.getOutline()) as RawNode[] | null) ?? [], 1);
}

export async function attachmentsOf(pdf: PDFDocumentProxy): Promise<Attachment[]> {
  const attachments = (await pdf.getAttachments()) as Map<string, { filename: string }> | null;
  return [...(attachments ?? [])].map(([id, { filename }]) => ({
    filename,
    read: async () => Uint8Array.from((await pdf.getAttachmentContent(id)) as Uint8Array),
  }));
}

interface RawTarget {
  url?: string | null;
  dest?: RawDestination | null;
}

interface RawNode extends RawTarget {
  title: string;
  items: RawNode[];
}

function toTarget({ url, dest }: RawTarget): Target | undefined {
  if (url) return { url };
  return dest ? { destination: dest } : undefined;
}
