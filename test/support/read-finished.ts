/** Reads everything in a finished PDF that pdf.js finds besides its pages. */
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { openPdf } from './open-pdf.ts';

export interface Finished {
  /** The information dictionary. */
  info: Record<string, unknown>;
  /** The XMP packet. */
  xmp: string;
  /** The attachments, sorted by name. */
  attachments: Array<{ name: string; description: string; content: Buffer }>;
  /** The permissions, sorted, as in `PermissionFlag` of pdf.js; undefined without a password. */
  permissions: number[] | undefined;
  showsTitle: boolean;
  texts: string[];
}

/** Throws the errors of pdf.js, such as `PasswordException`. */
export async function readFinished(pdf: Uint8Array, password?: string): Promise<Finished> {
  await using opened = await openPdf(pdf, { password });
  const { document } = opened;
  const { info, metadata } = await document.getMetadata();
  const permissions = await document.getPermissions();
  const texts: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    texts.push(items.map((item) => ('str' in item ? item.str : '')).join(''));
  }
  return {
    info: info as Record<string, unknown>,
    xmp: (metadata as unknown as { getRaw(): string } | null)?.getRaw() ?? '',
    attachments: await attachmentsOf(document),
    permissions: permissions ? [...permissions].sort((one, other) => one - other) : undefined,
    showsTitle: (await document.getViewerPreferences())?.get('DisplayDocTitle') === true,
    texts,
  };
}

async function attachmentsOf(document: PDFDocumentProxy): Promise<Finished['attachments']> {
  const found = (await document.getAttachments()) ?? new Map<string, { filename: string; description: string }>();
  const contents = [...found].map(async ([id, { filename, description }]) => {
    const content = (await document.getAttachmentContent(id)) as unknown as Uint8Array;
    return { name: filename, description, content: Buffer.from(content) };
  });
  return await Promise.all(contents);
}
