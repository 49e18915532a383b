/**
 * Removes resources that only pages used which are gone. Many producers give all pages the same resources (ISO 32000-1, 7.8.3), so that
 * the images and fonts of those pages would stay in the file.
 */
import { PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { scanForeign } from '../content/content-scanner.ts';
import { foreignContent } from '../content/graphics-balance.ts';
import { type ForeignPdf, listReachable } from '../objects/foreign-pdf.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';

/** Colour spaces stay, because inline images may use them. */
const KINDS = ['Font', 'XObject', 'Pattern', 'ExtGState', 'Properties', 'Shading'];
const MAX_DEPTH = 100;

type Pages = ReturnType<ForeignPdf['pages']>;

/** Pages that share resources with others which are to go. */
export interface Sharing {
  pages: PdfRef[];
  /** The object numbers of the resources, and of what they are inherited from. */
  sources: ReadonlySet<number>;
}

export function findSharing(pdf: ForeignPdf, gone: Pages, others: Pages): Sharing {
  const sources = new Set(gone.flatMap(({ page }) => sourcesOf(pdf, page)));
  const isShared = (page: PdfDict) => sourcesOf(pdf, page).some((source) => sources.has(source));
  return { sources, pages: others.filter(({ page }) => isShared(page)).map(({ ref }) => ref) };
}

/** Call it when the pages are gone. Content that cannot be read keeps its resources. */
export function pruneResources(pdf: ForeignPdf, { pages, sources }: Sharing): void {
  if (!pages.length) return;
  for (const ref of pages) {
    const page = pdf.asDict(ref);
    const pruned = page && prune(pdf, page, () => foreignContent(pdf, page));
    if (pruned) pdf.update(ref, { Resources: pruned });
  }
  for (const { id, value } of [...listReachable(pdf, pages)]) {
    if (!(value instanceof PdfStream) || !sourcesOf(pdf, value).some((source) => sources.has(source))) continue;
    const pruned = prune(pdf, value, () => Buffer.from(value.getDecodedData()));
    if (!pruned) continue;
    const copy = new PdfStream(value, value.data);
    copy.set('Resources', pruned);
    pdf.change(PdfRef.of(id), copy);
  }
}

/** The objects that resources are in: of a page, of a node of the page tree that it inherits from, or of a form XObject. */
function sourcesOf(pdf: PdfReader, holder: PdfDict): number[] {
  let [node, ref]: [PdfDict | undefined, PdfObject | undefined] = [holder, undefined];
  for (let depth = 0; node && !node.has('Resources') && depth < MAX_DEPTH; depth++)
    [ref, node] = [node.get('Parent'), pdf.dict(node, 'Parent')];
  const resources = node?.get('Resources');
  const kinds = KINDS.map((kind) => pdf.asDict(resources)?.get(kind));
  return [ref, resources, ...kinds].flatMap((each) => (each instanceof PdfRef ? each.objectNumber : []));
}

/** The resources of a page or a form XObject without those that its content does not use. */
function prune(pdf: PdfReader, holder: PdfDict, read: () => Buffer): PdfDict | undefined {
  const resources = pdf.dict(holder, 'Resources');
  const used = resources && usedNames(pdf, holder, read, resources);
  if (!used) return undefined;
  const pruned = resources.clone();
  for (const kind of KINDS) {
    const entries = [...(pdf.dict(resources, kind) ?? [])];
    const kept = entries.filter(([name]) => used.has(name.value) || !PLAIN.test(name.value));
    if (kept.length < entries.length) pruned.set(kind, new PdfDict(kept));
  }
  return pruned;
}

/** Names in other encodings may be written in several ways. */
const PLAIN = /^[!-~]+$/;

/** Those of a page or a form by its dictionary, because a split asks for them again. */
const known = new WeakMap<PdfDict, ReadonlySet<string> | undefined>();

/** The names in the content, and in what it draws that has no resources of its own. Undefined if they cannot be told. */
function usedNames(pdf: PdfReader, holder: PdfDict, read: () => Buffer, resources: PdfDict): ReadonlySet<string> | undefined {
  if (known.has(holder)) return known.get(holder);
  let used: ReadonlySet<string> | undefined;
  try {
    used = collectNames(pdf, read(), resources);
  } catch {}
  known.set(holder, used);
  return used;
}

/** Throws for content that cannot be read. */
function collectNames(pdf: PdfReader, content: Buffer, resources: PdfDict): ReadonlySet<string> {
  const used = new Set<string>();
  const waiting = [content];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const names = [...namesIn(next)].filter((name) => !used.has(name));
    for (const name of names) used.add(name);
    waiting.push(...names.flatMap((name) => withoutResources(pdf, resources, name)));
  }
  return used;
}

/** The content of what has a name, if it uses the resources of the content around it. */
function withoutResources(pdf: PdfReader, resources: PdfDict, name: string): Buffer[] {
  const drawn = drawnBy(pdf, resources, name).filter((each) => !each.has('Resources'));
  return drawn.map((each) => {
    if (!(each instanceof PdfStream)) throw new Error('glyphs use the resources of the page');
    return Buffer.from(each.getDecodedData());
  });
}

function namesIn(content: Buffer): Set<string> {
  const names = new Set<string>();
  scanForeign(content, (_, operands) => {
    for (const name of operands.names)
      names.add(name.replace(/#([\da-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))));
  });
  return names;
}

/** What has content of its own: form XObjects, tiling patterns, soft masks and Type 3 fonts. */
function drawnBy(pdf: PdfReader, resources: PdfDict, name: string): PdfDict[] {
  const [form, pattern, state, font] = ['XObject', 'Pattern', 'ExtGState', 'Font'].map((kind) =>
    pdf.asDict(pdf.nested(resources, kind, name)),
  );
  return [
    ...(pdf.name(form, 'Subtype') === 'Form' ? [form] : []),
    ...(pattern instanceof PdfStream ? [pattern] : []),
    ...(pdf.name(font, 'Subtype') === 'Type3' ? [font] : []),
    pdf.dict(pdf.dict(state, 'SMask'), 'G'),
  ].filter((each) => each !== undefined);
}
