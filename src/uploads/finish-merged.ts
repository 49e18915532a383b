/**
 * Finishes a PDF of merged uploads: its bytes, with metadata, attachments and a password, in; the finished bytes out. Finishing in
 * `src/pdf` reads only PDFs as Chromium prints them. Run it in the process that merges, because the objects come from uploads.
 */
import { PDF } from '@libpdf/core';
import type { FinishSettings, PdfPermission } from '../pdf/finish-settings.ts';
import { infoEntry } from '../pdf/objects/syntax.ts';

export type MergedFinishing = Pick<FinishSettings, 'metadata' | 'attachments' | 'password'>;

/** Without `finishing`, leaves the PDF as it is. */
export async function finishMerged(merged: Uint8Array, finishing: MergedFinishing | undefined): Promise<Uint8Array> {
  if (!finishing) return merged;
  const { metadata, attachments, password } = finishing;
  const pdf = await PDF.load(merged);
  const { creationDate, modDate, keywords, custom = {}, ...texts } = metadata;
  pdf.setMetadata({
    ...texts,
    ...(keywords && { keywords: [keywords.join(', ')] }), // libpdf joins them with spaces
    ...(creationDate !== undefined && { creationDate: new Date(creationDate) }),
    ...(modDate !== undefined && { modificationDate: new Date(modDate) }),
  });
  // biome-ignore lint/complexity/useLiteralKeys: libpdf has no public way to write other entries
  for (const [name, text] of Object.entries(custom)) pdf['getInfoDict']().set(name, infoEntry(name, text));
  for (const { name, type, content } of attachments)
    pdf.addAttachment(name, content, { mimeType: type ?? 'application/octet-stream' });
  if (password) protect(pdf, password);
  return pdf.save();
}

function protect(pdf: PDF, { user, owner, permissions }: NonNullable<MergedFinishing['password']>): void {
  const allows = (permission: PdfPermission) => permissions?.includes(permission) ?? true;
  pdf.setProtection({
    userPassword: user,
    ...(owner !== undefined && { ownerPassword: owner }),
    permissions: {
      print: allows('print') || allows('print_low'),
      printHighQuality: allows('print'),
      copy: allows('copy'),
      modify: allows('modify'),
      annotate: allows('annotate'),
      fillForms: allows('fill_forms'),
      assemble: allows('assemble'),
      accessibility: allows('accessibility'),
    },
  });
}
